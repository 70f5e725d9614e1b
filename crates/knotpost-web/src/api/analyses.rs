//! Analyses of finished games by a computer player.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use knotpost_commands::Command;
use knotpost_model::BoardState;
use schemars::JsonSchema;
use serde::Serialize;

use super::boards::find;
use crate::Web;
use crate::auth::{Caller, missing_credentials};
use crate::client::Client;
use crate::error::Problem;
use crate::extract::{ApiPath, board_name};
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::commands::execute;
use knotpost_core::identity::Origin;
use knotpost_core::queries::view_analysis;
use knotpost_core::replies::Analysis;
use knotpost_core::requests::Request;

/// The analysis of a board.
#[derive(Serialize, JsonSchema)]
pub(super) struct BoardAnalysis {
    /// The game's name.
    game: String,
    /// The number among the game's boards.
    number: u32,
    /// The analysis.
    #[serde(flatten)]
    analysis: Analysis,
}

pub(super) const ANALYSIS: Operation =
    Operation::new("show_analysis", Tag::Boards, "Who was ahead after each move of a finished board")
        .details("A computer player looks at every position. The first time this takes up to fifteen seconds and is for users; it is kept for a while, and everybody may read it.")
        .gives::<BoardAnalysis>("The analysis.")
        .refuses(&[Code::BadCredentials, Code::UnknownGame, Code::NoSuchBoard, Code::Conflict, Code::NotSupported]);

pub(super) async fn show(
    State(web): State<Web>,
    client: Client,
    caller: Option<Caller>,
    ApiPath((game, number)): ApiPath<(String, String)>,
) -> Result<Response, Problem> {
    let name = board_name(&game, &number)?;
    let view = find(&web, &game, &number, None).await?;
    if view.summary.state != BoardState::Over {
        let text = "an analysis is for finished boards, and this one is not over";
        return Err(Problem::new(Code::Conflict, text));
    }
    if view_analysis(&web.app.thinking, &view.board).is_none() {
        let Some(caller) = caller else { return Ok(missing_credentials()) };
        let command = Command::Analyse { game: name.game.clone(), board: name.number };
        let origin = Origin::http(client.host(), caller.proof());
        let asked = Request::typed(Ok(command), String::new(), origin);
        if let Some(failure) = Box::pin(execute(&web.app, asked)).await?.failure {
            return Err(Problem::new(failure.code, failure.message).retry_after(failure.retry_after));
        }
    }
    let analysis = view_analysis(&web.app.thinking, &view.board)
        .ok_or_else(|| Problem::new(Code::Unavailable, "the analysis cannot be shown at the moment"))?;
    Ok(Json(BoardAnalysis { game: name.game, number: name.number, analysis }).into_response())
}
