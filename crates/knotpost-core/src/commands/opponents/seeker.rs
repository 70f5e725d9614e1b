//! Shared by the verbs about opponents.

use knotpost_rules::AnyGame;

use crate::app::App;
use crate::boards::{ServiceError, find_game};
use crate::commands::authorize::authorize;
use crate::mailing::post::post_to_user;
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use knotpost_model::{BoardRef, Millis};
use knotpost_storage::{ReadTx, UserRow, WriteTx};

pub(in crate::commands) async fn find(
    tx: &mut ReadTx,
    app: &App,
    ready: &Ready,
    game: &str,
) -> Result<(&'static dyn AnyGame, UserRow), ServiceError> {
    let game = find_game(&app.games, game)?;
    match authorize(tx, ready).await {
        Ok(user) => Ok((game, user)),
        Err(ServiceError::Refused(refusal)) => Err(refusal.about_game(game.meta().name).into()),
        Err(error) => Err(error),
    }
}

pub(in crate::commands) async fn answer(
    tx: &mut WriteTx,
    app: &App,
    reply: Reply,
    user: &UserRow,
    boards: Vec<BoardRef>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    post_to_user(tx, app, &reply, user.id, now).await?;
    Ok(Answer { boards, ..Answer::to_registered(reply) })
}
