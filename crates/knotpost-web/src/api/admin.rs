//! `/api/v1/admin`: the administration for programs. The access guard of the routes lets only administrators reach it.

pub(super) mod boards;
pub(super) mod mails;
pub(super) mod server;
pub(super) mod strangers;
pub(super) mod users;

use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Web;
use crate::auth::Caller;
use crate::error::Problem;
use crate::openapi::{Operation, Tag};
use knotpost_core::admin::{Acts, AdminAction, act_words, administer};
use knotpost_core::boards::Code;
use knotpost_core::identity::Scope;
use knotpost_model::Millis;

const USUAL: usize = 50;
const MOST: usize = 500;

type CurrentAdmin = Extension<Caller>;

/// Something was done.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct Done {
    /// Always `true`: refusals are problem details.
    ok: bool,
    /// The action, as the audit log has it.
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

fn named<A>(acts: &Acts<A>, word: &str, arguments: A) -> Result<AdminAction, Problem> {
    AdminAction::named(acts, word, arguments).ok_or_else(|| {
        let words = act_words(acts).join(", ");
        let (others, last) = words.rsplit_once(", ").unwrap_or_default();
        Problem::new(Code::BadValue, format!("`act` is {others} or {last}"))
    })
}
