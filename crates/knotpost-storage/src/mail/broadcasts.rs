//! Broadcasts, delivered to a few users at a time.

use sqlx::FromRow;

use crate::connection::{StoreError, claim, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Debug, FromRow)]
pub struct BroadcastRow {
    pub id: i64,
    pub userid: String,
    pub text: String,
    #[sqlx(try_from = "i64")]
    pub at: Millis,
    /// Delivered to users up to this key.
    pub after_user: i64,
}

impl ReadTx {
    pub async fn has_finished_a_game(&mut self, user: UserKey) -> Result<bool, StoreError> {
        let sql = "SELECT b.id FROM seats s JOIN boards b ON b.id = s.board_id \
                   WHERE s.user_id = $1 AND b.state = 'over' LIMIT 1";
        let board: Option<i64> =
            on!(self, c => sqlx::query_scalar(sql).bind(user.0).fetch_optional(c).await)?;
        Ok(board.is_some())
    }

    pub async fn has_waiting_broadcast(&mut self) -> Result<bool, StoreError> {
        let sql = "SELECT id FROM broadcasts WHERE done_at IS NULL LIMIT 1";
        let waiting: Option<i64> = on!(self, c => sqlx::query_scalar(sql).fetch_optional(c).await)?;
        Ok(waiting.is_some())
    }

    pub async fn broadcast(&mut self, id: i64) -> Result<Option<BroadcastRow>, StoreError> {
        let sql = "SELECT b.id, u.userid, b.text, b.at, b.after_user FROM broadcasts b \
                   JOIN users u ON u.id = b.user_id WHERE b.id = $1";
        Ok(on!(self, c => sqlx::query_as::<_, BroadcastRow>(sql).bind(id).fetch_optional(c).await)?)
    }

    /// Active users after this key, by key, with true for those who take broadcasts.
    pub async fn broadcast_readers(
        &mut self,
        after: i64,
        limit: i64,
    ) -> Result<Vec<(i64, bool)>, StoreError> {
        let sql = "SELECT u.id, COALESCE(p.value, 'on') <> 'off' FROM users u LEFT JOIN preferences p \
                   ON p.user_id = u.id AND p.game = '' AND p.name = 'broadcasts' \
                   WHERE u.id > $1 AND u.state = 'active' ORDER BY u.id LIMIT $2";
        Ok(on!(self, c => sqlx::query_as::<_, (i64, bool)>(sql).bind(after).bind(limit).fetch_all(c).await)?)
    }

    pub async fn count_broadcasts(&mut self, since: Millis) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) FROM broadcasts WHERE at > $1";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(since.0).fetch_one(c).await)?)
    }
}

impl WriteTx {
    /// Claims the right to broadcast, unless used after `since`.
    pub async fn claim_broadcast(
        &mut self,
        user: UserKey,
        since: Millis,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE users SET broadcast_at = $3 WHERE id = $1 AND (broadcast_at IS NULL OR broadcast_at <= $2) \
                   RETURNING id";
        let claimed: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql).bind(user.0).bind(since.0).bind(now.0).fetch_optional(c).await)?;
        Ok(claimed.is_some())
    }

    /// A worker delivers it at its next check.
    pub async fn insert_broadcast(
        &mut self,
        user: UserKey,
        text: &str,
        now: Millis,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO broadcasts (user_id, text, at, after_user) VALUES ($1, $2, $3, 0)";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(text).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn end_broadcasts(&mut self, user: UserKey, now: Millis) -> Result<(), StoreError> {
        let sql = "UPDATE broadcasts SET done_at = $2 WHERE user_id = $1 AND done_at IS NULL";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Oldest unfinished broadcast, locked until the transaction ends.
    pub async fn take_broadcast(&mut self) -> Result<Option<BroadcastRow>, StoreError> {
        // The update keeps two processes from delivering the same part.
        let id: Option<i64> = claim!(
            self.writing(),
            "UPDATE broadcasts SET after_user = after_user WHERE id = (SELECT id FROM broadcasts \
             WHERE done_at IS NULL ORDER BY id LIMIT 1",
            ") RETURNING id",
            q => sqlx::query_scalar(q.0).fetch_optional(q.1).await
        )?;
        match id {
            Some(id) => self.broadcast(id).await,
            None => Ok(None),
        }
    }

    /// Deletes a batch finished before `before`; true if there may be more.
    pub async fn prune_broadcasts(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql =
            "DELETE FROM broadcasts WHERE id IN (SELECT id FROM broadcasts WHERE done_at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }

    /// Stores the progress; with `done`, all have it.
    pub async fn advance_broadcast(
        &mut self,
        id: i64,
        after_user: i64,
        done: Option<Millis>,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE broadcasts SET after_user = $2, done_at = $3 WHERE id = $1";
        let done = done.map(|at| at.0);
        on!(self.writing(), c => sqlx::query(sql).bind(id).bind(after_user).bind(done).execute(c).await.map(drop))?;
        Ok(())
    }
}
