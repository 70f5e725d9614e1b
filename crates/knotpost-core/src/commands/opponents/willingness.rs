//! `accept` and `reject`: consent to challenges in a game.

use serde_json::json;

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::opponents::seeker::{answer, find};
use crate::play::opponents::pair;
use crate::ratings::board_ratings;
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Willingness {
    Accept,
    Reject,
}

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: &str,
    willingness: Willingness,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let (game, user) = find(tx, app, ready, game).await?;
    let (name, accepts) = (game.meta().name, willingness == Willingness::Accept);
    tx.set_accepts(name, user.id, accepts).await?;
    board_ratings::review_activity(tx, name, user.id, now).await?;
    let boards = pair(tx, app, game, &user, now).await?;
    let seeking = tx.seek(name, user.id).await?.map_or(0, |seek| seek.wanted);
    let facts = json!({ "title": game.meta().title, "accepts": accepts, "seeking": seeking });
    let reply = Reply::said("challenge_status", facts);
    answer(tx, app, reply, &user, boards, now).await
}
