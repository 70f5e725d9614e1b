//! The standings of a game.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use crate::service::{Reply, view_standings};
use crate::web::Web;
use crate::web::error::Problem;

/// The blocks as the mail has them, so many lines each.
pub(super) async fn show(State(web): State<Web>, Path(game): Path<String>) -> Result<Json<Value>, Problem> {
    let reply = view_standings(&web.app, &game.to_lowercase()).await?;
    let Reply::Standings { game, tables, seeks, .. } = reply else {
        return Err(Problem::not_found("there are no standings"));
    };
    Ok(Json(json!({ "game": game, "standings": tables, "seeks": seeks })))
}
