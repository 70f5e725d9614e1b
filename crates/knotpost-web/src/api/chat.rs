//! Chat on a board, sent by a program.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use knotpost_commands::{Command, Credentials};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::boards::board_of_a_game;
use super::moves::refused;
use super::read_json;
use crate::Web;
use crate::auth::Caller;
use crate::client::Client;
use crate::error::Problem;
use crate::extract::{ApiPath, RawBody};
use crate::idempotency::execute_with_key;
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::commands::CommandResponse;
use knotpost_core::identity::{Origin, Scope};
use knotpost_core::replies::Answer;
use knotpost_core::requests::Request;
use knotpost_model::limit_comment;

/// What is said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Words")]
pub(super) struct Words {
    /// The words.
    #[schemars(length(min = 1))]
    text: String,
}

/// What came of it.
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
    let text = limit_comment(words.text.replace("\r\n", "\n").trim());
    let address = format!("{} {}", name.game, name.number);
    let who = Credentials::without_password(caller.userid.as_str());
    let command = Command::Chat { game: name.game, board: name.number, who };
    let request = Request::typed(Ok(command), text, Origin::http(client.host(), caller.proof()));
    let parts: [&[u8]; 3] = [b"chat", address.as_bytes(), &body];
    let response = Box::pin(execute_with_key(&web, &headers, request, &parts, present)).await;
    Ok(response.into_response())
}

fn present(answer: &Answer) -> CommandResponse {
    refused(answer).unwrap_or_else(|| CommandResponse {
        status: 200,
        content_type: "application/json".to_owned(),
        retry_after: None,
        body: r#"{"ok":true}"#.to_owned(),
    })
}
