//! Watchers of boards, and subscribers to their ends. Stored rows of players are ignored.

use crate::connection::Result;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, UserKey};

impl ReadTx {
    /// Flags for all boards of a game: watches, and is notified of ends.
    pub async fn watches_all(&mut self, game: &str, user: UserKey) -> Result<(bool, bool)> {
        let sql = "SELECT subscribes, notifies FROM user_games WHERE user_id = $1 AND game = $2";
        let row: Option<(bool, bool)> = self.fetch_optional(sql, &[&user, &game]).await?;
        Ok(row.unwrap_or_default())
    }

    pub async fn watched_boards(&mut self, game: &str, user: UserKey, limit: i64) -> Result<Vec<i64>> {
        let sql = "SELECT b.number FROM subscribers s JOIN boards b ON b.id = s.board_id \
                   WHERE s.user_id = $1 AND b.game || '' = $2 AND b.state <> 'removed' ORDER BY b.number LIMIT $3";
        self.fetch_all(sql, &[&user, &game, &limit]).await
    }

    /// Numbers of active boards with notification of the end, one by one.
    pub async fn notified_boards(&mut self, game: &str, user: UserKey, limit: i64) -> Result<Vec<i64>> {
        let sql = "SELECT b.number FROM notifications n CROSS JOIN boards b \
                   WHERE b.id = n.board_id AND n.user_id = $1 AND b.game || '' = $2 AND b.state = 'active' ORDER BY b.number LIMIT $3";
        self.fetch_all(sql, &[&user, &game, &limit]).await
    }

    /// Users who asked for this very board.
    pub async fn users_waiting_for(&mut self, board: BoardKey) -> Result<Vec<UserKey>> {
        let sql = "SELECT user_id FROM notifications WHERE board_id = $1 ORDER BY user_id";
        self.fetch_all(sql, &[&board]).await
    }

    /// All users notified of the end of this board.
    pub async fn notified_users(&mut self, board: BoardKey) -> Result<Vec<UserKey>> {
        let sql = "SELECT user_id FROM notifications WHERE board_id = $1 UNION SELECT g.user_id FROM boards b \
                   JOIN user_games g ON g.game = b.game AND g.notifies WHERE b.id = $1 ORDER BY 1";
        self.fetch_all(sql, &[&board]).await
    }
}

impl WriteTx {
    /// True if they watched.
    pub async fn unsubscribe(&mut self, board: BoardKey, user: UserKey) -> Result<bool> {
        let sql = "DELETE FROM subscribers WHERE board_id = $1 AND user_id = $2";
        let gone = self.exec_count(sql, &[&board, &user]).await?;
        Ok(gone > 0)
    }

    /// Future boards included.
    pub async fn unsubscribe_all(&mut self, game: &str, user: UserKey) -> Result<()> {
        self.set_watches_all(game, user, false).await?;
        let sql = "DELETE FROM subscribers WHERE user_id = $2 \
                   AND board_id IN (SELECT id FROM boards WHERE game = $1 AND id = subscribers.board_id)";
        self.exec(sql, &[&game, &user]).await
    }

    /// Future boards included.
    pub async fn set_watches_all(&mut self, game: &str, user: UserKey, all: bool) -> Result<()> {
        let sql = "INSERT INTO user_games (user_id, game, accepts, board_limit, subscribes, notifies) \
                   VALUES ($1, $2, $3, NULL, $4, $5) \
                   ON CONFLICT (user_id, game) DO UPDATE SET subscribes = excluded.subscribes";
        self.exec(sql, &[&user, &game, &true, &all, &false]).await
    }

    pub async fn set_hears_of_all(&mut self, game: &str, user: UserKey, all: bool) -> Result<()> {
        let sql = "INSERT INTO user_games (user_id, game, accepts, board_limit, subscribes, notifies) \
                   VALUES ($1, $2, $3, NULL, $4, $5) \
                   ON CONFLICT (user_id, game) DO UPDATE SET notifies = excluded.notifies";
        self.exec(sql, &[&user, &game, &true, &false, &all]).await
    }

    /// Toggles the notification; returns the new state.
    pub async fn switch_notification(&mut self, board: BoardKey, user: UserKey) -> Result<bool> {
        let sql = "DELETE FROM notifications WHERE board_id = $1 AND user_id = $2";
        let gone = self.exec_count(sql, &[&board, &user]).await?;
        if gone > 0 {
            return Ok(false);
        }
        self.exec("INSERT INTO notifications (board_id, user_id) VALUES ($1, $2)", &[&board, &user]).await?;
        Ok(true)
    }

    pub async fn forget_notification(&mut self, board: BoardKey, user: UserKey) -> Result<()> {
        self.exec("DELETE FROM notifications WHERE board_id = $1 AND user_id = $2", &[&board, &user]).await
    }
}
