//! The caller's note to themselves on a board.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Deserialize;

use super::boards::find;
use super::read_json;
use crate::Web;
use crate::auth::Caller;
use crate::error::Problem;
use crate::extract::{ApiPath, RawBody, board_name};
use crate::openapi::{Operation, Tag};
use crate::session::no_store;
use knotpost_core::boards::Code;
use knotpost_core::identity::Scope;
use knotpost_core::play::{LONGEST_NOTE, OwnNote, view_own_note, write_own_note};

/// A note to be written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewNote")]
pub(super) struct Words {
    /// The words; without any the note is deleted.
    #[schemars(length(max = LONGEST_NOTE))]
    text: String,
}

/// Programs have notes too.
const WRITES: &[Scope] = &[Scope::Play, Scope::Bot];
const READS: &[Scope] = &[Scope::Read, Scope::Play, Scope::Bot];

pub(super) const SHOW: Operation =
    Operation::new("show_note", Tag::Boards, "Your note to yourself on a board")
        .details("Nobody else is shown it, whoever plays there and whoever looks after the server.")
        .scopes(READS)
        .gives::<OwnNote>("The note; without words when there is none.")
        .refuses(&[Code::UnknownGame, Code::NoSuchBoard]);

pub(super) async fn show(
    State(web): State<Web>,
    caller: Caller,
    ApiPath((game, number)): ApiPath<(String, String)>,
) -> Result<Response, Problem> {
    caller.require_one_of(READS)?;
    let view = find(&web, &game, &number, None).await?;
    let note = view_own_note(&web.app.store, caller.user, &view.board).await?;
    Ok(no_store(Json(note).into_response()))
}

pub(super) const WRITE: Operation = Operation::new("write_note", Tag::Boards, "Writes your note on a board")
    .details("In the place of the one before. At most 4,000 characters, and 1,000 notes.")
    .scopes(WRITES)
    .takes::<Words>()
    .gives::<OwnNote>("The note as it is now.")
    .refuses(&[Code::NoSuchBoard, Code::BadValue, Code::NotAllowed]);

pub(super) async fn write(
    State(web): State<Web>,
    caller: Caller,
    ApiPath((game, number)): ApiPath<(String, String)>,
    RawBody(body): RawBody,
) -> Result<Response, Problem> {
    caller.require_one_of(WRITES)?;
    let words: Words = read_json(&body, r#"{"text":"…"}"#)?;
    let note = write_own_note(&web.app, caller.proven(), &board_name(&game, &number)?, &words.text).await?;
    Ok(no_store(Json(note).into_response()))
}

pub(super) const REMOVE: Operation =
    Operation::new("delete_note", Tag::Boards, "Deletes your note on a board")
        .scopes(WRITES)
        .status(204, "There is none any more.")
        .refuses(&[Code::NoSuchBoard]);

pub(super) async fn remove(
    State(web): State<Web>,
    caller: Caller,
    ApiPath((game, number)): ApiPath<(String, String)>,
) -> Result<StatusCode, Problem> {
    caller.require_one_of(WRITES)?;
    write_own_note(&web.app, caller.proven(), &board_name(&game, &number)?, "").await?;
    Ok(StatusCode::NO_CONTENT)
}
