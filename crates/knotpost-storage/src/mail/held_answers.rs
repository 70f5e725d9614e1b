//! Replies to board mails from a foreign address, held until the player confirms them.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct HeldAnswerRow {
        pub id: i64,
        pub user_id: i64,
        pub board_id: i64,
        /// State of the board that its sender replied to, as JSON.
        pub sight: String,
        /// Text, sealed.
        pub words: Vec<u8>,
        pub until_at: Millis,
    }
}

impl ReadTx {
    pub async fn held_answer(&mut self, id: i64) -> Result<Option<HeldAnswerRow>> {
        let sql = "SELECT id, user_id, board_id, sight, words, until_at FROM held_answers WHERE id = $1";
        self.fetch_optional(sql, &[&id]).await
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
    ) -> Result<i64> {
        self.exec("DELETE FROM held_answers WHERE until_at <= $1", &[&now]).await?;
        let sql = "INSERT INTO held_answers (user_id, board_id, sight, words, until_at) \
                   VALUES ($1, $2, $3, $4, $5) RETURNING id";
        self.fetch_one(sql, &[&user, &board, &sight, &words, &until]).await
    }

    /// `false`: gone already.
    pub async fn take_held_answer(&mut self, id: i64) -> Result<bool> {
        self.any("DELETE FROM held_answers WHERE id = $1 RETURNING id", &[&id]).await
    }
}
