//! Broadcasts, delivered to a few users at a time.

use crate::connection::{Result, claim, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct BroadcastRow {
        pub id: i64,
        pub userid: String,
        pub text: String,
        pub at: Millis,
        /// Delivered to users up to this key.
        pub after_user: i64,
    }
}

impl ReadTx {
    pub async fn has_finished_a_game(&mut self, user: UserKey) -> Result<bool> {
        let sql = "SELECT b.id FROM seats s JOIN boards b ON b.id = s.board_id \
                   WHERE s.user_id = $1 AND b.state = 'over' LIMIT 1";
        self.any(sql, &[&user]).await
    }

    pub async fn has_waiting_broadcast(&mut self) -> Result<bool> {
        self.any("SELECT id FROM broadcasts WHERE done_at IS NULL LIMIT 1", &[]).await
    }

    pub async fn broadcast(&mut self, id: i64) -> Result<Option<BroadcastRow>> {
        let sql = "SELECT b.id, u.userid, b.text, b.at, b.after_user FROM broadcasts b \
                   JOIN users u ON u.id = b.user_id WHERE b.id = $1";
        self.fetch_optional(sql, &[&id]).await
    }

    /// Active users after a key, by key, with true for those who take broadcasts and have not blocked its author.
    pub async fn broadcast_readers(&mut self, id: i64, after: i64, limit: i64) -> Result<Vec<(i64, bool)>> {
        let sql = "SELECT u.id, COALESCE(p.value, 'on') <> 'off' AND NOT EXISTS (SELECT 1 FROM broadcasts b \
                   JOIN relations r ON r.other_id = b.user_id AND r.kind = 'block' \
                   WHERE b.id = $1 AND r.user_id = u.id) FROM users u LEFT JOIN preferences p \
                   ON p.user_id = u.id AND p.game = '' AND p.name = 'broadcasts' \
                   WHERE u.id > $2 AND u.state = 'active' ORDER BY u.id LIMIT $3";
        self.fetch_all(sql, &[&id, &after, &limit]).await
    }

    pub async fn count_broadcasts(&mut self, since: Millis) -> Result<i64> {
        self.fetch_one("SELECT COUNT(*) FROM broadcasts WHERE at > $1", &[&since]).await
    }
}

impl WriteTx {
    /// Claims the right to broadcast, unless used after `since`.
    pub async fn claim_broadcast(&mut self, user: UserKey, since: Millis, now: Millis) -> Result<bool> {
        let sql = "UPDATE users SET broadcast_at = $3 WHERE id = $1 AND (broadcast_at IS NULL OR broadcast_at <= $2) \
                   RETURNING id";
        self.any(sql, &[&user, &since, &now]).await
    }

    /// A worker delivers it at its next check.
    pub async fn insert_broadcast(&mut self, user: UserKey, text: &str, now: Millis) -> Result<()> {
        let sql = "INSERT INTO broadcasts (user_id, text, at, after_user) VALUES ($1, $2, $3, 0)";
        self.exec(sql, &[&user, &text, &now]).await
    }

    pub async fn end_broadcasts(&mut self, user: UserKey, now: Millis) -> Result<()> {
        let sql = "UPDATE broadcasts SET done_at = $2 WHERE user_id = $1 AND done_at IS NULL";
        self.exec(sql, &[&user, &now]).await
    }

    /// Oldest unfinished broadcast, locked until the transaction ends.
    pub async fn take_broadcast(&mut self) -> Result<Option<BroadcastRow>> {
        // The update keeps two processes from delivering the same part.
        let sql = claim!(
            self,
            "UPDATE broadcasts SET after_user = after_user WHERE id = (SELECT id FROM broadcasts \
             WHERE done_at IS NULL ORDER BY id LIMIT 1",
            ") RETURNING id"
        );
        match self.fetch_optional(sql, &[]).await? {
            Some(id) => self.broadcast(id).await,
            None => Ok(None),
        }
    }

    /// Deletes a batch finished before `before`; true if there may be more.
    pub async fn prune_broadcasts(&mut self, before: Millis) -> Result<bool> {
        let sql =
            "DELETE FROM broadcasts WHERE id IN (SELECT id FROM broadcasts WHERE done_at < $1 LIMIT 1000)";
        self.prune(sql, before).await
    }

    /// Stores the progress; with `done`, all have it.
    pub async fn advance_broadcast(&mut self, id: i64, after_user: i64, done: Option<Millis>) -> Result<()> {
        let sql = "UPDATE broadcasts SET after_user = $2, done_at = $3 WHERE id = $1";
        let done = done.map(|at| at.0);
        self.exec(sql, &[&id, &after_user, &done]).await
    }
}
