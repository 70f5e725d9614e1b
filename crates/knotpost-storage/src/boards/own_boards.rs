//! How the boards of a user stand, in few columns: a page that follows them asks this again and again.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::ReadTx;
use knotpost_model::UserKey;

/// A board as it stands for one of its players.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct OwnBoardRow {
    /// The game's name.
    pub game: String,
    /// The number among the game's boards.
    pub number: i64,
    /// How many moves the board has.
    pub ply: i64,
    /// When it last changed.
    pub last_move_at: Option<i64>,
    /// Since when it is paused.
    pub paused_at: Option<i64>,
    /// The seat of the user that is to move.
    pub turn: Option<i64>,
}

impl ReadTx {
    /// The boards that a user plays now, at most `limit`, by age.
    pub async fn own_boards(&mut self, user: UserKey, limit: i64) -> Result<Vec<OwnBoardRow>, StoreError> {
        let sql = "SELECT b.game, b.number, b.ply, b.last_move_at, b.paused_at, \
                   (SELECT MIN(s.seat) FROM seats s WHERE s.board_id = b.id AND s.user_id = $1 AND s.to_move) AS turn \
                   FROM boards_in_play i JOIN boards b ON b.id = i.board_id WHERE i.user_id = $1 ORDER BY b.id LIMIT $2";
        Ok(on!(self, c => sqlx::query_as::<_, OwnBoardRow>(sql).bind(user.0).bind(limit).fetch_all(c).await)?)
    }
}
