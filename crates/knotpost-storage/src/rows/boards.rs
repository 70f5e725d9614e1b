//! Rows of boards, moves and remarks.

use sqlx::FromRow;

use knotpost_model::{BoardKey, BoardState, Millis, MoveKind, RemarkKey, RemarkKind, SeatState, UserKey};

#[derive(Clone, Debug, FromRow)]
pub struct BoardRow {
    #[sqlx(try_from = "i64")]
    pub id: BoardKey,
    pub game: String,
    pub number: i64,
    /// Canonical, without defaults.
    pub options: String,
    /// Version of the rules it is played under.
    pub rules_version: i64,
    /// 32 bytes, the source of all randomness of the game.
    pub seed: Vec<u8>,
    #[sqlx(try_from = "String")]
    pub state: BoardState,
    /// True if it counts for the ratings.
    pub rated: bool,
    /// Number of the last move.
    pub ply: i64,
    /// Position string after that move.
    pub position: String,
    /// Scores after that move.
    pub scores: String,
    /// Winning seats, comma-separated, once it is over.
    pub winners: Option<String>,
    /// Reason of its end.
    pub reason: Option<String>,
    #[sqlx(try_from = "i64")]
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
    /// Last reminder of the player to move.
    pub nagged_at: Option<i64>,
    /// Start of a pause by an administrator.
    pub paused_at: Option<i64>,
    /// Digest of its moves; `None`: not written yet.
    pub history: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct NewBoard {
    pub game: String,
    /// Canonical.
    pub options: String,
    pub rules_version: u32,
    pub seed: [u8; 32],
    /// True if it counts for the ratings.
    pub rated: bool,
    pub position: String,
    pub scores: String,
    pub at: Millis,
    pub nag_ms: Option<i64>,
    pub forfeit_ms: Option<i64>,
    pub total_ms: Option<i64>,
    /// `None` if moves follow at once.
    pub history: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct MoveRow {
    /// From 1 over all players.
    pub number: i64,
    pub seat: i64,
    #[sqlx(try_from = "String")]
    pub kind: MoveKind,
    /// Canonical.
    pub text: String,
    /// True if made by the server.
    pub auto: bool,
    #[sqlx(try_from = "i64")]
    pub at: Millis,
}

#[derive(Clone, Debug, FromRow)]
pub struct RemarkRow {
    #[sqlx(try_from = "i64")]
    pub id: RemarkKey,
    /// Number of the move it was made with; 0: the challenge.
    pub ply: i64,
    /// `None`: the sender of the challenge.
    pub userid: Option<String>,
    #[sqlx(try_from = "String")]
    pub kind: RemarkKind,
    pub text: String,
}

/// Filter within a game, or over all games.
#[derive(Clone, Debug, Default)]
pub struct BoardFilter {
    pub game: Option<String>,
    pub user: Option<UserKey>,
    /// `None`: all that are not removed.
    pub state: Option<BoardState>,
    /// Only boards with `user` to move.
    pub next: bool,
    /// Only rows after this one (paging).
    pub after: Option<BoardKey>,
}

#[derive(Clone, Debug, FromRow)]
#[expect(clippy::struct_excessive_bools, reason = "columns of one row")]
pub struct SeatRow {
    /// From 1, in turn order.
    pub seat: i64,
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    pub userid: String,
    #[sqlx(rename = "seat_state", try_from = "String")]
    pub state: SeatState,
    pub to_move: bool,
    /// A noted resignation, carried out on its turn.
    pub resign_pending: bool,
    /// End of the last vacation, possibly past.
    pub away_until: Option<i64>,
    pub is_suspended: bool,
    /// True if moves are queued.
    pub queued: bool,
}

/// Seats in turn order.
#[derive(Clone, Debug)]
pub struct SeatedBoard {
    pub board: BoardRow,
    pub seats: Vec<SeatRow>,
}

/// Moves made, and their outcome.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// State after the moves.
    pub board: &'a BoardRow,
    pub moves: &'a [&'a MoveRow],
    /// Seat to move.
    pub next: Option<i64>,
    /// True if the clock's next check has changed.
    pub is_rescheduled: bool,
}

const NO_SEAT: i64 = 0;

impl Turn<'_> {
    /// [`NO_SEAT`] if none.
    pub(crate) fn next_seat(&self) -> i64 {
        self.next.unwrap_or(NO_SEAT)
    }
}
