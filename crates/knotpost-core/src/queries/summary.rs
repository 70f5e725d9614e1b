//! Stored facts of a board, for pages, lists and feeds.

use crate::boards::Board;
use knotpost_model::{BoardState, Millis, SeatState};
use knotpost_storage::{BoardRow, SeatRow};

#[derive(Clone, Debug)]
pub struct BoardSummary {
    pub game: String,
    pub number: i64,
    pub options: String,
    pub rules_version: i64,
    pub state: BoardState,
    pub rated: bool,
    pub last_ply: i64,
    pub started: Millis,
    /// `None`: no move yet.
    pub last_moved: Option<Millis>,
    pub ended: Option<Millis>,
    pub paused: Option<Millis>,
    /// Latest time of the next check by the clock.
    pub due: Option<Millis>,
    /// Last reminder of the player to move.
    pub reminded: Option<Millis>,
    /// In turn order.
    pub seats: Vec<SeatSummary>,
}

#[derive(Clone, Debug)]
pub struct SeatSummary {
    pub seat: i64,
    pub userid: String,
    pub state: SeatState,
    pub to_move: bool,
    pub resigns_on_turn: bool,
    /// End of the player's last vacation, possibly past.
    pub away_until: Option<Millis>,
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

    /// Facts of a loaded board. At an earlier ply only the seating is of that time.
    pub(crate) fn of_board(board: &Board) -> Self {
        Self::of_rows(board.row.clone(), board.seats.clone())
    }

    pub fn is_alone(&self) -> bool {
        let mut players = self.players();
        let first = players.next();
        players.all(|player| Some(player) == first)
    }

    /// Time of the last move, or else of the start.
    pub fn waits_since(&self) -> Millis {
        self.last_moved.unwrap_or(self.started)
    }

    pub fn players(&self) -> impl Iterator<Item = &str> {
        self.seats.iter().map(|seat| seat.userid.as_str())
    }

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

#[derive(Clone, Copy, Debug)]
pub struct MoveLine<'a> {
    pub number: i64,
    pub seat: i64,
    pub userid: &'a str,
    pub text: &'a str,
    /// True if made by the server.
    pub auto: bool,
    pub at: Millis,
}

pub fn list_moves(board: &Board) -> impl Iterator<Item = MoveLine<'_>> {
    (0..board.entries.len()).filter_map(|index| move_at(board, index))
}

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
