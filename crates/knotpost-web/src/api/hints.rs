//! Hints of a computer player.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use knotpost_commands::Command;
use schemars::JsonSchema;
use serde::Serialize;

use super::boards::board_of_a_game;
use super::moves::{refused, run};
use crate::Web;
use crate::auth::Caller;
use crate::client::Client;
use crate::error::Problem;
use crate::extract::ApiPath;
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::commands::CommandResponse;
use knotpost_core::identity::Scope;
use knotpost_core::replies::{Answer, Hint, Reply};

/// A hint for the caller.
#[derive(Serialize, JsonSchema)]
pub(super) struct GivenHint<'a> {
    /// The game's name.
    game: &'a str,
    /// The number among the game's boards.
    number: u32,
    /// The hint.
    #[serde(flatten)]
    hint: &'a Hint,
}

pub(super) const HINT: Operation =
    Operation::new("show_hint", Tag::Boards, "What a computer player would do for the caller")
        .details(
            "On the caller's own turn on unrated boards. It thinks for about a second; the same position has the same answer, \
             unless `cut` says that time ended the search.",
        )
        .scope(Scope::Play)
        .gives::<GivenHint<'static>>("The hint.")
        .refuses(&[
            Code::NotAllowed,
            Code::NotAPlayer,
            Code::UnknownGame,
            Code::NoSuchBoard,
            Code::GameOver,
            Code::NotYourTurn,
            Code::Conflict,
            Code::NotSupported,
        ]);

pub(super) async fn show(
    State(web): State<Web>,
    client: Client,
    caller: Caller,
    ApiPath((game, number)): ApiPath<(String, String)>,
) -> Result<Response, Problem> {
    caller.require(Scope::Play)?;
    let name = board_of_a_game(&web, &game, &number)?;
    let command = Command::Hint { game: name.game, board: name.number, who: caller.credentials() };
    // It changes nothing: a key would only preserve an old answer.
    Ok(run(&web, client, &caller, &HeaderMap::new(), (command, ""), &[], present).await)
}

fn present(answer: &Answer) -> CommandResponse {
    if let Some(refused) = refused(answer) {
        return refused;
    }
    let given = match &answer.reply {
        Reply::Board(sheet) => sheet.hint.as_deref().zip(sheet.number).map(|(hint, number)| GivenHint {
            game: &sheet.game,
            number,
            hint,
        }),
        _ => None,
    };
    CommandResponse::json(&given)
}
