//! Settings of a user for a game: consent to challenges, and the limit of boards.

use crate::connection::Result;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::UserKey;

impl ReadTx {
    /// True by default; false for a deleted user.
    pub async fn accepts(&mut self, game: &str, user: UserKey) -> Result<bool> {
        let sql = "SELECT 1 FROM users u WHERE u.id = $1 AND u.state = 'active' AND NOT EXISTS \
                   (SELECT 1 FROM user_games g WHERE g.user_id = u.id AND g.game = $2 AND NOT g.accepts)";
        self.any(sql, &[&user, &game]).await
    }

    pub async fn board_limit(&mut self, game: &str, user: UserKey) -> Result<Option<i64>> {
        let sql = "SELECT board_limit FROM user_games WHERE user_id = $1 AND game = $2";
        let limit: Option<Option<i64>> = self.fetch_optional(sql, &[&user, &game]).await?;
        Ok(limit.flatten())
    }

    /// Boards in play; several seats on one count once.
    pub async fn count_active_boards(&mut self, game: &str, user: UserKey) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM boards_in_play WHERE user_id = $1 AND game = $2";
        self.fetch_one(sql, &[&user, &game]).await
    }

    /// Boards in play over all games; several seats on one count once.
    pub async fn count_boards_in_play(&mut self, user: UserKey) -> Result<i64> {
        self.fetch_one("SELECT COUNT(*) FROM boards_in_play WHERE user_id = $1", &[&user]).await
    }
}

impl WriteTx {
    pub async fn set_accepts(&mut self, game: &str, user: UserKey, accepts: bool) -> Result<()> {
        let sql = "INSERT INTO user_games (user_id, game, accepts, board_limit, subscribes, notifies) \
                   VALUES ($1, $2, $3, NULL, $4, $4) \
                   ON CONFLICT (user_id, game) DO UPDATE SET accepts = excluded.accepts";
        self.exec(sql, &[&user, &game, &accepts, &false]).await
    }

    /// As [`ReadTx::board_limit`], before a board is started: of two boards started concurrently for a user
    /// with a limit, one transaction sees the other.
    pub async fn hold_board_limit(&mut self, game: &str, user: UserKey) -> Result<Option<i64>> {
        // A lock alone is not enough: the row must change to make the other one conflict.
        let sql = "UPDATE user_games SET board_limit = board_limit \
                   WHERE user_id = $1 AND game = $2 AND board_limit IS NOT NULL RETURNING board_limit";
        self.fetch_optional(sql, &[&user, &game]).await
    }

    pub async fn set_board_limit(&mut self, game: &str, user: UserKey, limit: Option<i64>) -> Result<()> {
        let sql = "INSERT INTO user_games (user_id, game, accepts, board_limit, subscribes, notifies) \
                   VALUES ($1, $2, $3, $4, $5, $5) \
                   ON CONFLICT (user_id, game) DO UPDATE SET board_limit = excluded.board_limit";
        self.exec(sql, &[&user, &game, &true, &limit, &false]).await
    }
}
