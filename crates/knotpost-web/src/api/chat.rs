//! Chat on a board, sent by a program.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use knotpost_commands::Command;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::boards::board_of_a_game;
use super::moves::{refused, run};
use super::read_json;
use crate::Web;
use crate::auth::Caller;
use crate::client::Client;
use crate::error::Problem;
use crate::extract::{ApiPath, RawBody};
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::commands::CommandResponse;
use knotpost_core::identity::Scope;
use knotpost_core::replies::Answer;

/// Words to be said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Words")]
pub(super) struct Words {
    /// The words.
    #[schemars(length(min = 1))]
    text: String,
}

/// Result of saying something.
#[derive(Serialize, JsonSchema)]
pub(super) struct Said {
    /// Always `true`: refusals are problem details.
    ok: bool,
}

pub(super) const SAY: Operation = Operation::new("say", Tag::Boards, "Says something on a board")
    .details("The other players are mailed, as after `chat`.")
    .scopes(&[Scope::Play, Scope::Bot])
    .takes::<Words>()
    .gives::<Said>("It was said.")
    .refuses(&[Code::UnknownGame, Code::NoSuchBoard, Code::NotAllowed, Code::RateLimited])
    .once();

pub(super) async fn say(
    State(web): State<Web>,
    client: Client,
    caller: Caller,
    ApiPath((game, number)): ApiPath<(String, String)>,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Response, Problem> {
    caller.require_one_of(&[Scope::Play, Scope::Bot])?;
    let name = board_of_a_game(&web, &game, &number)?;
    let words: Words = read_json(&body, r#"{"text":"…"}"#)?;
    let address = format!("{} {}", name.game, name.number);
    let command = Command::Chat { game: name.game, board: name.number, who: caller.credentials() };
    let parts: [&[u8]; 3] = [b"chat", address.as_bytes(), &body];
    Ok(run(&web, client, &caller, &headers, (command, &words.text), &parts, present).await)
}

fn present(answer: &Answer) -> CommandResponse {
    refused(answer).unwrap_or_else(|| CommandResponse::json(&Said { ok: true }))
}
