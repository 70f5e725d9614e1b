//! Private notes of users on boards. No list and no other user's query reads them.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis, UserKey};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct BoardNoteRow {
    pub text: String,
    #[sqlx(try_from = "i64")]
    pub at: Millis,
}

impl ReadTx {
    pub async fn board_note(
        &mut self,
        user: UserKey,
        board: BoardKey,
    ) -> Result<Option<BoardNoteRow>, StoreError> {
        let sql = "SELECT text, at FROM board_notes WHERE user_id = $1 AND board_id = $2";
        Ok(
            on!(self, c => sqlx::query_as::<_, BoardNoteRow>(sql).bind(user.0).bind(board.0).fetch_optional(c).await)?,
        )
    }

    pub async fn count_board_notes(&mut self, user: UserKey) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) FROM board_notes WHERE user_id = $1";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(user.0).fetch_one(c).await)?)
    }

    /// Game and number of the board with a user's oldest note.
    pub async fn oldest_board_note(&mut self, user: UserKey) -> Result<Option<(String, i64)>, StoreError> {
        let sql = "SELECT b.game, b.number FROM board_notes n JOIN boards b ON b.id = n.board_id \
                   WHERE n.user_id = $1 ORDER BY n.at, n.board_id LIMIT 1";
        Ok(on!(self, c => sqlx::query_as(sql).bind(user.0).fetch_optional(c).await)?)
    }
}

impl WriteTx {
    pub async fn set_board_note(
        &mut self,
        user: UserKey,
        board: BoardKey,
        text: &str,
        now: Millis,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO board_notes (user_id, board_id, text, at) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (user_id, board_id) DO UPDATE SET text = excluded.text, at = excluded.at";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(user.0)
            .bind(board.0)
            .bind(text)
            .bind(now.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    pub async fn drop_board_note(&mut self, user: UserKey, board: BoardKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM board_notes WHERE user_id = $1 AND board_id = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(board.0).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn drop_notes_on(&mut self, board: BoardKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM board_notes WHERE board_id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).execute(c).await.map(drop))?;
        Ok(())
    }
}
