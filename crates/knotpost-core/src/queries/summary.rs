//! The stored facts of a board, for pages, lists and feeds.

use crate::boards::Board;
use knotpost_model::{BoardState, Millis, SeatState};
use knotpost_storage::{BoardRow, SeatRow};

/// What lists and pages show of a board besides its position.
#[derive(Clone, Debug)]
pub struct BoardSummary {
    /// The game's name.
    pub game: String,
    /// The number among the game's boards.
    pub number: i64,
    /// The options, those with their default value left out.
    pub options: String,
    /// The version of the rules it is played under.
    pub rules_version: i64,
    /// Active, over or removed.
    pub state: BoardState,
    /// Whether its result counts for the ratings.
    pub rated: bool,
    /// The number of the last move.
    pub last_ply: i64,
    /// When it began.
    pub started: Millis,
    /// When the last move was made; `None`: there is no move yet.
    pub last_moved: Option<Millis>,
    pub ended: Option<Millis>,
    /// Since when its clock is stopped.
    pub paused: Option<Millis>,
    /// When the clock checks it next, at the latest.
    pub due: Option<Millis>,
    /// When the player to move was last reminded.
    pub reminded: Option<Millis>,
    /// Its seats in turn order.
    pub seats: Vec<SeatSummary>,
}

/// A seat of a board and its player.
#[derive(Clone, Debug)]
pub struct SeatSummary {
    /// From 1, in turn order.
    pub seat: i64,
    /// The player in this seat.
    pub userid: String,
    /// Whether it still plays.
    pub state: SeatState,
    /// Whether it is its turn.
    pub to_move: bool,
    /// Whether it resigns on its next turn.
    pub resigns_on_turn: bool,
    /// When the player's last vacation ends or ended.
    pub away_until: Option<Millis>,
    /// Whether moves wait for its turn.
    pub has_queued: bool,
}

impl BoardSummary {
    pub(crate) fn of_rows(row: BoardRow, seats: Vec<SeatRow>) -> Self {
        Self {
            game: row.game,
            number: row.number,
            options: row.options,
            rules_version: row.rules_version,
            state: row.state,
            rated: row.rated,
            last_ply: row.ply,
            started: row.started_at,
            last_moved: row.last_move_at.map(Millis),
            ended: row.ended_at.map(Millis),
            paused: row.paused_at.map(Millis),
            due: row.due_at.map(Millis),
            reminded: row.nagged_at.map(Millis),
            seats: seats.into_iter().map(SeatSummary::of_row).collect(),
        }
    }

    /// The stored facts of a loaded board. Where `board` is at an earlier move, the players sit as they did then; all else is
    /// as it is now.
    pub(crate) fn of_board(board: &Board) -> Self {
        Self::of_rows(board.row.clone(), board.seats.clone())
    }

    /// Whether one user plays all seats.
    pub fn is_alone(&self) -> bool {
        let mut players = self.players();
        let first = players.next();
        players.all(|player| Some(player) == first)
    }

    /// Since when the player to move has been waited for: since the last move, or since the start.
    pub fn waits_since(&self) -> Millis {
        self.last_moved.unwrap_or(self.started)
    }

    /// The userids of the players in turn order.
    pub fn players(&self) -> impl Iterator<Item = &str> {
        self.seats.iter().map(|seat| seat.userid.as_str())
    }

    /// The userids of the players to move.
    pub fn to_move(&self) -> impl Iterator<Item = &str> {
        self.seats.iter().filter(|seat| seat.to_move).map(|seat| seat.userid.as_str())
    }
}

impl SeatSummary {
    fn of_row(row: SeatRow) -> Self {
        Self {
            seat: row.seat,
            userid: row.userid,
            state: row.state,
            to_move: row.to_move,
            resigns_on_turn: row.resign_pending,
            away_until: row.away_until.map(Millis),
            has_queued: row.queued,
        }
    }
}

/// A move of a board as lists show it.
#[derive(Clone, Copy, Debug)]
pub struct MoveLine<'a> {
    pub number: i64,
    /// The seat that made it.
    pub seat: i64,
    /// The player who made it.
    pub userid: &'a str,
    /// The move as the list of moves spells it.
    pub text: &'a str,
    /// Whether the server made it for the player.
    pub auto: bool,
    /// When it was made.
    pub at: Millis,
}

/// The moves up to the position of `board`, in order.
pub fn list_moves(board: &Board) -> impl Iterator<Item = MoveLine<'_>> {
    (0..board.entries.len()).filter_map(|index| move_at(board, index))
}

/// The last move before the position of `board`; `None` at the start.
pub fn last_move(board: &Board) -> Option<MoveLine<'_>> {
    move_at(board, board.entries.len().checked_sub(1)?)
}

fn move_at(board: &Board, index: usize) -> Option<MoveLine<'_>> {
    let entry = board.entries.get(index)?;
    Some(MoveLine {
        number: entry.row.number,
        seat: entry.row.seat,
        userid: board.userid_at(board.present_seat(index)),
        text: &entry.text,
        auto: entry.row.auto,
        at: entry.row.at,
    })
}
