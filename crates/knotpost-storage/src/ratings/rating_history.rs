//! History for recomputing ratings, and corrections.

use sqlx::FromRow;

use super::current::{RatingChange, RatingRow, select_rating};
use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis, Pool, UserKey};

#[derive(Clone, Debug, FromRow)]
pub struct RatedBoardRow {
    #[sqlx(try_from = "i64")]
    pub board: BoardKey,
    pub number: i64,
    /// Comma-separated.
    pub winners: String,
    #[sqlx(try_from = "i64")]
    pub ended_at: Millis,
    pub seat: i64,
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
}

/// Board, player, place, before, after, active, at.
type ChangeRow = (i64, i64, i64, f64, f64, bool, i64);

impl ReadTx {
    /// Seats of at most `limit` finished rated boards after `after`, by board and seat.
    pub async fn rated_boards(
        &mut self,
        game: &str,
        after: BoardKey,
        limit: i64,
    ) -> Result<Vec<RatedBoardRow>, StoreError> {
        let sql = "SELECT b.id AS board, b.number, b.winners, b.ended_at, s.seat, s.user_id FROM \
                   (SELECT id, number, winners, ended_at FROM boards WHERE game = $1 AND state = 'over' AND rated \
                    AND id > $2 AND winners IS NOT NULL AND ended_at IS NOT NULL ORDER BY id LIMIT $3) b \
                   JOIN seats s ON s.board_id = b.id ORDER BY b.id, s.seat";
        Ok(on!(self, c => sqlx::query_as::<_, RatedBoardRow>(sql)
            .bind(game)
            .bind(after.0)
            .bind(limit)
            .fetch_all(c)
            .await)?)
    }

    /// In order.
    pub async fn all_rating_changes(&mut self, game: &str) -> Result<Vec<RatingChange>, StoreError> {
        let sql = "SELECT board_id, user_id, place, before, after, active, at FROM rating_changes \
                   WHERE game = $1 ORDER BY place, board_id, user_id";
        let rows = on!(self, c => sqlx::query_as::<_, ChangeRow>(sql).bind(game).fetch_all(c).await)?;
        let change = |(board, user, place, before, after, active, at): ChangeRow| RatingChange {
            board: BoardKey(board),
            user: UserKey(user),
            place,
            before,
            after,
            active,
            at: Millis(at),
        };
        Ok(rows.into_iter().map(change).collect())
    }

    /// Changes of activity in order: place, player, active.
    pub async fn rating_activity(&mut self, game: &str) -> Result<Vec<(i64, UserKey, bool)>, StoreError> {
        let sql =
            "SELECT place, user_id, active FROM rating_activity WHERE game = $1 ORDER BY place, user_id";
        let rows = on!(self, c => sqlx::query_as::<_, (i64, i64, bool)>(sql).bind(game).fetch_all(c).await)?;
        Ok(rows.into_iter().map(|(place, user, active)| (place, UserKey(user), active)).collect())
    }

    pub async fn last_ends(&mut self, game: &str) -> Result<Vec<(UserKey, Millis)>, StoreError> {
        let sql = "SELECT s.user_id, MAX(b.ended_at) FROM boards b JOIN seats s ON s.board_id = b.id \
                   WHERE b.game = $1 AND b.state = 'over' AND b.ended_at IS NOT NULL GROUP BY s.user_id";
        let rows = on!(self, c => sqlx::query_as::<_, (i64, i64)>(sql).bind(game).fetch_all(c).await)?;
        Ok(rows.into_iter().map(|(user, at)| (UserKey(user), Millis(at))).collect())
    }

    pub async fn all_ratings(&mut self, game: &str) -> Result<Vec<RatingRow>, StoreError> {
        let sql = select_rating!("WHERE game = $1 ORDER BY user_id");
        Ok(on!(self, c => sqlx::query_as::<_, RatingRow>(sql).bind(game).fetch_all(c).await)?)
    }

    pub async fn rating_pool(&mut self, game: &str) -> Result<Pool, StoreError> {
        let sql = "SELECT players, sum FROM rating_orders WHERE game = $1";
        let row = on!(self, c => sqlx::query_as::<_, (i64, i64)>(sql).bind(game).fetch_optional(c).await)?;
        Ok(row.map_or_else(Pool::default, |(players, sum)| Pool { players, sum }))
    }

    /// A user's rating before and after each of the latest rated boards, in order.
    pub async fn rating_curve(
        &mut self,
        game: &str,
        user: UserKey,
        limit: i64,
    ) -> Result<Vec<(f64, f64)>, StoreError> {
        let sql = "SELECT before, after FROM rating_changes WHERE user_id = $1 AND game = $2 \
                   ORDER BY at DESC, place DESC LIMIT $3";
        let mut rows: Vec<(f64, f64)> = on!(self, c => sqlx::query_as(sql)
            .bind(user.0)
            .bind(game)
            .bind(limit)
            .fetch_all(c)
            .await)?;
        rows.reverse();
        Ok(rows)
    }
}

impl WriteTx {
    pub async fn delete_rating_change(&mut self, board: BoardKey, user: UserKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM rating_changes WHERE board_id = $1 AND user_id = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(user.0).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn delete_rating(&mut self, game: &str, user: UserKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM ratings WHERE game = $1 AND user_id = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(game).bind(user.0).execute(c).await.map(drop))?;
        Ok(())
    }
}
