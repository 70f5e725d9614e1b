//! Watchers of boards, and subscribers to their ends. Stored rows of players are ignored.

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, UserKey};

impl ReadTx {
    /// Flags for all boards of a game: watches, and is notified of ends.
    pub async fn watches_all(&mut self, game: &str, user: UserKey) -> Result<(bool, bool), StoreError> {
        let sql = "SELECT subscribes, notifies FROM user_games WHERE user_id = $1 AND game = $2";
        let row: Option<(bool, bool)> =
            on!(self, c => sqlx::query_as(sql).bind(user.0).bind(game).fetch_optional(c).await)?;
        Ok(row.unwrap_or_default())
    }

    pub async fn watched_boards(
        &mut self,
        game: &str,
        user: UserKey,
        limit: i64,
    ) -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT b.number FROM subscribers s JOIN boards b ON b.id = s.board_id \
                   WHERE s.user_id = $1 AND b.game || '' = $2 AND b.state <> 'removed' ORDER BY b.number LIMIT $3";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(user.0).bind(game).bind(limit).fetch_all(c).await)?)
    }

    /// Numbers of active boards with notification of the end, one by one.
    pub async fn notified_boards(
        &mut self,
        game: &str,
        user: UserKey,
        limit: i64,
    ) -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT b.number FROM notifications n CROSS JOIN boards b \
                   WHERE b.id = n.board_id AND n.user_id = $1 AND b.game || '' = $2 AND b.state = 'active' ORDER BY b.number LIMIT $3";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(user.0).bind(game).bind(limit).fetch_all(c).await)?)
    }

    /// Users who asked for this very board.
    pub async fn users_waiting_for(&mut self, board: BoardKey) -> Result<Vec<UserKey>, StoreError> {
        let sql = "SELECT user_id FROM notifications WHERE board_id = $1 ORDER BY user_id";
        let keys: Vec<i64> = on!(self, c => sqlx::query_scalar(sql).bind(board.0).fetch_all(c).await)?;
        Ok(keys.into_iter().map(UserKey).collect())
    }

    /// All users notified of the end of this board.
    pub async fn notified_users(&mut self, board: BoardKey) -> Result<Vec<UserKey>, StoreError> {
        let sql = "SELECT user_id FROM notifications WHERE board_id = $1 UNION SELECT g.user_id FROM boards b \
                   JOIN user_games g ON g.game = b.game AND g.notifies WHERE b.id = $1 ORDER BY 1";
        let keys: Vec<i64> = on!(self, c => sqlx::query_scalar(sql).bind(board.0).fetch_all(c).await)?;
        Ok(keys.into_iter().map(UserKey).collect())
    }
}

impl WriteTx {
    /// True if they watched.
    pub async fn unsubscribe(&mut self, board: BoardKey, user: UserKey) -> Result<bool, StoreError> {
        let sql = "DELETE FROM subscribers WHERE board_id = $1 AND user_id = $2";
        let gone = on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(user.0).execute(c).await.map(|d| d.rows_affected()))?;
        Ok(gone > 0)
    }

    /// Future boards included.
    pub async fn unsubscribe_all(&mut self, game: &str, user: UserKey) -> Result<(), StoreError> {
        self.set_watches_all(game, user, false).await?;
        let sql = "DELETE FROM subscribers WHERE user_id = $2 \
                   AND board_id IN (SELECT id FROM boards WHERE game = $1 AND id = subscribers.board_id)";
        on!(self.writing(), c => sqlx::query(sql).bind(game).bind(user.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Future boards included.
    pub async fn set_watches_all(&mut self, game: &str, user: UserKey, all: bool) -> Result<(), StoreError> {
        let sql = "INSERT INTO user_games (user_id, game, accepts, board_limit, subscribes, notifies) \
                   VALUES ($1, $2, $3, NULL, $4, $5) \
                   ON CONFLICT (user_id, game) DO UPDATE SET subscribes = excluded.subscribes";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(user.0)
            .bind(game)
            .bind(true)
            .bind(all)
            .bind(false)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    pub async fn set_hears_of_all(&mut self, game: &str, user: UserKey, all: bool) -> Result<(), StoreError> {
        let sql = "INSERT INTO user_games (user_id, game, accepts, board_limit, subscribes, notifies) \
                   VALUES ($1, $2, $3, NULL, $4, $5) \
                   ON CONFLICT (user_id, game) DO UPDATE SET notifies = excluded.notifies";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(user.0)
            .bind(game)
            .bind(true)
            .bind(false)
            .bind(all)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Toggles the notification; returns the new state.
    pub async fn switch_notification(&mut self, board: BoardKey, user: UserKey) -> Result<bool, StoreError> {
        let sql = "DELETE FROM notifications WHERE board_id = $1 AND user_id = $2";
        let gone = on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(user.0).execute(c).await.map(|d| d.rows_affected()))?;
        if gone > 0 {
            return Ok(false);
        }
        let sql = "INSERT INTO notifications (board_id, user_id) VALUES ($1, $2)";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(user.0).execute(c).await.map(drop))?;
        Ok(true)
    }

    pub async fn forget_notification(&mut self, board: BoardKey, user: UserKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM notifications WHERE board_id = $1 AND user_id = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(user.0).execute(c).await.map(drop))?;
        Ok(())
    }
}
