//! The buttons and forms of a board's page. Each executes a command of the command language, authenticated by the
//! session.

use axum::Form;
use axum::body::to_bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use knotpost_commands::{Action, BoardSet, Command, ParseError, read_queue_field};
use serde::Deserialize;

use super::Refused;
use super::board::{Look, Notice, page};
use crate::Web;
use crate::client::Client;
use crate::error::{Failure, status};
use crate::extract::{PagePath, board_name};
use crate::idempotency::execute_with_key;
use crate::session::LoggedIn;
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::commands::{CommandResponse, execute};
use knotpost_core::identity::{Origin, Proof, Visitor};
use knotpost_core::play::write_own_note;
use knotpost_core::queries::view_board_version;
use knotpost_core::replies::{Answer, Hint, Reply};
use knotpost_core::requests::Request;
use knotpost_model::{BoardRef, limit_comment};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct BoardForm {
    /// `move`, `chat`, `resign` and the like.
    act: String,
    #[serde(rename = "move")]
    play: String,
    number: Option<u32>,
    /// Moves of the board as the page showed it.
    ply: Option<i64>,
    comment: String,
    /// Set after the player has confirmed a resignation.
    sure: String,
}

/// A failed command is an error, with its hints for users who type no commands.
pub(super) async fn command(
    web: &Web,
    client: Client,
    visitor: &Visitor,
    command: Result<Command, ParseError>,
    body: &str,
) -> Result<Answer, ServiceError> {
    accepted(Box::pin(execute(&web.app, request(client, visitor, command, body))).await?)
}

pub(super) fn accepted(mut answer: Answer) -> Result<Answer, ServiceError> {
    let Some(failure) = answer.failure.take() else { return Ok(answer) };
    let is_typed = |hint: &str| ["Syntax: ", "Example: "].iter().any(|mark| hint.starts_with(mark));
    let mut refusal = Refusal::new(failure.code, failure.message);
    if let Reply::Error(error) = answer.reply {
        refusal.hints = error.hints;
        refusal.hints.retain(|hint| !is_typed(hint));
    }
    Err(refusal.into())
}

fn request(client: Client, visitor: &Visitor, command: Result<Command, ParseError>, body: &str) -> Request {
    let origin = Origin::http(client.host(), Proof::LoggedIn(visitor.proven()));
    // Browsers end lines with CR LF.
    let body = limit_comment(body.replace("\r\n", "\n").trim());
    Request::typed(command, body, origin)
}

/// Uses the form's key, as a browser without an answer sends it again. A move needs none: its number keeps it from
/// being made twice.
async fn say_once(
    web: &Web,
    client: Client,
    visitor: &Visitor,
    name: &BoardRef,
    headers: &HeaderMap,
    form: &BoardForm,
) -> Result<Response, Failure> {
    let command = Command::Chat { game: name.game.clone(), board: name.number, who: visitor.credentials() };
    let place = format!("page {} {}", name.game, name.number);
    let parts: [&[u8]; 4] = [b"chat", visitor.userid.as_bytes(), place.as_bytes(), form.comment.as_bytes()];
    let present = |answer: &Answer| CommandResponse {
        status: answer.failure.as_ref().map_or(200, |failure| failure.code.status()),
        content_type: "text/plain".to_owned(),
        retry_after: None,
        body: answer.failure.as_ref().map(|failure| failure.message.clone()).unwrap_or_default(),
    };
    let asked = request(client, visitor, Ok(command), &form.comment);
    let said = Box::pin(execute_with_key(web, headers, asked, &parts, present)).await;
    if said.status() == StatusCode::OK {
        return Ok(to_talk(name));
    }
    let (status, why) = (said.status(), said.extensions().get::<Refused>().cloned());
    let message = match why {
        Some(Refused(message)) => message,
        None => to_bytes(said.into_body(), usize::MAX)
            .await
            .map(|body| String::from_utf8_lossy(&body).into_owned())
            .unwrap_or_default(),
    };
    let notice = Notice { message, comment: form.comment.clone(), ..Notice::default() };
    page(web, Some(visitor), name, &Look::beside("talk"), status, &notice).await
}

fn to_talk(name: &BoardRef) -> Response {
    Redirect::to(&format!("/boards/{}/{}?side=talk#board", name.game, name.number)).into_response()
}

pub(super) async fn act(
    State(web): State<Web>,
    client: Client,
    LoggedIn(visitor): LoggedIn,
    PagePath((game, number)): PagePath<(String, String)>,
    headers: HeaderMap,
    Form(form): Form<BoardForm>,
) -> Result<Response, Failure> {
    let name = board_name(&game, &number)?;
    if form.act == "seen" {
        if web.app.games.find(&name.game).is_some() {
            web.app.signals.note_in_sight(name, visitor.user, web.app.clock.now());
        }
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    if form.act == "note" {
        return write_note(&web, &visitor, &name, &form.comment).await;
    }
    if form.act == "chat" && headers.contains_key("idempotency-key") {
        return say_once(&web, client, &visitor, &name, &headers, &form).await;
    }
    match carry_out(&web, client, &visitor, &name, &form).await {
        Ok(answer) => answered(&web, &visitor, &name, &answer, &form).await,
        Err(ServiceError::Refused(refusal)) => refused(&web, &visitor, &name, *refusal, &form).await,
        Err(error) => Err(error.into()),
    }
}

async fn carry_out(
    web: &Web,
    client: Client,
    visitor: &Visitor,
    name: &BoardRef,
    form: &BoardForm,
) -> Result<Answer, ServiceError> {
    if let Some(ply) = form.ply
        && let Ok(Some(now)) = view_board_version(&web.app.store, name).await
        && now.ply != ply
    {
        let message = "the board has changed since; look whether your plan still fits";
        return Err(Refusal::new(Code::WrongMoveNumber, message).into());
    }
    command(web, client, visitor, Ok(read(form, visitor, name)?), &form.comment).await
}

/// Tells nobody: a note is no command.
async fn write_note(web: &Web, visitor: &Visitor, name: &BoardRef, text: &str) -> Result<Response, Failure> {
    match write_own_note(&web.app, visitor.proven(), name, text).await {
        Ok(_) => {
            let page = format!("/boards/{}/{}?side=more#board", name.game, name.number);
            Ok(Redirect::to(&page).into_response())
        }
        Err(ServiceError::Refused(refusal)) => {
            let Refusal { code, message, .. } = *refusal;
            let notice = Notice { message, note: Some(text.to_owned()), ..Notice::default() };
            page(web, Some(visitor), name, &Look::beside("more"), status(code), &notice).await
        }
        Err(error) => Err(error.into()),
    }
}

fn read(form: &BoardForm, visitor: &Visitor, name: &BoardRef) -> Result<Command, Refusal> {
    let (game, board, who) = (name.game.clone(), name.number, visitor.credentials());
    let lacks = |what| Refusal::new(Code::WrongArguments, what);
    let (action, number) = match form.act.as_str() {
        "move" => {
            let action = Action::from_field(&form.play);
            (action.ok_or_else(|| lacks("choose a move first"))?, form.number)
        }
        "resign" if form.sure.is_empty() => {
            return Err(Refusal::new(Code::BadValue, "tick the box to resign for good"));
        }
        "resign" => (Action::Resign, None),
        "propose" => (Action::Propose, None),
        "undo" => (Action::Undo, None),
        "substitute" => (Action::Substitute, None),
        "accept" => (Action::Accept, None),
        "reject" => (Action::Reject, None),
        "queue" => {
            let read = read_queue_field(&form.play);
            let (moves, number) = read.ok_or_else(|| lacks("choose moves to queue first"))?;
            let number = number.or(form.number);
            return Ok(Command::Queue { game, board, who, moves, number });
        }
        "chat" => return Ok(Command::Chat { game, board, who }),
        "rematch" => return Ok(Command::Rematch { game, board, who }),
        "hint" => return Ok(Command::Hint { game, board, who }),
        "analyse" => return Ok(Command::Analyse { game, board }),
        "subscribe" => {
            return Ok(Command::Subscribe { game, who, boards: BoardSet::These(vec![board]) });
        }
        "unsubscribe" => {
            return Ok(Command::Unsubscribe { game, who, boards: BoardSet::These(vec![board]) });
        }
        _ => return Err(lacks("choose a move first")),
    };
    Ok(Command::Move { game: Some(game), board, who, action, number })
}

async fn answered(
    web: &Web,
    visitor: &Visitor,
    name: &BoardRef,
    answer: &Answer,
    form: &BoardForm,
) -> Result<Response, Failure> {
    if let Some(hint) = given_hint(answer) {
        let notice = Notice { hint: Some(hint.clone()), ..Notice::default() };
        // The move is shown on the board, and can be sent from there.
        return page(web, Some(visitor), name, &Look::at(&hint.thought.turn), StatusCode::OK, &notice).await;
    }
    if form.act == "analyse" {
        let page = format!("/boards/{}/{}/analysis", name.game, name.number);
        return Ok(Redirect::to(&page).into_response());
    }
    if form.act == "chat" {
        return Ok(to_talk(name));
    }
    let shown = answer.boards.first().filter(|_| form.act == "rematch").unwrap_or(name);
    Ok(Redirect::to(&format!("/boards/{}/{}#board", shown.game, shown.number)).into_response())
}

fn given_hint(answer: &Answer) -> Option<&Hint> {
    match &answer.reply {
        Reply::Board(sheet) => sheet.hint.as_deref(),
        _ => None,
    }
}

async fn refused(
    web: &Web,
    visitor: &Visitor,
    name: &BoardRef,
    Refusal { code, message, hints, .. }: Refusal,
    form: &BoardForm,
) -> Result<Response, Failure> {
    let stale = code == Code::WrongMoveNumber && form.act == "move";
    let stale = stale.then(|| form.play.clone());
    let notice = Notice { message, hints, comment: form.comment.clone(), stale, ..Notice::default() };
    let look = if form.act == "chat" { Look::beside("talk") } else { Look::default() };
    page(web, Some(visitor), name, &look, status(code), &notice).await
}
