//! The games on offer.

use axum::Json;
use axum::extract::{Path, State};
use knotpost_rules::{AnyGame, OptionKind};
use serde_json::{Value, json};

use crate::service::{Code, GameCount, view_games};
use crate::web::Web;
use crate::web::error::Problem;

pub(super) async fn list(State(web): State<Web>) -> Result<Json<Value>, Problem> {
    let games: Vec<Value> = view_games(&web.app)
        .await?
        .into_iter()
        .filter_map(|count| {
            let game = web.app.game(&count.game)?;
            Some(describe(game, &count))
        })
        .collect();
    Ok(Json(json!({ "games": games })))
}

pub(super) async fn show(State(web): State<Web>, Path(name): Path<String>) -> Result<Json<Value>, Problem> {
    let missing = || Problem::new(Code::UnknownGame, format!("there is no game `{name}` here"));
    let game = web.app.game(&name.to_lowercase()).ok_or_else(missing)?;
    let counts = view_games(&web.app).await?;
    let count = counts.iter().find(|count| count.game == game.meta().name).ok_or_else(missing)?;
    Ok(Json(describe(game, count)))
}

fn describe(game: &dyn AnyGame, count: &GameCount) -> Value {
    let meta = game.meta();
    let options: Vec<Value> = meta
        .options
        .iter()
        .map(|option| {
            let kind = match option.kind {
                OptionKind::Flag => "flag",
                OptionKind::Either(..) => "either",
                OptionKind::Number { .. } => "number",
                OptionKind::Choice(_) => "choice",
                OptionKind::Text { .. } => "text",
            };
            json!({
                "name": option.name,
                "kind": kind,
                "words": option.words(),
                "usage": option.usage(),
                "default": option.default_text(),
                "help": option.help,
            })
        })
        .collect();
    json!({
        "game": meta.name,
        "title": meta.title,
        "summary": meta.summary,
        "credit": meta.credit,
        "rules_version": meta.rules_version,
        "players": { "least": meta.players.start(), "most": meta.players.end() },
        "options": options,
        "boards": { "active": count.active, "over": count.over },
    })
}
