//! What a player does on a board's page. Each button carries out the command that a mail would send; the session stands
//! for the password.

use axum::Form;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use knotpost_commands::{Action, BoardSet, Command, ParseError};
use serde::Deserialize;

use super::board::{Look, Notice, board_name, page};
use crate::Web;
use crate::client::Client;
use crate::error::status;
use crate::extract::PagePath;
use crate::visitor::LoggedIn;
use knotpost_core::StoreError;
use knotpost_core::boards::Code;
use knotpost_core::commands::execute;
use knotpost_core::identity::Visitor;
use knotpost_core::replies::{Answer, Reply};
use knotpost_core::requests::{Origin, Proof, Request};
use knotpost_model::{BoardRef, limit_comment};

/// What a form on the page sends.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Deed {
    /// What to do: `move`, `chat`, `resign` and the like.
    act: String,
    /// The move.
    #[serde(rename = "move")]
    play: String,
    /// The number it is to have.
    number: Option<u32>,
    /// What goes with it.
    comment: String,
    /// Set when the player has thought twice.
    sure: String,
}

/// Carries out a command as this visitor.
///
/// # Errors
/// When the database fails.
pub(super) async fn command(
    web: &Web,
    client: Client,
    visitor: &Visitor,
    command: Result<Command, ParseError>,
    body: &str,
) -> Result<Answer, StoreError> {
    let origin = Origin::http(client.host(), Proof::LoggedIn(visitor.proven()));
    // Browsers end lines as mails do.
    let body = limit_comment(body.replace("\r\n", "\n").trim());
    Box::pin(execute(&web.app, Request::typed(command, body, origin))).await
}

pub(super) async fn act(
    State(web): State<Web>,
    client: Client,
    LoggedIn(visitor): LoggedIn,
    PagePath((game, number)): PagePath<(String, String)>,
    Form(deed): Form<Deed>,
) -> Response {
    let Some(name) = board_name(&game, &number) else {
        return web.pages.problem(Code::NoSuchBoard, &format!("there is no {game} board `{number}`"));
    };
    let done = match read(&deed, &visitor, &name) {
        Ok(done) => command(&web, client, &visitor, Ok(done), &deed.comment).await,
        Err((code, message)) => return refuse(&web, &visitor, &name, code, message, &deed).await,
    };
    match done {
        Ok(answer) => answered(&web, &visitor, &name, &answer, &deed).await,
        Err(error) => web.pages.failure(error.into()),
    }
}

/// The command of a button, or why there is none.
fn read(deed: &Deed, visitor: &Visitor, name: &BoardRef) -> Result<Command, (Code, &'static str)> {
    let (game, board, who) = (name.game.clone(), name.number, visitor.credentials());
    let (action, number) = match deed.act.as_str() {
        "move" => {
            let action = Action::from_field(&deed.play);
            (action.ok_or((Code::WrongArguments, "choose a move first"))?, deed.number)
        }
        "resign" if deed.sure.is_empty() => {
            return Err((Code::BadValue, "tick the box to resign for good"));
        }
        "resign" => (Action::Resign, None),
        "propose" => (Action::Propose, None),
        "undo" => (Action::Undo, None),
        "accept" => (Action::Accept, None),
        "reject" => (Action::Reject, None),
        "chat" => return Ok(Command::Chat { game, board, who }),
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

async fn answered(web: &Web, visitor: &Visitor, name: &BoardRef, answer: &Answer, deed: &Deed) -> Response {
    let Some(failure) = &answer.failure else {
        return Redirect::to(&format!("/boards/{}/{}#board", name.game, name.number)).into_response();
    };
    let notice =
        Notice { message: failure.message.clone(), hints: hints(answer), comment: deed.comment.clone() };
    page(web, Some(visitor), name, &Look::default(), status(failure.code), &notice).await
}

/// What would have worked, without the lines that only mails need.
pub(super) fn hints(answer: &Answer) -> Vec<String> {
    match &answer.reply {
        Reply::Error(error) => error.hints.clone(),
        _ => Vec::new(),
    }
}

async fn refuse(
    web: &Web,
    visitor: &Visitor,
    name: &BoardRef,
    code: Code,
    message: &str,
    deed: &Deed,
) -> Response {
    let notice = Notice { message: message.to_owned(), hints: Vec::new(), comment: deed.comment.clone() };
    page(web, Some(visitor), name, &Look::default(), status(code), &notice).await
}
