//! A move, or another turn on a board, sent by a program.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::json;

use super::boards::board_name;
use super::read_json;
use crate::domain::limit_comment;
use crate::service::{Answer, Channel, Code, Heading, Origin, Proof, Reply, Request, Scope};
use crate::store::SavedResponse;
use crate::web::Web;
use crate::web::auth::Caller;
use crate::web::client::Client;
use crate::web::error::{PROBLEM_TYPE, Problem, problem_details, status};
use crate::web::once::carry_out;

/// Longer words are no moves.
const LONGEST_MOVE: usize = 500;

/// What is sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Play {
    /// The move, or `pass`, `swap`, `resign`, `propose`, `undo`, `accept`, `reject`.
    #[serde(rename = "move")]
    word: String,
    /// The number it is to have.
    number: Option<u32>,
    /// What goes with it.
    #[serde(default)]
    comment: String,
}

/// Sends the command that a mail would hold; who called stands for the password.
pub(super) async fn play(
    State(web): State<Web>,
    client: Client,
    caller: Caller,
    Path((game, number)): Path<(String, String)>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    caller.require(Scope::Play)?;
    let body =
        body.map_err(|_| Problem::new(Code::TooLarge, "the request is larger than this server takes"))?;
    let name = board_name(&game, &number)?;
    if web.app.registry.find(&name.game).is_none() {
        return Err(Problem::new(Code::UnknownGame, format!("there is no game `{}` here", name.game)));
    }
    let play: Play = read_json(&body, r#"{"move":"…","number":7,"comment":"…"}"#)?;
    let word = play.word.trim();
    let is_word = !word.is_empty()
        && word.len() <= LONGEST_MOVE
        && !word.contains('#')
        && word.chars().all(|sign| !sign.is_whitespace() && !sign.is_control());
    if !is_word {
        return Err(Problem::new(Code::WrongArguments, "a move is one word; its number goes into `number`"));
    }
    let as_number = play.number.map_or(String::new(), |number| format!("#{number}"));
    let mask = knotpost_commands::MASK;
    let line = format!("{} move {} {} {mask} {word}{as_number}", name.game, name.number, caller.userid);
    let origin = Origin {
        channel: Channel::Http,
        sender: None,
        rate_key: client.rate_key(),
        proof: Proof::LoggedIn(caller.user),
    };
    let comment = limit_comment(play.comment.replace("\r\n", "\n").trim());
    let request = Request { line, body: comment, origin, answering: None };
    let address = format!("{} {}", name.game, name.number);
    let parts: [&[u8]; 3] = [b"move", address.as_bytes(), &body];
    let response = carry_out(&web, &headers, request, &parts, present).await;
    Ok(response.into_response())
}

/// The answer as the response that gives it.
fn present(answer: &Answer) -> SavedResponse {
    if let Some(failure) = &answer.failure {
        let status = status(failure.code);
        let mut body = problem_details(status, failure.code.as_str(), &failure.message);
        if let Some(Reply::Error(error)) = answer.replies.first() {
            body["hints"] = json!(error.hints);
        }
        return SavedResponse {
            request_digest: String::new(),
            status: i64::from(status.as_u16()),
            content_type: PROBLEM_TYPE.to_owned(),
            retry_after: failure.retry_after.map(|seconds| seconds as i64),
            body: body.to_string(),
        };
    }
    let body = match answer.replies.first() {
        Some(Reply::Board(sheet)) => json!({
            "ok": true,
            "game": sheet.game,
            "number": sheet.number,
            "ply": sheet.ply,
            "status": sheet.verdict.to_string(),
            // Who has asked to confirm his moves gets a mail, and has not moved yet.
            "played": sheet.heading != Heading::Submit,
        }),
        _ => json!({ "ok": true }),
    };
    SavedResponse {
        request_digest: String::new(),
        status: 200,
        content_type: "application/json".to_owned(),
        retry_after: None,
        body: body.to_string(),
    }
}
