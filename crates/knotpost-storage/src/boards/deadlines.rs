//! Due times of boards for the clock, and uncounted periods.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis, Period, UserKey};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct DueBoard {
    #[sqlx(try_from = "i64")]
    pub id: BoardKey,
    pub game: String,
    pub number: i64,
}

fn period((from, until): (i64, i64)) -> Period {
    Period::new(Millis(from), Millis(until))
}

impl ReadTx {
    /// Longest due first.
    pub async fn due_boards(&mut self, now: Millis, limit: i64) -> Result<Vec<DueBoard>, StoreError> {
        let sql = "SELECT id, game, number FROM boards WHERE due_at IS NOT NULL AND due_at <= $1 \
                   ORDER BY due_at LIMIT $2";
        Ok(on!(self, c => sqlx::query_as::<_, DueBoard>(sql).bind(now.0).bind(limit).fetch_all(c).await)?)
    }

    /// Periods that count against no player of this board.
    pub async fn board_pauses(&mut self, board: BoardKey) -> Result<Vec<Period>, StoreError> {
        let sql = "SELECT from_at, until_at FROM board_pauses WHERE board_id = $1 ORDER BY from_at";
        let rows: Vec<(i64, i64)> = on!(self, c => sqlx::query_as(sql).bind(board.0).fetch_all(c).await)?;
        Ok(rows.into_iter().map(period).collect())
    }

    pub async fn outages(&mut self, since: Millis) -> Result<Vec<Period>, StoreError> {
        let sql = "SELECT from_at, until_at FROM outages WHERE until_at > $1 ORDER BY from_at";
        let rows: Vec<(i64, i64)> = on!(self, c => sqlx::query_as(sql).bind(since.0).fetch_all(c).await)?;
        Ok(rows.into_iter().map(period).collect())
    }
}

impl WriteTx {
    /// `None`: never due.
    pub async fn set_due(
        &mut self,
        board: BoardKey,
        due: Option<Millis>,
        nagged: Option<Millis>,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE boards SET due_at = $2, nagged_at = $3 WHERE id = $1";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(board.0)
            .bind(due.map(|at| at.0))
            .bind(nagged.map(|at| at.0))
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// `None`: resumes. A paused board is never due for the clock.
    pub async fn set_paused(&mut self, board: BoardKey, paused: Option<Millis>) -> Result<(), StoreError> {
        let sql = "UPDATE boards SET paused_at = $2, due_at = NULL WHERE id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(paused.map(|at| at.0)).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Postpones a board that the clock failed to process.
    pub async fn put_off(&mut self, board: BoardKey, due: Millis) -> Result<(), StoreError> {
        let sql = "UPDATE boards SET due_at = $2 WHERE id = $1 AND due_at IS NOT NULL";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(due.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Makes boards due that wait for this user or hold an offer.
    pub async fn make_due(&mut self, user: UserKey, now: Millis) -> Result<(), StoreError> {
        let sql = "UPDATE boards SET due_at = $2 WHERE due_at IS NOT NULL AND state = 'active' \
                   AND id IN (SELECT p.board_id FROM boards_in_play p JOIN seats s ON s.user_id = p.user_id \
                   AND s.board_id = p.board_id WHERE p.user_id = $1 AND (s.to_move \
                   OR EXISTS (SELECT 1 FROM proposals o WHERE o.board_id = p.board_id)))";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Makes every active board due: the clock went back.
    pub async fn make_all_due(&mut self, now: Millis) -> Result<(), StoreError> {
        let sql = "UPDATE boards SET due_at = $1 WHERE due_at IS NOT NULL AND due_at > $1";
        on!(self.writing(), c => sqlx::query(sql).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn insert_board_pause(&mut self, board: BoardKey, pause: Period) -> Result<(), StoreError> {
        let sql = "INSERT INTO board_pauses (board_id, from_at, until_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (board_id, from_at) DO UPDATE SET until_at = $3";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(board.0)
            .bind(pause.from.0)
            .bind(pause.until.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }
}
