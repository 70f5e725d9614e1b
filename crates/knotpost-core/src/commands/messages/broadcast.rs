//! `broadcast`: a message to every user who takes broadcasts.

use std::sync::Arc;

use serde_json::json;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::commands::authorize::authorize;
use crate::commands::messages::message::text_of;
use crate::commands::prepare::check_rate;
use crate::mailing::post::post_to_user;
use crate::mailing::references::{Reference, post_reference};
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use knotpost_model::{Millis, UserKey, limit_comment};
use knotpost_storage::{StoreError, UserRow, WriteTx};

/// Readers per transaction, so that others can write in between.
const PART: i64 = 100;
/// Per day, over all users; administrators are exempt.
const MOST_A_DAY: i64 = 5;
const BROADCAST_PAUSE_MS: i64 = 86_400_000;

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let text = text_of(ready)?;
    if user.role != "admin" && !tx.has_finished_a_game(user.id).await? {
        return Err(
            Refusal::new(Code::NotAllowed, "to write to everybody you must have finished a game").into()
        );
    }
    check_rate(ready)?;
    if user.role != "admin" && tx.count_broadcasts(now.plus(-BROADCAST_PAUSE_MS)).await? >= MOST_A_DAY {
        let message = format!("{MOST_A_DAY} broadcasts went out within a day, as many as everybody gets");
        let mut refusal = Refusal::new(Code::RateLimited, message).hint("Try again tomorrow.");
        refusal.retry_after = Some(86_400);
        return Err(refusal.into());
    }
    take_broadcast(tx, app, &user, &text, now).await?;
    Ok(Answer::to_registered(Reply::said("broadcast_taken", json!({ "from": user.userid }))))
}

/// Stores a broadcast, limited to one a day per user, and mails a receipt.
pub(crate) async fn take_broadcast(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    text: &str,
    now: Millis,
) -> Result<(), ServiceError> {
    let text = limit_comment(text.trim());
    if text.is_empty() {
        return Err(Refusal::new(Code::WrongArguments, "there is no text to pass on").into());
    }
    if !tx.claim_broadcast(user.id, now.plus(-BROADCAST_PAUSE_MS), now).await? {
        let mut refusal = Refusal::new(Code::RateLimited, "you may write to everybody once a day");
        refusal.retry_after = Some(86_400);
        return Err(refusal.into());
    }
    tx.insert_broadcast(user.id, &text, now).await?;
    let receipt = Reply::said("broadcast_taken", json!({ "from": user.userid }));
    post_to_user(tx, app, &receipt, user.id, now).await?;
    Ok(())
}

/// Delivers the oldest broadcast to its next readers; `false`: none pending. Progress is stored in the same
/// transaction, so nobody gets it twice, even after a restart.
pub async fn pass_on_broadcast(app: &Arc<App>) -> Result<bool, StoreError> {
    if !app.store.query().await?.has_waiting_broadcast().await? {
        return Ok(false);
    }
    let now = app.clock.now();
    let passed = app
        .write(async move |tx, app| {
            let Some(row) = tx.take_broadcast().await? else { return Ok(false) };
            let users = tx.broadcast_readers(row.id, row.after_user, PART).await?;
            let Some((last, _)) = users.last() else {
                tx.advance_broadcast(row.id, row.after_user, Some(now)).await?;
                return Ok(true);
            };
            tx.advance_broadcast(row.id, *last, None).await?;
            for (user, _) in users.iter().filter(|(_, wants)| *wants) {
                post_reference(tx, app, Reference::Broadcast(row.id), UserKey(*user), row.at).await?;
            }
            Ok::<_, StoreError>(true)
        })
        .await?;
    app.signals.outbox.notify_one();
    Ok(passed)
}
