//! Boards imported from records, and data of records beside the moves.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis};

#[derive(Clone, Debug, FromRow)]
pub struct CommentRow {
    /// Number of the move; 0: the challenge.
    pub ply: i64,
    /// `None`: the sender of the challenge.
    pub user_id: Option<i64>,
    pub text: String,
    pub at: i64,
}

impl ReadTx {
    pub async fn find_import(&mut self, digest: &str) -> Result<Option<BoardKey>, StoreError> {
        let sql = "SELECT board_id FROM imports WHERE digest = $1";
        let key: Option<i64> = on!(self, c => sqlx::query_scalar(sql).bind(digest).fetch_optional(c).await)?;
        Ok(key.map(BoardKey))
    }

    /// Tags of an imported board, as JSON.
    pub async fn imported_tags(&mut self, board: BoardKey) -> Result<Option<String>, StoreError> {
        let sql = "SELECT tags FROM imports WHERE board_id = $1";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(board.0).fetch_optional(c).await)?)
    }

    /// Finished boards of a game with this seed and number of moves that ended in the second from `second`
    /// on.
    pub async fn boards_ended_in(
        &mut self,
        game: &str,
        second: Millis,
        seed: &[u8],
        ply: i64,
    ) -> Result<Vec<BoardKey>, StoreError> {
        let sql = "SELECT id FROM boards WHERE game = $1 AND ended_at >= $2 AND ended_at < $3 AND seed = $4 AND ply = $5 \
                   AND state = 'over' ORDER BY ended_at, id";
        let keys: Vec<i64> = on!(self, c => sqlx::query_scalar(sql)
            .bind(game)
            .bind(second.0)
            .bind(second.plus(1000).0)
            .bind(seed)
            .bind(ply)
            .fetch_all(c)
            .await)?;
        Ok(keys.into_iter().map(BoardKey).collect())
    }

    /// Remarks on moves, in order; no chat.
    pub async fn comments(&mut self, board: BoardKey) -> Result<Vec<CommentRow>, StoreError> {
        let sql = "SELECT ply, user_id, text, at FROM remarks WHERE board_id = $1 AND kind = 'comment' ORDER BY ply, id";
        Ok(on!(self, c => sqlx::query_as::<_, CommentRow>(sql).bind(board.0).fetch_all(c).await)?)
    }
}

impl WriteTx {
    /// Takes a number from elsewhere if it is free, which is returned; later numbers are higher.
    pub async fn claim_board_number(&mut self, game: &str, number: u32) -> Result<bool, StoreError> {
        if self.find_board(game, number).await?.is_some() {
            return Ok(false);
        }
        let sql = "INSERT INTO board_numbers (game, next) VALUES ($1, $2) ON CONFLICT (game) DO UPDATE \
                   SET next = CASE WHEN board_numbers.next < $2 THEN $2 ELSE board_numbers.next END";
        let next = i64::from(number) + 1;
        on!(self.writing(), c => sqlx::query(sql).bind(game).bind(next).execute(c).await.map(drop))?;
        Ok(true)
    }

    /// Marks a finished board as imported from this record: never due for the clock. `tags` are unknown ones,
    /// as JSON. Fails for a record imported before.
    pub async fn insert_import(
        &mut self,
        board: BoardKey,
        digest: &str,
        tags: &str,
        now: Millis,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE boards SET due_at = NULL WHERE id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).execute(c).await.map(drop))?;
        let sql = "INSERT INTO imports (board_id, digest, tags, at) VALUES ($1, $2, $3, $4)";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(board.0)
            .bind(digest)
            .bind(tags)
            .bind(now.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }
}
