//! Feeds: keys of their URLs, and their boards.

use super::board::select_board;
use crate::connection::{Result, row};
use crate::rows::BoardRow;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct FeedKeyRow {
        pub salt: String,
        pub at: Millis,
    }
}

/// Order of boards in a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingOrder {
    /// Latest turn first.
    Latest,
    /// Shortest time first, pauses ignored; `forfeit_ms` applies to boards without limits of their own.
    Shortest { forfeit_ms: i64 },
}

impl ReadTx {
    pub async fn feed_key(&mut self, user: UserKey) -> Result<Option<FeedKeyRow>> {
        self.fetch_optional("SELECT salt, at FROM feed_keys WHERE user_id = $1", &[&user]).await
    }

    pub async fn boards_waiting_for(
        &mut self,
        user: UserKey,
        order: WaitingOrder,
        limit: i64,
    ) -> Result<Vec<BoardRow>> {
        match order {
            WaitingOrder::Latest => {
                let sql = select_board!(
                    "WHERE id IN (SELECT p.board_id FROM boards_in_play p JOIN seats s ON s.user_id = p.user_id \
                     AND s.board_id = p.board_id WHERE p.user_id = $1 AND s.to_move) AND state = 'active' \
                     AND paused_at IS NULL ORDER BY COALESCE(last_move_at, started_at) DESC, id DESC LIMIT $2"
                );
                self.fetch_all(sql, &[&user, &limit]).await
            }
            WaitingOrder::Shortest { forfeit_ms } => {
                let sql = select_board!(
                    "WHERE id IN (SELECT p.board_id FROM boards_in_play p JOIN seats s ON s.user_id = p.user_id \
                     AND s.board_id = p.board_id WHERE p.user_id = $1 AND s.to_move) AND state = 'active' \
                     AND paused_at IS NULL \
                     ORDER BY COALESCE(last_move_at, started_at) + COALESCE(forfeit_ms, $3), id LIMIT $2"
                );
                self.fetch_all(sql, &[&user, &limit, &forfeit_ms]).await
            }
        }
    }
}

impl WriteTx {
    pub async fn set_feed_key(&mut self, user: UserKey, salt: &str, now: Millis) -> Result<()> {
        let sql = "INSERT INTO feed_keys (user_id, salt, at) VALUES ($1, $2, $3) \
                   ON CONFLICT (user_id) DO UPDATE SET salt = $2, at = $3";
        self.exec(sql, &[&user, &salt, &now]).await
    }

    pub async fn drop_feed_key(&mut self, user: UserKey) -> Result<()> {
        self.exec("DELETE FROM feed_keys WHERE user_id = $1", &[&user]).await
    }
}
