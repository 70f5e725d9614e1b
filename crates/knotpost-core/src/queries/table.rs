//! Data around a board on its page: clocks, ratings, the visitor's queue and note.

use crate::boards::Board;
use crate::boards::time::{LastMoment, last_moment};
use crate::identity::Visitor;
use crate::play::OwnNote;
use crate::play::preferences::KEYS;
use knotpost_model::rating::shown;
use knotpost_model::{BoardRef, BoardState, Millis, UserKey, Zone};
use knotpost_platform::clock::Clock;
use knotpost_storage::{ALL_GAMES, OwnBoardRow, QueuedMoveRow, ReadTx, StoreError};

const MOST_WAITING: i64 = 1_000;

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
    /// True if single keys do something on the page of a board, as the visitor has chosen.
    pub has_keys: bool,
    /// The visitor's other boards that wait for them.
    pub waiting: OtherWaiting,
}

/// Boards that wait for a user, except the one that they look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherWaiting {
    pub count: usize,
    /// The one that has waited longest.
    pub next: Option<BoardRef>,
}

impl OtherWaiting {
    async fn of(tx: &mut ReadTx, user: UserKey, board: &BoardRef) -> Result<Self, StoreError> {
        let rows = tx.own_boards(user, MOST_WAITING).await?;
        let is_other = |row: &&OwnBoardRow| row.game != board.game || row.number != i64::from(board.number);
        let waiting =
            || rows.iter().filter(|row| row.turn.is_some() && row.paused_at.is_none()).filter(is_other);
        let longest = waiting().min_by_key(|row| row.last_move_at.unwrap_or_default());
        let name = |row: &OwnBoardRow| {
            Some(BoardRef { game: row.game.clone(), number: u32::try_from(row.number).ok()? })
        };
        Ok(Self { count: waiting().count(), next: longest.and_then(name) })
    }
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
    clock: &dyn Clock,
    board: &mut Board,
    visitor: Option<&Visitor>,
) -> Result<Surroundings, StoreError> {
    let now = clock.now();
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
    let keys = match visitor {
        Some(visitor) => tx.preference(visitor.user, ALL_GAMES, KEYS).await?,
        None => None,
    };
    let has_keys = keys.is_none_or(|value| value != "off");
    let waiting = match visitor {
        Some(visitor) => OtherWaiting::of(tx, visitor.user, &board.name()).await?,
        None => OtherWaiting::default(),
    };
    Ok(Surroundings { now, zone, last_moment, ratings, queue, note, has_keys, waiting })
}
