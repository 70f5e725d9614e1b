//! History for recomputing ratings, and corrections.

use super::current::{RatingChange, RatingRow, select_rating};
use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, Pool, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct RatedBoardRow {
        pub board: BoardKey,
        pub number: i64,
        /// Comma-separated.
        pub winners: String,
        pub ended_at: Millis,
        pub seat: i64,
        pub user_id: UserKey,
    }
}

impl ReadTx {
    /// Seats of at most `limit` finished rated boards after `after`, by board and seat.
    pub async fn rated_boards(
        &mut self,
        game: &str,
        after: BoardKey,
        limit: i64,
    ) -> Result<Vec<RatedBoardRow>> {
        let sql = "SELECT b.id AS board, b.number, b.winners, b.ended_at, s.seat, s.user_id FROM \
                   (SELECT id, number, winners, ended_at FROM boards WHERE game = $1 AND state = 'over' AND rated \
                    AND id > $2 AND winners IS NOT NULL AND ended_at IS NOT NULL ORDER BY id LIMIT $3) b \
                   JOIN seats s ON s.board_id = b.id ORDER BY b.id, s.seat";
        self.fetch_all(sql, &[&game, &after, &limit]).await
    }

    /// In order.
    pub async fn all_rating_changes(&mut self, game: &str) -> Result<Vec<RatingChange>> {
        let sql = "SELECT board_id, user_id, place, before, after, active, at FROM rating_changes \
                   WHERE game = $1 ORDER BY place, board_id, user_id";
        self.fetch_all(sql, &[&game]).await
    }

    /// Changes of activity in order: place, player, active.
    pub async fn rating_activity(&mut self, game: &str) -> Result<Vec<(i64, UserKey, bool)>> {
        let sql =
            "SELECT place, user_id, active FROM rating_activity WHERE game = $1 ORDER BY place, user_id";
        self.fetch_all(sql, &[&game]).await
    }

    pub async fn last_ends(&mut self, game: &str) -> Result<Vec<(UserKey, Millis)>> {
        let sql = "SELECT s.user_id, MAX(b.ended_at) FROM boards b JOIN seats s ON s.board_id = b.id \
                   WHERE b.game = $1 AND b.state = 'over' AND b.ended_at IS NOT NULL GROUP BY s.user_id";
        self.fetch_all(sql, &[&game]).await
    }

    pub async fn all_ratings(&mut self, game: &str) -> Result<Vec<RatingRow>> {
        let sql = select_rating!("WHERE game = $1 ORDER BY user_id");
        self.fetch_all(sql, &[&game]).await
    }

    pub async fn rating_pool(&mut self, game: &str) -> Result<Pool> {
        let sql = "SELECT players, sum FROM rating_orders WHERE game = $1";
        let row = self.fetch_optional::<(i64, i64)>(sql, &[&game]).await?;
        Ok(row.map_or_else(Pool::default, |(players, sum)| Pool { players, sum }))
    }

    /// A user's rating before and after each of the latest rated boards, in order.
    pub async fn rating_curve(&mut self, game: &str, user: UserKey, limit: i64) -> Result<Vec<(f64, f64)>> {
        let sql = "SELECT before, after FROM rating_changes WHERE user_id = $1 AND game = $2 \
                   ORDER BY at DESC, place DESC LIMIT $3";
        let mut rows: Vec<(f64, f64)> = self.fetch_all(sql, &[&user, &game, &limit]).await?;
        rows.reverse();
        Ok(rows)
    }
}

impl WriteTx {
    pub async fn delete_rating_change(&mut self, board: BoardKey, user: UserKey) -> Result<()> {
        self.exec("DELETE FROM rating_changes WHERE board_id = $1 AND user_id = $2", &[&board, &user]).await
    }

    pub async fn delete_rating(&mut self, game: &str, user: UserKey) -> Result<()> {
        self.exec("DELETE FROM ratings WHERE game = $1 AND user_id = $2", &[&game, &user]).await
    }
}
