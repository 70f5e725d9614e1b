//! What a player does on a board's page. Each button sends the command that a mail would send, with a masked password:
//! the session stands for it.

use axum::Form;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::board::{Look, Notice, board_name, page};
use crate::domain::limit_comment;
use crate::service::{Answer, Code, Origin, Proof, Reply, Request, Visitor, execute};
use crate::store::StoreError;
use crate::web::Web;
use crate::web::client::Client;
use crate::web::error::status;
use crate::web::extract::PagePath;
use crate::web::visitor::LoggedIn;

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
    line: String,
    body: &str,
) -> Result<Answer, StoreError> {
    let origin = Origin::http(client.host(), Proof::LoggedIn(visitor.proven()));
    // Browsers end lines as mails do.
    let body = limit_comment(body.replace("\r\n", "\n").trim());
    Box::pin(execute(&web.app, Request { line, body, origin, answering: None })).await
}

/// Userid and password as they stand in such a command.
pub(super) fn credentials(visitor: &Visitor) -> String {
    format!("{} {}", visitor.userid, knotpost_commands::MASK)
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
    let credentials = credentials(&visitor);
    let front = format!("{} move {} {credentials}", name.game, name.number);
    let line = match deed.act.as_str() {
        "move" if is_word(&deed.play) => {
            let number = deed.number.map_or(String::new(), |number| format!("#{number}"));
            format!("{front} {}{number}", deed.play)
        }
        "resign" if deed.sure.is_empty() => {
            return refuse(&web, &visitor, &name, Code::BadValue, "tick the box to resign for good", &deed)
                .await;
        }
        "resign" | "propose" | "undo" | "accept" | "reject" => format!("{front} {}", deed.act),
        "chat" => format!("{} chat {} {credentials}", name.game, name.number),
        "subscribe" | "unsubscribe" => format!("{} {} {credentials} {}", name.game, deed.act, name.number),
        _ => {
            return refuse(&web, &visitor, &name, Code::WrongArguments, "choose a move first", &deed).await;
        }
    };
    match command(&web, client, &visitor, line, &deed.comment).await {
        Ok(answer) => answered(&web, &visitor, &name, &answer, &deed).await,
        Err(error) => web.pages.failure(error.into()),
    }
}

/// One word that is a move and nothing else.
fn is_word(text: &str) -> bool {
    !text.is_empty()
        && !text.contains('#')
        && text.chars().all(|sign| !sign.is_whitespace() && !sign.is_control())
}

async fn answered(
    web: &Web,
    visitor: &Visitor,
    name: &crate::domain::BoardRef,
    answer: &Answer,
    deed: &Deed,
) -> Response {
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
    name: &crate::domain::BoardRef,
    code: Code,
    message: &str,
    deed: &Deed,
) -> Response {
    let notice = Notice { message: message.to_owned(), hints: Vec::new(), comment: deed.comment.clone() };
    page(web, Some(visitor), name, &Look::default(), status(code), &notice).await
}
