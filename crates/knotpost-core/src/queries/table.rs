//! What a board's page shows around the board: clocks, ratings, what each move earned.

use crate::app::App;
use crate::boards::time::{LastMoment, last_moment};
use crate::boards::{Board, ServiceError};
use crate::identity::Visitor;
use knotpost_model::rating::shown;
use knotpost_model::{BoardState, Millis, Zone};
use knotpost_storage::ALL_GAMES;

/// What stands around a board.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Now.
    pub now: Millis,
    /// The time zone of the visitor; UTC for strangers.
    pub zone: Zone,
    /// When the time of the player to move is up; `None`: none runs now.
    pub last_moment: Option<LastMoment>,
    /// The rating in each seat, in turn order; `None`: the player has none in this game.
    pub ratings: Vec<Option<i64>>,
    /// The points that each move won, in order; zero where a move won none.
    pub gains: Vec<u32>,
}

/// What stands around a board as this visitor sees it.
///
/// # Errors
/// When the database fails, or the stored moves do not replay.
pub async fn view_surroundings(
    app: &App,
    board: &Board,
    visitor: Option<&Visitor>,
) -> Result<Surroundings, ServiceError> {
    let (mut tx, now) = (app.store.read().await?, app.clock.now());
    let zone = match visitor {
        Some(visitor) => tx.preference(visitor.user, ALL_GAMES, "timezone").await?,
        None => None,
    };
    let zone = zone.as_deref().and_then(Zone::named).unwrap_or_else(Zone::utc);
    let is_present = board.entries.len() as i64 == board.row.ply;
    let runs = is_present && board.row.state == BoardState::Active && board.row.paused_at.is_none();
    let last_moment = if runs {
        let mut board = board.at(app, board.entries.len())?;
        board.load_pauses(&mut tx).await?;
        last_moment(&board, now)
    } else {
        None
    };
    let mut ratings = Vec::new();
    for seat in &board.seats {
        let known = tx.rating(&board.row.game, seat.user_id).await?;
        ratings.push(known.filter(|row| row.games > 0).map(|row| shown(row.rating)));
    }
    Ok(Surroundings { now, zone, last_moment, ratings, gains: board.gains() })
}
