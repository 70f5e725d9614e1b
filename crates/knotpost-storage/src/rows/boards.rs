//! Boards, moves and remarks as they are stored.

use sqlx::FromRow;

use knotpost_model::{BoardKey, BoardState, Millis, MoveKind, RemarkKey, RemarkKind, SeatState, UserKey};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct BoardRow {
    /// The row.
    #[sqlx(try_from = "i64")]
    pub id: BoardKey,
    /// The game's name.
    pub game: String,
    /// The number among the game's boards.
    pub number: i64,
    /// The options, canonical, defaults left out.
    pub options: String,
    /// The version of the rules it is played under.
    pub rules_version: i64,
    /// The 32 bytes that all randomness of the game is derived from.
    pub seed: Vec<u8>,
    /// Where it stands.
    #[sqlx(try_from = "String")]
    pub state: BoardState,
    /// Whether the result counts.
    pub rated: bool,
    /// The number of the last move.
    pub ply: i64,
    /// The position string after that move.
    pub position: String,
    /// The scores after that move.
    pub scores: String,
    /// The winning seats, comma-separated, once it is over.
    pub winners: Option<String>,
    /// Why it ended.
    pub reason: Option<String>,
    /// When it began.
    #[sqlx(try_from = "i64")]
    pub started_at: Millis,
    /// When the last move was made.
    pub last_move_at: Option<i64>,
    pub ended_at: Option<i64>,
    /// Reminder after this long without a move; `None`: the server's default.
    pub nag_ms: Option<i64>,
    /// Loss after this long without a move; `None`: the server's default.
    pub forfeit_ms: Option<i64>,
    /// Time for all moves of one player; `None`: unlimited.
    pub total_ms: Option<i64>,
    /// When the clock must look at it, or earlier; `None`: never.
    pub due_at: Option<i64>,
    /// When the player to move was reminded last.
    pub nagged_at: Option<i64>,
    /// When an administrator paused it; `None`: it is not paused.
    pub paused_at: Option<i64>,
}

/// A board to be stored.
#[derive(Clone, Debug)]
pub struct NewBoard {
    /// The game's name.
    pub game: String,
    /// The options, canonical.
    pub options: String,
    pub rules_version: u32,
    /// The 32 random bytes.
    pub seed: [u8; 32],
    /// Whether the result counts.
    pub rated: bool,
    /// The first position.
    pub position: String,
    /// The first scores.
    pub scores: String,
    /// When it begins.
    pub at: Millis,
    /// See [`BoardRow::nag_ms`].
    pub nag_ms: Option<i64>,
    /// See [`BoardRow::forfeit_ms`].
    pub forfeit_ms: Option<i64>,
    /// See [`BoardRow::total_ms`].
    pub total_ms: Option<i64>,
}

/// A move of a board's list.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct MoveRow {
    /// Counting from 1 over all players.
    pub number: i64,
    /// The seat that made it.
    pub seat: i64,
    /// What kind of entry it is.
    #[sqlx(try_from = "String")]
    pub kind: MoveKind,
    /// The canonical move.
    pub text: String,
    /// Made by the server.
    pub auto: bool,
    #[sqlx(try_from = "i64")]
    pub at: Millis,
}

/// A remark on a board.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct RemarkRow {
    /// The row.
    #[sqlx(try_from = "i64")]
    pub id: RemarkKey,
    /// Made with this move; 0: with the challenge.
    pub ply: i64,
    /// Its author; `None`: the sender of the challenge.
    pub userid: Option<String>,
    /// How it was made.
    #[sqlx(try_from = "String")]
    pub kind: RemarkKind,
    /// The words.
    pub text: String,
}

/// A filter for boards of a game, or of all games.
#[derive(Clone, Debug, Default)]
pub struct BoardFilter {
    /// Only this game.
    pub game: Option<String>,
    /// Only boards this user plays on.
    pub user: Option<UserKey>,
    /// Only boards in this state; otherwise all that are not removed.
    pub state: Option<BoardState>,
    /// Only boards where it is the turn of `user`.
    pub next: bool,
    /// Only rows after this one.
    pub after: Option<BoardKey>,
}

/// A seat and the user in it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
#[expect(clippy::struct_excessive_bools, reason = "columns of one row")]
pub struct SeatRow {
    /// From 1, in turn order.
    pub seat: i64,
    /// The user in the seat.
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    /// Their name.
    pub userid: String,
    /// Whether it still plays.
    #[sqlx(rename = "seat_state", try_from = "String")]
    pub state: SeatState,
    /// Whether it is its turn.
    pub to_move: bool,
    /// Resigned out of turn: happens when its turn comes.
    pub resign_pending: bool,
    /// When their last vacation ends or ended.
    pub away_until: Option<i64>,
    /// The user's account is suspended.
    pub is_suspended: bool,
    /// Moves wait for its turn.
    pub queued: bool,
}

/// A board and its seats, in turn order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatedBoard {
    pub board: BoardRow,
    pub seats: Vec<SeatRow>,
}

/// Moves that were made, and what they led to.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// Where the board stands now.
    pub board: &'a BoardRow,
    pub moves: &'a [&'a MoveRow],
    /// Which seat is to move; `None`: none is.
    pub next: Option<i64>,
    /// Whether the clock must look at the board at another time than before.
    pub is_rescheduled: bool,
}

/// No seat has this number.
const NO_SEAT: i64 = 0;

impl Turn<'_> {
    /// The number of the seat that is next, or one that no seat has.
    pub(crate) fn next_seat(&self) -> i64 {
        self.next.unwrap_or(NO_SEAT)
    }
}
