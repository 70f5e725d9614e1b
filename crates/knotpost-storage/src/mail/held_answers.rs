//! Replies to board mails from a foreign address, held until the player confirms them.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis, UserKey};

#[derive(Clone, Debug, FromRow)]
pub struct HeldAnswerRow {
    pub id: i64,
    pub user_id: i64,
    pub board_id: i64,
    /// State of the board that its sender replied to, as JSON.
    pub sight: String,
    /// Text, sealed.
    pub words: Vec<u8>,
    #[sqlx(try_from = "i64")]
    pub until_at: Millis,
}

impl ReadTx {
    pub async fn held_answer(&mut self, id: i64) -> Result<Option<HeldAnswerRow>, StoreError> {
        let sql = "SELECT id, user_id, board_id, sight, words, until_at FROM held_answers WHERE id = $1";
        Ok(on!(self, c => sqlx::query_as::<_, HeldAnswerRow>(sql).bind(id).fetch_optional(c).await)?)
    }
}

impl WriteTx {
    /// Stores a reply, deletes expired ones, and returns the new row's number.
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

    /// `false`: gone already.
    pub async fn take_held_answer(&mut self, id: i64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM held_answers WHERE id = $1 RETURNING id";
        let row: Option<i64> =
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(id).fetch_optional(c).await)?;
        Ok(row.is_some())
    }
}
