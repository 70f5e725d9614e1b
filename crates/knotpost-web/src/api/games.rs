//! The games on offer.

use axum::Json;
use axum::extract::State;
use knotpost_rules::AnyGame;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Web;
use crate::error::Problem;
use crate::extract::ApiPath;
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::queries::{GameView, view_games};
use knotpost_core::replies::GameCount;

/// The games on offer.
#[derive(Serialize, JsonSchema)]
pub(super) struct Games {
    /// In the order of the start page.
    games: Vec<Game>,
}

/// A game.
#[derive(Serialize, JsonSchema)]
pub(super) struct Game {
    #[serde(flatten)]
    game: GameView,
    /// Numbers of its boards.
    boards: BoardCounts,
}

/// Numbers of the boards of a game.
#[derive(Serialize, JsonSchema)]
struct BoardCounts {
    /// Being played.
    active: i64,
    /// Finished.
    over: i64,
}

pub(super) const LIST: Operation =
    Operation::new("list_games", Tag::Games, "The games on offer").gives::<Games>("The games.");

pub(super) async fn list(State(web): State<Web>) -> Result<Json<Games>, Problem> {
    let counts = view_games(&web.app.store, web.app.games.registry).await?;
    let games =
        counts.iter().filter_map(|count| Some(describe(web.app.games.find_offered(&count.game)?, count)));
    Ok(Json(Games { games: games.collect() }))
}

pub(super) const SHOW: Operation =
    Operation::new("show_game", Tag::Games, "A game, its options and its boards")
        .gives::<Game>("The game.")
        .refuses(&[Code::UnknownGame]);

pub(super) async fn show(
    State(web): State<Web>,
    ApiPath(name): ApiPath<String>,
) -> Result<Json<Game>, Problem> {
    let missing = || Problem::new(Code::UnknownGame, format!("there is no game `{name}` here"));
    let game = web.app.games.find(&name.to_lowercase()).ok_or_else(missing)?;
    let counts = view_games(&web.app.store, web.app.games.registry).await?;
    let count = counts.iter().find(|count| count.game == game.meta().name).ok_or_else(missing)?;
    Ok(Json(describe(game, count)))
}

fn describe(game: &dyn AnyGame, count: &GameCount) -> Game {
    Game { game: game.meta().into(), boards: BoardCounts { active: count.active, over: count.over } }
}
