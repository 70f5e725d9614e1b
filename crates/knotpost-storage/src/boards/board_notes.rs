//! Private notes of users on boards. No list and no other user's query reads them.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, UserKey};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct BoardNoteRow {
        pub text: String,
        pub at: Millis,
    }
}

impl ReadTx {
    pub async fn board_note(&mut self, user: UserKey, board: BoardKey) -> Result<Option<BoardNoteRow>> {
        let sql = "SELECT text, at FROM board_notes WHERE user_id = $1 AND board_id = $2";
        self.fetch_optional(sql, &[&user, &board]).await
    }

    pub async fn count_board_notes(&mut self, user: UserKey) -> Result<i64> {
        self.fetch_one("SELECT COUNT(*) FROM board_notes WHERE user_id = $1", &[&user]).await
    }

    /// Game and number of the board with a user's oldest note.
    pub async fn oldest_board_note(&mut self, user: UserKey) -> Result<Option<(String, i64)>> {
        let sql = "SELECT b.game, b.number FROM board_notes n JOIN boards b ON b.id = n.board_id \
                   WHERE n.user_id = $1 ORDER BY n.at, n.board_id LIMIT 1";
        self.fetch_optional(sql, &[&user]).await
    }
}

impl WriteTx {
    pub async fn set_board_note(
        &mut self,
        user: UserKey,
        board: BoardKey,
        text: &str,
        now: Millis,
    ) -> Result<()> {
        let sql = "INSERT INTO board_notes (user_id, board_id, text, at) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (user_id, board_id) DO UPDATE SET text = excluded.text, at = excluded.at";
        self.exec(sql, &[&user, &board, &text, &now]).await
    }

    pub async fn drop_board_note(&mut self, user: UserKey, board: BoardKey) -> Result<()> {
        self.exec("DELETE FROM board_notes WHERE user_id = $1 AND board_id = $2", &[&user, &board]).await
    }

    pub async fn drop_notes_on(&mut self, board: BoardKey) -> Result<()> {
        self.exec("DELETE FROM board_notes WHERE board_id = $1", &[&board]).await
    }
}
