//! A move, or another turn on a board, sent by a program.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use knotpost_commands::{Action, Command};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::boards::board_of_a_game;
use super::read_json;
use crate::Web;
use crate::auth::Caller;
use crate::client::Client;
use crate::error::{PROBLEM_TYPE, Problem, ProblemDetails, status};
use crate::extract::{ApiPath, RawBody};
use crate::idempotency::execute_with_key;
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::commands::CommandResponse;
use knotpost_core::identity::{Origin, Scope};
use knotpost_core::replies::{Answer, Heading, Reply};
use knotpost_core::requests::Request;
use knotpost_model::limit_comment;

/// Bytes.
const LONGEST_MOVE: usize = 500;

/// A turn to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Turn")]
pub(super) struct Play {
    /// The move, or `pass`, `swap`, `resign`, `propose`, `undo`, `substitute`, `accept`, `reject`.
    #[serde(rename = "move")]
    #[schemars(length(min = 1, max = LONGEST_MOVE), regex(pattern = r"^[^\s#]+$"))]
    word: String,
    /// The number that the move is to have; without it any number is accepted.
    number: Option<u32>,
    /// The comment to the move.
    #[serde(default)]
    comment: String,
}

/// Result of a turn.
#[derive(Serialize, JsonSchema)]
pub(super) struct Played<'a> {
    /// Always `true`: refusals are problem details.
    ok: bool,
    /// True if this player had made this move already; it was not made again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeated: bool,
    /// The board after the turn.
    #[serde(flatten)]
    board: Option<After<'a>>,
}

/// A board after a turn.
#[derive(Serialize, JsonSchema)]
struct After<'a> {
    /// The game's name.
    game: &'a str,
    /// The number among the game's boards.
    number: Option<u32>,
    /// The number of the last move.
    ply: usize,
    /// Player to move, or the end of the game, as a sentence.
    status: String,
    /// True if the move is made. A player who asked to confirm moves gets a mail, and has not moved yet.
    played: bool,
}

pub(super) const PLAY: Operation = Operation::new("play", Tag::Boards, "Makes a move")
    .details(
        "The players are mailed as after any move. A move that the same player made already is answered with \
         `\"repeated\": true` and not made again: where its number is given and it stands there, or where none is given, \
         the player is not to move, and it is their last one.",
    )
    .scopes(&[Scope::Play, Scope::Bot])
    .takes::<Play>()
    .gives::<Played<'static>>("What came of it.")
    .refuses(&[
        Code::NotAPlayer,
        Code::UnknownGame,
        Code::NoSuchBoard,
        Code::GameOver,
        Code::NotYourTurn,
        Code::WrongMoveNumber,
        Code::SwapTooLate,
        Code::AlreadyProposed,
        Code::NothingProposed,
        Code::NothingSubmitted,
        Code::IllegalMove,
        Code::NotSupported,
    ])
    .once();

pub(super) async fn play(
    State(web): State<Web>,
    client: Client,
    caller: Caller,
    ApiPath((game, number)): ApiPath<(String, String)>,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Response, Problem> {
    caller.require_one_of(&[Scope::Play, Scope::Bot])?;
    let name = board_of_a_game(&web, &game, &number)?;
    let play: Play = read_json(&body, r#"{"move":"…","number":7,"comment":"…"}"#)?;
    let word = Some(play.word.trim()).filter(|word| word.len() <= LONGEST_MOVE);
    let action = word.and_then(Action::from_field).ok_or_else(|| {
        Problem::new(Code::WrongArguments, "a move is one word; its number goes into `number`")
    })?;
    let address = format!("{} {}", name.game, name.number);
    let (game, board, who) = (Some(name.game), name.number, caller.credentials());
    let command = Command::Move { game, board, who, action, number: play.number };
    let parts: [&[u8]; 3] = [b"move", address.as_bytes(), &body];
    Ok(run(&web, client, &caller, &headers, (command, &play.comment), &parts, present).await)
}

/// Carries out a command of the caller with a comment.
pub(super) async fn run(
    web: &Web,
    client: Client,
    caller: &Caller,
    headers: &HeaderMap,
    (command, comment): (Command, &str),
    parts: &[&[u8]],
    present: fn(&Answer) -> CommandResponse,
) -> Response {
    let comment = limit_comment(comment.replace("\r\n", "\n").trim());
    let request = Request::typed(Ok(command), comment, Origin::http(client.host(), caller.proof()));
    Box::pin(execute_with_key(web, headers, request, parts, present)).await
}

/// `None` if it is no refusal.
pub(super) fn refused(answer: &Answer) -> Option<CommandResponse> {
    let failure = answer.failure.as_ref()?;
    let status = status(failure.code);
    let hints = match &answer.reply {
        Reply::Error(error) => error.hints.as_slice(),
        _ => &[],
    };
    let body = ProblemDetails::new(status, failure.code.as_str(), &failure.message, hints).into_body();
    Some(CommandResponse {
        status: status.as_u16(),
        content_type: PROBLEM_TYPE.to_owned(),
        retry_after: failure.retry_after,
        body,
    })
}

fn present(answer: &Answer) -> CommandResponse {
    if let Some(refused) = refused(answer) {
        return refused;
    }
    let board = match &answer.reply {
        Reply::Board(sheet) | Reply::AlreadyPlayed { sheet: Some(sheet), .. } => Some(After {
            game: &sheet.game,
            number: sheet.number,
            ply: sheet.ply,
            status: sheet.verdict.to_string(),
            played: sheet.heading != Heading::Submit,
        }),
        _ => None,
    };
    CommandResponse::json(&Played { ok: true, repeated: answer.is_repetition(), board })
}
