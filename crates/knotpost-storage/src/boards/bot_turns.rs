//! The turns of computer players, and which server decides on them.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis, UserKey};

/// A board on which a computer player is to move.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct BotTurn {
    /// The row.
    #[sqlx(try_from = "i64")]
    pub board: BoardKey,
    /// The game's name.
    pub game: String,
    /// The number among the game's boards.
    pub number: i64,
    /// How many moves the board has.
    pub ply: i64,
    /// The digest of these moves.
    pub history: Option<i64>,
    /// The computer player.
    #[sqlx(try_from = "i64")]
    pub user: UserKey,
    /// Its name.
    pub userid: String,
    /// When the board last changed.
    #[sqlx(try_from = "i64")]
    pub since: Millis,
}

macro_rules! bot_turns {
    ($from:literal, $end:literal) => {
        concat!(
            "SELECT b.id AS board, b.game, b.number, b.ply, b.history, u.id AS \"user\", u.userid, \
             COALESCE(b.last_move_at, b.started_at) AS since ",
            $from,
            "u.role = 'bot' AND u.state = 'active' AND s.user_id = u.id AND s.to_move AND b.paused_at IS NULL",
            $end
        )
    };
}

impl ReadTx {
    /// The boards on which a computer player is to move and no server is deciding, at most `limit`; those that have
    /// waited longest first. Only boards that are being played are in `boards_in_play`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn bot_turns(&mut self, now: Millis, limit: i64) -> Result<Vec<BotTurn>, StoreError> {
        // SQLite joins in this order where the word is CROSS, and finds few computer players first.
        let sql = bot_turns!(
            "FROM users u CROSS JOIN boards_in_play p CROSS JOIN seats s CROSS JOIN boards b \
             LEFT JOIN bot_leases l ON l.board_id = b.id WHERE p.user_id = u.id AND s.board_id = p.board_id \
             AND b.id = p.board_id AND ",
            " AND (l.until_at IS NULL OR l.until_at <= $1) ORDER BY since, b.id LIMIT $2"
        );
        Ok(on!(self, c => sqlx::query_as::<_, BotTurn>(sql).bind(now.0).bind(limit).fetch_all(c).await)?)
    }

    /// The turn of a computer player on one board, if there is one and no server is deciding on it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn bot_turn_on(
        &mut self,
        game: &str,
        number: u32,
        now: Millis,
    ) -> Result<Option<BotTurn>, StoreError> {
        let sql = bot_turns!(
            "FROM boards b JOIN seats s ON s.board_id = b.id JOIN users u ON u.id = s.user_id \
             LEFT JOIN bot_leases l ON l.board_id = b.id WHERE b.game = $1 AND b.number = $2 AND b.state = 'active' AND ",
            " AND (l.until_at IS NULL OR l.until_at <= $3)"
        );
        Ok(on!(self, c => sqlx::query_as::<_, BotTurn>(sql)
            .bind(game)
            .bind(i64::from(number))
            .bind(now.0)
            .fetch_optional(c)
            .await)?)
    }
}

impl WriteTx {
    /// Takes the lease of a computer player's turn until a moment; `false`: another server has it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lease_bot_turn(
        &mut self,
        board: BoardKey,
        until: Millis,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let sql = "INSERT INTO bot_leases (board_id, until_at) VALUES ($1, $2) \
                   ON CONFLICT (board_id) DO UPDATE SET until_at = $2 WHERE bot_leases.until_at <= $3 \
                   RETURNING board_id";
        let leased: Option<i64> = on!(self.writing().await?, c => sqlx::query_scalar(sql)
            .bind(board.0)
            .bind(until.0)
            .bind(now.0)
            .fetch_optional(c)
            .await)?;
        Ok(leased.is_some())
    }

    /// Ends the lease of a turn.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_bot_lease(&mut self, board: BoardKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM bot_leases WHERE board_id = $1";
        on!(self.writing().await?, c => sqlx::query(sql).bind(board.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Ends all leases of turns: only for a server that is alone on its database.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_bot_leases(&mut self) -> Result<(), StoreError> {
        let sql = "DELETE FROM bot_leases";
        on!(self.writing().await?, c => sqlx::query(sql).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Stores a computer player, who has no password and no address; `false` when the name is taken.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn insert_bot(&mut self, userid: &str, at: Millis) -> Result<bool, StoreError> {
        let sql = "INSERT INTO users (userid, userid_key, password_hash, role, state, created_at) \
                   VALUES ($1, $2, NULL, 'bot', 'active', $3) ON CONFLICT (userid_key) DO NOTHING RETURNING id";
        let key: Option<i64> = on!(self.writing().await?, c => sqlx::query_scalar(sql)
            .bind(userid)
            .bind(userid.to_lowercase())
            .bind(at.0)
            .fetch_optional(c)
            .await)?;
        Ok(key.is_some())
    }
}
