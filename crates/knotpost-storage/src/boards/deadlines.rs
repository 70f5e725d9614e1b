//! Due times of boards for the clock, and uncounted periods.

use crate::connection::{At, FromRow, Result, Row, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, Period, UserKey};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DueBoard {
        pub id: BoardKey,
        pub game: String,
        pub number: i64,
    }
}

impl FromRow for Period {
    fn from_row(row: &Row, _: At) -> Result<Self, sqlx::Error> {
        Ok(Self::new(row.read("from_at")?, row.read("until_at")?))
    }
}

impl ReadTx {
    /// Longest due first.
    pub async fn due_boards(&mut self, now: Millis, limit: i64) -> Result<Vec<DueBoard>> {
        let sql = "SELECT id, game, number FROM boards WHERE due_at IS NOT NULL AND due_at <= $1 \
                   ORDER BY due_at LIMIT $2";
        self.fetch_all(sql, &[&now, &limit]).await
    }

    /// Periods that count against no player of this board.
    pub async fn board_pauses(&mut self, board: BoardKey) -> Result<Vec<Period>> {
        let sql = "SELECT from_at, until_at FROM board_pauses WHERE board_id = $1 ORDER BY from_at";
        self.fetch_all(sql, &[&board]).await
    }

    pub async fn outages(&mut self, since: Millis) -> Result<Vec<Period>> {
        let sql = "SELECT from_at, until_at FROM outages WHERE until_at > $1 ORDER BY from_at";
        self.fetch_all(sql, &[&since]).await
    }
}

impl WriteTx {
    /// `None`: never due.
    pub async fn set_due(
        &mut self,
        board: BoardKey,
        due: Option<Millis>,
        nagged: Option<Millis>,
    ) -> Result<()> {
        let sql = "UPDATE boards SET due_at = $2, nagged_at = $3 WHERE id = $1";
        self.exec(sql, &[&board, &due, &nagged]).await
    }

    /// `None`: resumes. A paused board is never due for the clock.
    pub async fn set_paused(&mut self, board: BoardKey, paused: Option<Millis>) -> Result<()> {
        self.exec("UPDATE boards SET paused_at = $2, due_at = NULL WHERE id = $1", &[&board, &paused]).await
    }

    /// Postpones a board that the clock failed to process.
    pub async fn put_off(&mut self, board: BoardKey, due: Millis) -> Result<()> {
        self.exec("UPDATE boards SET due_at = $2 WHERE id = $1 AND due_at IS NOT NULL", &[&board, &due]).await
    }

    /// Makes boards due that wait for this user or hold an offer.
    pub async fn make_due(&mut self, user: UserKey, now: Millis) -> Result<()> {
        let sql = "UPDATE boards SET due_at = $2 WHERE due_at IS NOT NULL AND state = 'active' \
                   AND id IN (SELECT p.board_id FROM boards_in_play p JOIN seats s ON s.user_id = p.user_id \
                   AND s.board_id = p.board_id WHERE p.user_id = $1 AND (s.to_move \
                   OR EXISTS (SELECT 1 FROM proposals o WHERE o.board_id = p.board_id)))";
        self.exec(sql, &[&user, &now]).await
    }

    /// Makes every active board due: the clock went back.
    pub async fn make_all_due(&mut self, now: Millis) -> Result<()> {
        self.exec("UPDATE boards SET due_at = $1 WHERE due_at IS NOT NULL AND due_at > $1", &[&now]).await
    }

    pub async fn insert_board_pause(&mut self, board: BoardKey, pause: Period) -> Result<()> {
        let sql = "INSERT INTO board_pauses (board_id, from_at, until_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (board_id, from_at) DO UPDATE SET until_at = $3";
        self.exec(sql, &[&board, &pause.from, &pause.until]).await
    }
}
