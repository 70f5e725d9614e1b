//! Data around a board on its page: clocks, ratings, the visitor's queue and note.

use crate::app::App;
use crate::boards::Board;
use crate::boards::time::{LastMoment, last_moment};
use crate::identity::Visitor;
use crate::play::OwnNote;
use knotpost_model::rating::shown;
use knotpost_model::{BoardState, Millis, Zone};
use knotpost_storage::{ALL_GAMES, QueuedMoveRow, ReadTx, StoreError};

#[derive(Clone, Debug)]
pub struct Surroundings {
    pub now: Millis,
    pub zone: Zone,
    /// Timeout of the player to move; `None`: no clock runs.
    pub last_moment: Option<LastMoment>,
    pub ratings: Vec<Option<i64>>,
    /// The visitor's queue, in order; empty if they play several seats.
    pub queue: Vec<QueuedAnswer>,
    pub note: OwnNote,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedAnswer {
    /// Move of another player that it answers; `None`: any.
    pub reply: Option<String>,
    pub play: String,
    pub number: Option<i64>,
}

pub(super) async fn look_around(
    tx: &mut ReadTx,
    app: &App,
    board: &mut Board,
    visitor: Option<&Visitor>,
) -> Result<Surroundings, StoreError> {
    let now = app.clock.now();
    let zone = match visitor {
        Some(visitor) => tx.preference(visitor.user, ALL_GAMES, "timezone").await?,
        None => None,
    };
    let zone = zone.as_deref().and_then(Zone::named).unwrap_or_else(Zone::utc);
    let is_present = board.entries.len() as i64 == board.row.ply;
    let runs = is_present && board.row.state == BoardState::Active && board.row.paused_at.is_none();
    let last_moment = if runs {
        board.load_pauses(tx).await?;
        last_moment(board, now)
    } else {
        None
    };
    let mut ratings = Vec::new();
    for seat in &board.seats {
        let known = tx.rating(&board.row.game, seat.user_id).await?;
        ratings.push(known.filter(|row| row.games > 0).map(|row| shown(row.rating)));
    }
    let own: Vec<_> =
        board.seats.iter().filter(|row| visitor.is_some_and(|one| one.user == row.user_id)).collect();
    let queue = match own.as_slice() {
        [own] if is_present && own.queued => tx.queued_moves(board.row.id, own.seat).await?,
        _ => Vec::new(),
    };
    let answer =
        |row: QueuedMoveRow| QueuedAnswer { reply: row.condition, play: row.text, number: row.number };
    let queue = queue.into_iter().map(answer).collect();
    let note = match visitor {
        Some(visitor) => tx.board_note(visitor.user, board.row.id).await?.into(),
        None => OwnNote::default(),
    };
    Ok(Surroundings { now, zone, last_moment, ratings, queue, note })
}
