//! `ladder challenge`: a game with somebody above on a ladder.

use serde_json::json;

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::authorize::authorize;
use crate::commands::tournaments::name_of;
use crate::mailing::post::post_about_tournament;
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use crate::tournaments::challenge;
use knotpost_model::Millis;
use knotpost_storage::{StoreError, WriteTx};

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    (tournament, opponent): (&str, Option<&str>),
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let begun = challenge(tx, app, &user, (name_of(tournament)?, opponent), now).await?;
    let numbers: Vec<u32> = begun.boards.iter().map(|board| board.number).collect();
    let said = json!({
        "name": begun.tournament,
        "title": begun.title,
        "opponent": begun.opponent,
        "game": begun.boards.first().map(|board| &board.game),
        "numbers": numbers,
    });
    let reply = Reply::said("ladder_challenged", said);
    post_about_tournament(tx, app, &reply, (begun.tournament, user.id), now).await?;
    let object = serde_json::to_value(&begun).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    Ok(Answer { boards: begun.boards, tournament: Some(object), ..Answer::to_registered(reply) })
}
