//! `limit`: maximum number of boards that a user plays in a game.

use knotpost_commands::LimitChange;
use serde_json::json;

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::opponents::seeker::{answer, find};
use crate::play::opponents::pair;
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: &str,
    change: LimitChange,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let (game, user) = find(tx, app, ready, game).await?;
    let name = game.meta().name;
    match change {
        LimitChange::Show => {}
        LimitChange::Unlimited => tx.set_board_limit(name, user.id, None).await?,
        LimitChange::AtMost(most) => tx.set_board_limit(name, user.id, Some(i64::from(most))).await?,
    }
    let boards =
        if change == LimitChange::Show { Vec::new() } else { pair(tx, app, game, &user, now).await? };
    let facts = json!({
        "title": game.meta().title,
        "limit": tx.board_limit(name, user.id).await?,
        "active": tx.count_active_boards(name, user.id).await?,
    });
    let reply = Reply::said("limit_status", facts);
    answer(tx, app, reply, &user, boards, now).await
}
