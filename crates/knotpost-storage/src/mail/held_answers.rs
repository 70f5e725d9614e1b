//! Replies to board mails from an address that is not the player's, until the player confirms them.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis, UserKey};

/// A reply that waits for its confirmation.
#[derive(Clone, Debug, FromRow)]
pub struct HeldAnswerRow {
    /// The row.
    pub id: i64,
    /// The player in whose name it came.
    pub user_id: i64,
    /// The board it is about.
    pub board_id: i64,
    /// The state of the board that its sender replied to, as JSON.
    pub sight: String,
    /// Its text, sealed.
    pub words: Vec<u8>,
    /// Until when it can be confirmed.
    #[sqlx(try_from = "i64")]
    pub until_at: Millis,
}

impl ReadTx {
    /// The reply in this row.
    pub async fn held_answer(&mut self, id: i64) -> Result<Option<HeldAnswerRow>, StoreError> {
        let sql = "SELECT id, user_id, board_id, sight, words, until_at FROM held_answers WHERE id = $1";
        Ok(on!(self, c => sqlx::query_as::<_, HeldAnswerRow>(sql).bind(id).fetch_optional(c).await)?)
    }
}

impl WriteTx {
    /// Stores a reply and deletes those that have expired; returns the number of the new row.
    pub async fn hold_answer(
        &mut self,
        user: UserKey,
        board: BoardKey,
        (sight, words): (&str, &[u8]),
        now: Millis,
        until: Millis,
    ) -> Result<i64, StoreError> {
        let old = "DELETE FROM held_answers WHERE until_at <= $1";
        on!(self.writing(), c => sqlx::query(old).bind(now.0).execute(c).await.map(drop))?;
        let sql = "INSERT INTO held_answers (user_id, board_id, sight, words, until_at) \
                   VALUES ($1, $2, $3, $4, $5) RETURNING id";
        Ok(on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(user.0)
            .bind(board.0)
            .bind(sight)
            .bind(words)
            .bind(until.0)
            .fetch_one(c)
            .await)?)
    }

    /// Deletes a reply before it is carried out; `false`: it is gone already.
    pub async fn take_held_answer(&mut self, id: i64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM held_answers WHERE id = $1 RETURNING id";
        let row: Option<i64> =
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(id).fetch_optional(c).await)?;
        Ok(row.is_some())
    }
}
