//! Views and actions of administrators, from the shell, on the web or through the API, and their audit log.
//!
//! Every change is a [`AdminAction`] and goes through [`administer`], which carries it out and writes it into the audit log in
//! one transaction. Looking needs no log, but for looking at a board with a player's eyes.

pub(crate) mod recompute;
pub(crate) mod users;

pub use recompute::{Recompute, Recomputed, recompute_ratings};
pub use users::{
    PublicUser, UserEdit, UserLine, UserList, WholeUser, search_refused_names, search_users,
    view_public_user, view_user, view_user_by_key,
};

mod action;
mod boards;
mod overview;
mod queries;
mod servers;

use std::sync::Arc;

pub use action::{
    Acts, AdminAction, AdminChannel, Administrator, BOARD_ACTS, DO_NOT_MAIL_ACTS, MAIL_ACTS, USER_ACTS,
    act_words,
};
pub use boards::BoardAction;
pub use overview::{Broadcast, Deadline, Duty, Jobs, LATE_MS, Overview, Queue, view_jobs, view_overview};
pub use queries::{AuditEntry, AuditLog, AuditQuery, InspectedBoard, QueuedMoves, inspect_board, view_audit};
pub use servers::{LoggedErrors, REPORT_EVERY, RunningServer, Server};

use crate::admin::users::UserWork;
use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::commands;
use crate::hold;
use crate::identity::{Credentials, strangers};
use crate::mailing::{bounces, do_not_mail, inspector};
use knotpost_model::Millis;
use knotpost_storage::{ReadTx, Store, StoreError, UserRow, UserState, WriteTx};

const DONE: &str = "done";

/// Logs, inside a transaction, an administrator's act that is no [`AdminAction`].
pub(crate) async fn note_done(
    tx: &mut WriteTx,
    admin: &Administrator,
    action: &'static str,
    (subject, detail): (&str, &str),
    now: Millis,
) -> Result<(), StoreError> {
    tx.insert_audit(&admin.entry(action, subject, DONE, detail), now).await
}

/// Carries out an action and logs it, both or neither. A refused action changes nothing and is logged after that.
pub async fn administer(
    app: &Arc<App>,
    admin: &Administrator,
    action: AdminAction,
) -> Result<(), ServiceError> {
    let now = app.clock.now();
    match carry_out(app, admin, &action, now).await {
        Ok(()) => {
            tracing::info!(
                channel = admin.channel.as_str(),
                action = action.verb(),
                "an administrator acted"
            );
            follow_up(app, &action).await;
            Ok(())
        }
        Err(ServiceError::Refused(refusal)) => {
            let row = action.audit(admin, refusal.code.as_str());
            app.store.write(async move |tx| tx.insert_audit(&row, now).await).await?;
            Err(ServiceError::Refused(refusal))
        }
        failed => failed,
    }
}

async fn carry_out(
    app: &Arc<App>,
    admin: &Administrator,
    action: &AdminAction,
    now: Millis,
) -> Result<(), ServiceError> {
    let prepared = match action {
        AdminAction::User { userid, edit } => users::prepare_edit(app, userid, edit).await?,
        _ => UserWork::default(),
    };
    let (admin, action) = (admin.clone(), action.clone());
    app.write(async move |tx, app| {
        act(tx, app, &admin, &action, &prepared, now).await?;
        Ok(tx.insert_audit(&action.audit(&admin, DONE), now).await?)
    })
    .await
}

async fn act(
    tx: &mut WriteTx,
    app: &App,
    admin: &Administrator,
    action: &AdminAction,
    prepared: &UserWork,
    now: Millis,
) -> Result<(), ServiceError> {
    let user = authorized(tx, admin).await?;
    match action {
        AdminAction::User { userid, edit } => {
            if let Some(user) = &user
                && user.userid.eq_ignore_ascii_case(userid)
                && edit.locks_out()
            {
                let refusal = Refusal::new(Code::NotAllowed, "you cannot do this to yourself")
                    .hint("Another administrator can, and so can whoever has a shell on the machine.");
                return Err(refusal.into());
            }
            users::apply(tx, app, userid, edit, prepared, now).await
        }
        AdminAction::Board { board, action, why } => boards::rule(tx, app, board, action, why, now).await,
        AdminAction::LookAs { board, seat } => queries::check_seat(tx, &app.games, board, *seat).await,
        AdminAction::Mail { queue, id, change } => {
            inspector::change_mail(tx, *queue, *id, *change, now).await
        }
        AdminAction::StartAddress { address } => bounces::start_stopped(tx, address).await,
        AdminAction::Block { target, reason } => do_not_mail::block(tx, target, reason, now).await,
        AdminAction::Unblock { target } => do_not_mail::unblock(tx, target).await,
        AdminAction::Strangers { policy } => Ok(strangers::set(tx, *policy).await?),
        AdminAction::Hold { on } => Ok(hold::set(tx, *on).await?),
        AdminAction::Broadcast { text } => {
            let Some(user) = &user else {
                let refusal = Refusal::new(Code::NotAllowed, "a broadcast is written in somebody's name")
                    .hint("From a shell: knotpost command 'broadcast USERID PASSWORD' --body FILE");
                return Err(refusal.into());
            };
            commands::take_broadcast(tx, app, user, text, now).await
        }
    }
}

/// Reads the role again: it may just have been lost.
async fn authorized(tx: &mut ReadTx, admin: &Administrator) -> Result<Option<UserRow>, ServiceError> {
    let Some(key) = admin.user else { return Ok(None) };
    let user = tx.user(key).await?.filter(|user| user.state == UserState::Active && user.role == "admin");
    user.map(Some).ok_or_else(|| Refusal::new(Code::NotAllowed, "only administrators do this").into())
}

async fn follow_up(app: &App, action: &AdminAction) {
    match action {
        AdminAction::User { userid, .. } => forget_password(&app.store, &app.credentials, userid).await,
        AdminAction::Board { board, .. } => app.signals.tell_boards(std::slice::from_ref(board)),
        AdminAction::LookAs { .. } => return,
        AdminAction::Mail { .. }
        | AdminAction::StartAddress { .. }
        | AdminAction::Block { .. }
        | AdminAction::Unblock { .. }
        | AdminAction::Strangers { .. }
        | AdminAction::Hold { .. }
        | AdminAction::Broadcast { .. } => {}
    }
    app.signals.inbox.notify_one();
    app.signals.outbox.notify_one();
}

/// Drops a stale password from the cache. Only cleanup: the cache compares hashes anyway.
async fn forget_password(store: &Store, credentials: &Credentials, userid: &str) {
    let found = async { store.query().await?.find_user(userid).await };
    match found.await {
        Ok(user) => user.into_iter().for_each(|user| credentials.forget(user.id)),
        Err(error) => tracing::debug!(error = error.with_causes(), "a changed user could not be looked up"),
    }
}
