//! The standings of a game.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Web;
use crate::error::Problem;
use crate::extract::ApiPath;
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::commands::view_standings;
use knotpost_core::replies::{Reply, SeekLine, StandingsTable};

/// The standings of a game.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names that programs read")]
pub(super) struct Standings {
    /// The game's name.
    game: String,
    /// The players, in the blocks of the mail.
    standings: Vec<StandingsTable>,
    /// The players who seek opponents.
    seeks: Vec<SeekLine>,
}

pub(super) const SHOW: Operation =
    Operation::new("show_standings", Tag::Games, "The standings of a game, and who looks for opponents")
        .gives::<Standings>("The standings.")
        .refuses(&[Code::UnknownGame]);

pub(super) async fn show(
    State(web): State<Web>,
    ApiPath(game): ApiPath<String>,
) -> Result<Json<Standings>, Problem> {
    let reply = view_standings(&web.app, &game.to_lowercase()).await?;
    let Reply::Standings { game, tables, seeks, .. } = reply else {
        return Err(Problem::not_found("there are no standings"));
    };
    Ok(Json(Standings { game, standings: tables, seeks }))
}
