//! Rows of boards, moves and remarks.

use crate::connection::row;
use knotpost_model::{
    BoardKey, BoardState, Millis, MoveKind, RemarkKey, RemarkKind, SeatState, TournamentName, UserKey,
};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct BoardRow {
        pub id: BoardKey,
        pub game: String,
        pub number: i64,
        /// Canonical, without defaults.
        pub options: String,
        pub rules_version: i64,
        /// 32 bytes, the source of all randomness of the game.
        pub seed: Vec<u8>,
        pub state: BoardState,
        pub rated: bool,
        pub ply: i64,
        pub position: String,
        pub scores: String,
        /// Winning seats, comma-separated, once it is over.
        pub winners: Option<String>,
        pub reason: Option<String>,
        pub started_at: Millis,
        pub last_move_at: Option<i64>,
        pub ended_at: Option<i64>,
        /// Reminder after this long without a move; `None`: the server's default.
        pub nag_ms: Option<i64>,
        /// Loss after this long without a move; `None`: the server's default.
        pub forfeit_ms: Option<i64>,
        /// Time for all moves of one player; `None`: unlimited.
        pub total_ms: Option<i64>,
        /// Next check by the clock, possibly too early; `None`: never.
        pub due_at: Option<i64>,
        pub nagged_at: Option<i64>,
        pub paused_at: Option<i64>,
        /// Pairing of a tournament that it is played for.
        pub pairing_id: Option<i64>,
    }
}

#[derive(Clone, Debug)]
pub struct NewBoard {
    pub game: String,
    pub options: String,
    pub rules_version: u32,
    pub seed: [u8; 32],
    pub rated: bool,
    pub position: String,
    pub scores: String,
    pub at: Millis,
    pub nag_ms: Option<i64>,
    pub forfeit_ms: Option<i64>,
    pub total_ms: Option<i64>,
    /// Pairing of a tournament that it is played for.
    pub pairing: Option<i64>,
}

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MoveRow {
        pub number: i64,
        pub seat: i64,
        pub kind: MoveKind,
        pub text: String,
        pub auto: bool,
        pub at: Millis,
    }
}

row! {
    /// A remark on a board.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RemarkRow {
        pub id: RemarkKey,
        /// Number of the move it was made with; 0: the challenge.
        pub ply: i64,
        /// `None`: the sender of the challenge.
        pub userid: Option<String>,
        pub kind: RemarkKind,
        pub text: String,
    }
}

#[derive(Clone, Debug, Default)]
pub struct BoardFilter {
    pub game: Option<String>,
    pub user: Option<UserKey>,
    /// `None`: all that are not removed.
    pub state: Option<BoardState>,
    pub next: bool,
    /// Only boards of tournaments, or only others.
    pub in_tournament: Option<bool>,
    /// Only boards of this one.
    pub tournament: Option<TournamentName>,
    pub after: Option<BoardKey>,
}

row! {
    /// A seat and the user in it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SeatRow {
        /// From 1, in turn order.
        pub seat: i64,
        pub user_id: UserKey,
        pub userid: String,
        pub state: SeatState as "seat_state",
        pub to_move: bool,
        /// A noted resignation, carried out on its turn.
        pub resign_pending: bool,
        /// End of the last vacation, possibly past.
        pub away_until: Option<i64>,
        pub is_suspended: bool,
        pub queued: bool,
    }
}

/// A board and its seats, in turn order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatedBoard {
    pub board: BoardRow,
    pub seats: Vec<SeatRow>,
}

#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    pub board: &'a BoardRow,
    pub moves: &'a [&'a MoveRow],
    pub next: Option<i64>,
    /// True if the clock's next check has changed.
    pub is_rescheduled: bool,
}

const NO_SEAT: i64 = 0;

impl Turn<'_> {
    pub(crate) fn next_seat(&self) -> i64 {
        self.next.unwrap_or(NO_SEAT)
    }
}
