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
use super::board::{Look, Notice, board_name, page};
use crate::Web;
use crate::client::Client;
use crate::error::status;
use crate::extract::PagePath;
use crate::idempotency::execute_with_key;
use crate::session::LoggedIn;
use knotpost_core::StoreError;
use knotpost_core::boards::{Code, ServiceError};
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

pub(super) async fn command(
    web: &Web,
    client: Client,
    visitor: &Visitor,
    command: Result<Command, ParseError>,
    body: &str,
) -> Result<Answer, StoreError> {
    Box::pin(execute(&web.app, request(client, visitor, command, body))).await
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
) -> Response {
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
        return to_talk(name);
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
) -> Response {
    let Some(name) = board_name(&game, &number) else {
        return web.pages.problem(Code::NoSuchBoard, &format!("there is no {game} board `{number}`"));
    };
    if form.act == "note" {
        return write_note(&web, &visitor, &name, &form.comment).await;
    }
    if form.act == "chat" && headers.contains_key("idempotency-key") {
        return say_once(&web, client, &visitor, &name, &headers, &form).await;
    }
    if let Some(ply) = form.ply
        && let Ok(Some(now)) = view_board_version(&web.app, &name).await
        && now.ply != ply
    {
        let message = "the board has changed since; look whether your plan still fits";
        return refuse(&web, &visitor, &name, Code::WrongMoveNumber, message, &form).await;
    }
    let done = match read(&form, &visitor, &name) {
        Ok(done) => command(&web, client, &visitor, Ok(done), &form.comment).await,
        Err((code, message)) => return refuse(&web, &visitor, &name, code, message, &form).await,
    };
    match done {
        Ok(answer) => answered(&web, &visitor, &name, &answer, &form).await,
        Err(error) => web.pages.failure(error.into()),
    }
}

/// Tells nobody: a note is no command.
async fn write_note(web: &Web, visitor: &Visitor, name: &BoardRef, text: &str) -> Response {
    match write_own_note(&web.app, visitor.proven(), name, text).await {
        Ok(_) => {
            Redirect::to(&format!("/boards/{}/{}?side=more#board", name.game, name.number)).into_response()
        }
        Err(ServiceError::Refused(refusal)) => {
            let (message, code) = (refusal.message.clone(), refusal.code);
            let notice = Notice { message, note: Some(text.to_owned()), ..Notice::default() };
            page(web, Some(visitor), name, &Look::beside("more"), status(code), &notice).await
        }
        Err(error) => web.pages.failure(error),
    }
}

fn read(form: &BoardForm, visitor: &Visitor, name: &BoardRef) -> Result<Command, (Code, &'static str)> {
    let (game, board, who) = (name.game.clone(), name.number, visitor.credentials());
    let (action, number) = match form.act.as_str() {
        "move" => {
            let action = Action::from_field(&form.play);
            (action.ok_or((Code::WrongArguments, "choose a move first"))?, form.number)
        }
        "resign" if form.sure.is_empty() => {
            return Err((Code::BadValue, "tick the box to resign for good"));
        }
        "resign" => (Action::Resign, None),
        "propose" => (Action::Propose, None),
        "undo" => (Action::Undo, None),
        "substitute" => (Action::Substitute, None),
        "accept" => (Action::Accept, None),
        "reject" => (Action::Reject, None),
        "queue" => {
            let read = read_queue_field(&form.play);
            let (moves, number) = read.ok_or((Code::WrongArguments, "choose moves to queue first"))?;
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
        _ => return Err((Code::WrongArguments, "choose a move first")),
    };
    Ok(Command::Move { game: Some(game), board, who, action, number })
}

async fn answered(
    web: &Web,
    visitor: &Visitor,
    name: &BoardRef,
    answer: &Answer,
    form: &BoardForm,
) -> Response {
    if let Some(hint) = given_hint(answer) {
        let notice = Notice { hint: Some(hint.clone()), ..Notice::default() };
        // The move is shown on the board, and can be sent from there.
        return page(web, Some(visitor), name, &Look::at(&hint.thought.turn), StatusCode::OK, &notice).await;
    }
    let Some(failure) = &answer.failure else {
        if form.act == "analyse" {
            return Redirect::to(&format!("/boards/{}/{}/analysis", name.game, name.number)).into_response();
        }
        if form.act == "chat" {
            return to_talk(name);
        }
        let shown = answer.boards.first().filter(|_| form.act == "rematch").unwrap_or(name);
        return Redirect::to(&format!("/boards/{}/{}#board", shown.game, shown.number)).into_response();
    };
    let stale = failure.code == Code::WrongMoveNumber && form.act == "move";
    let notice = Notice {
        message: failure.message.clone(),
        hints: hints(answer),
        comment: form.comment.clone(),
        stale: stale.then(|| form.play.clone()),
        ..Notice::default()
    };
    let look = if form.act == "chat" { Look::beside("talk") } else { Look::default() };
    page(web, Some(visitor), name, &look, status(failure.code), &notice).await
}

fn given_hint(answer: &Answer) -> Option<&Hint> {
    match &answer.reply {
        Reply::Board(sheet) => sheet.hint.as_deref(),
        _ => None,
    }
}

/// Omits hints for users who type commands.
pub(super) fn hints(answer: &Answer) -> Vec<String> {
    let is_typed = |hint: &str| ["Syntax: ", "Example: "].iter().any(|mark| hint.starts_with(mark));
    match &answer.reply {
        Reply::Error(error) => error.hints.iter().filter(|hint| !is_typed(hint)).cloned().collect(),
        _ => Vec::new(),
    }
}

async fn refuse(
    web: &Web,
    visitor: &Visitor,
    name: &BoardRef,
    code: Code,
    message: &str,
    form: &BoardForm,
) -> Response {
    let notice = Notice { message: message.to_owned(), comment: form.comment.clone(), ..Notice::default() };
    page(web, Some(visitor), name, &Look::default(), status(code), &notice).await
}
