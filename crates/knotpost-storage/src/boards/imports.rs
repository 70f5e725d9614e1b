//! Boards imported from records, and data of records beside the moves.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis};

row! {
    #[derive(Clone, Debug)]
    pub struct CommentRow {
        /// Number of the move; 0: the challenge.
        pub ply: i64,
        /// `None`: the sender of the challenge.
        pub user_id: Option<i64>,
        pub text: String,
        pub at: i64,
    }
}

impl ReadTx {
    pub async fn find_import(&mut self, digest: &str) -> Result<Option<BoardKey>> {
        self.fetch_optional("SELECT board_id FROM imports WHERE digest = $1", &[&digest]).await
    }

    /// Tags of an imported board, as JSON.
    pub async fn imported_tags(&mut self, board: BoardKey) -> Result<Option<String>> {
        self.fetch_optional("SELECT tags FROM imports WHERE board_id = $1", &[&board]).await
    }

    /// Finished boards of a game with this seed and number of moves that ended in the second from `second`
    /// on.
    pub async fn boards_ended_in(
        &mut self,
        game: &str,
        second: Millis,
        seed: &[u8],
        ply: i64,
    ) -> Result<Vec<BoardKey>> {
        let sql = "SELECT id FROM boards WHERE game = $1 AND ended_at >= $2 AND ended_at < $3 AND seed = $4 AND ply = $5 \
                   AND state = 'over' ORDER BY ended_at, id";
        self.fetch_all(sql, &[&game, &second, &second.plus(1000), &seed, &ply]).await
    }

    /// Remarks on moves, in order; no chat.
    pub async fn comments(&mut self, board: BoardKey) -> Result<Vec<CommentRow>> {
        let sql = "SELECT ply, user_id, text, at FROM remarks WHERE board_id = $1 AND kind = 'comment' ORDER BY ply, id";
        self.fetch_all(sql, &[&board]).await
    }
}

impl WriteTx {
    /// Takes a number from elsewhere if it is free, which is returned; later numbers are higher.
    pub async fn claim_board_number(&mut self, game: &str, number: u32) -> Result<bool> {
        if self.find_board(game, number).await?.is_some() {
            return Ok(false);
        }
        let sql = "INSERT INTO board_numbers (game, next) VALUES ($1, $2) ON CONFLICT (game) DO UPDATE \
                   SET next = CASE WHEN board_numbers.next < $2 THEN $2 ELSE board_numbers.next END";
        let next = i64::from(number) + 1;
        self.exec(sql, &[&game, &next]).await?;
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
    ) -> Result<()> {
        self.exec("UPDATE boards SET due_at = NULL WHERE id = $1", &[&board]).await?;
        let sql = "INSERT INTO imports (board_id, digest, tags, at) VALUES ($1, $2, $3, $4)";
        self.exec(sql, &[&board, &digest, &tags, &now]).await
    }
}
