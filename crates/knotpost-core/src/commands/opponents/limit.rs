//! `limit`: maximum number of boards that a user plays in a game.

use knotpost_commands::LimitChange;
use serde::Serialize;

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::opponents::seeker::{answer, find};
use crate::play::opponents::pair;
use crate::replies::{Answer, Content, Reply};
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

#[derive(Debug, Serialize)]
struct LimitStatus {
    title: String,
    limit: Option<i64>,
    active: i64,
}

impl Content for LimitStatus {
    const TEMPLATE: &'static str = "limit_status";
}

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
    let reply = Reply::from(LimitStatus {
        title: game.meta().title.to_owned(),
        limit: tx.board_limit(name, user.id).await?,
        active: tx.count_active_boards(name, user.id).await?,
    });
    answer(tx, app, reply, &user, boards, now).await
}
