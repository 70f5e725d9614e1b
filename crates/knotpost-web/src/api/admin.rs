//! `/api/v1/admin`: the administration for programs. The access guard of the routes lets only administrators reach it.

mod boards;
mod mails;
mod server;
mod strangers;
mod users;

use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Web;
use crate::auth::Caller;
use crate::error::Problem;
use crate::openapi::{Operation, Tag};
use knotpost_core::admin::{AdminAction, administer};
use knotpost_core::boards::Code;
use knotpost_core::identity::Scope;
use knotpost_model::Millis;

pub(super) use boards::{BOARD, CHANGE_BOARD, LIST_BOARDS, board, change_board};
pub(super) use mails::{
    CHANGE_OUTGOING, CHANGE_RECEIVED, INBOX, OUTBOX, OUTGOING, RECEIVED, change_outgoing, change_received,
    inbox, outbox, outgoing, received,
};
pub(super) use server::{AUDIT, BROADCAST, JOBS, OVERVIEW, audit, broadcast, jobs, overview};
pub(super) use strangers::{
    CHANGE_DO_NOT_MAIL, CHANGE_STRANGERS, DO_NOT_MAIL, STRANGERS, change_do_not_mail, change_strangers,
    do_not_mail, strangers,
};
pub(super) use users::{CHANGE_USER, USER, USERS, change_user, user, users};

const USUAL: usize = 50;
const MOST: usize = 500;

type CurrentAdmin = Extension<Caller>;

/// Something was done.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct Done {
    /// Always `true`: refusals are problem details.
    ok: bool,
    /// What was done, as the audit log has it.
    #[serde(rename = "deed")]
    action: &'static str,
}

const fn operation(id: &'static str, summary: &'static str) -> Operation {
    Operation::new(id, Tag::Administration, summary).scope(Scope::Admin)
}

async fn carry_out(web: &Web, caller: &Caller, action: AdminAction) -> Result<Json<Done>, Problem> {
    let verb = action.verb();
    administer(&web.app, &caller.administrator(), action).await?;
    Ok(Json(Done { ok: true, action: verb }))
}

fn read_limit(limit: Option<usize>) -> Result<usize, Problem> {
    let limit = limit.unwrap_or(USUAL);
    if (1..=MOST).contains(&limit) {
        return Ok(limit);
    }
    Err(Problem::new(Code::BadValue, format!("`limit` is a number from 1 to {MOST}")))
}

fn read_since(text: Option<&str>) -> Result<Option<Millis>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let since = Millis::read(text);
    since.map(Some).ok_or_else(|| Problem::new(Code::BadValue, "`since` is a date or a moment"))
}

fn read_cursor(text: Option<&str>) -> Result<Option<i64>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let before = text.parse();
    before.map(Some).map_err(|_| Problem::new(Code::BadValue, "`cursor` is what the last page ended with"))
}

fn no_such_act(acts: &[&str]) -> Problem {
    let text = match acts {
        [others @ .., last] if !others.is_empty() => format!("`act` is {} or {last}", others.join(", ")),
        _ => format!("`act` is {}", acts.join(", ")),
    };
    Problem::new(Code::BadValue, text)
}
