//! Outbox side of coalescing: finds a newer waiting board mail, gives it merged facts, drops the older one.
//!
//! The choice of mails and the merged content are decided elsewhere.

use sqlx::FromRow;

use crate::connection::{StoreError, among, key_list, on};
use crate::mail::outbox::waits;
use crate::rows::CoalescedMail;
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, OutboxKey};

/// A waiting board mail, certainly not delivered.
#[derive(Clone, Debug, FromRow)]
pub struct NewerMail {
    #[sqlx(try_from = "i64")]
    pub id: OutboxKey,
    pub ply: i64,
    /// Content beside the board, as JSON.
    pub facts: String,
}

/// True if a newer mail about the board to the same address waits and was certainly not delivered.
macro_rules! has_newer {
    () => {
        "EXISTS (SELECT 1 FROM outbox n WHERE n.board_id = outbox.board_id AND n.state = 'queued' \
         AND n.recipient = outbox.recipient AND n.ply > outbox.ply AND n.unsure_attempts = 0) AS has_newer"
    };
}
pub(crate) use has_newer;

/// Message-ID (never seen) and due time stay, so that no index is touched and the reader does not wait
/// longer.
const UPDATE: &str = concat!(
    "UPDATE outbox SET ply = $1, date = $2, facts = $4 WHERE id = $3 AND attempts = 0 AND ",
    waits!()
);

impl ReadTx {
    /// Newest waiting mail of this board to this address, certainly not delivered, that shows more than `ply`
    /// moves.
    pub async fn newer_waiting_mail(
        &mut self,
        board: i64,
        recipient: &str,
        ply: i64,
    ) -> Result<Option<NewerMail>, StoreError> {
        let sql = "SELECT id, ply, facts FROM outbox WHERE board_id = $1 AND state = 'queued' AND recipient = $2 \
                   AND ply > $3 AND unsure_attempts = 0 ORDER BY ply DESC, id DESC LIMIT 1";
        Ok(on!(self, c => sqlx::query_as::<_, NewerMail>(sql)
            .bind(board)
            .bind(recipient)
            .bind(ply)
            .fetch_optional(c)
            .await)?)
    }
}

impl WriteTx {
    /// Merges facts into a waiting mail and makes it due; `false`: leased meanwhile, or its facts changed.
    pub async fn coalesce_into_waiting(
        &mut self,
        key: OutboxKey,
        (present, facts): (&str, &str),
        now: Millis,
    ) -> Result<bool, StoreError> {
        let sql = concat!(
            "UPDATE outbox SET facts = $3, due_at = CASE WHEN due_at > $4 THEN $4 ELSE due_at END \
             WHERE id = $1 AND facts = $2 AND unsure_attempts = 0 AND ",
            waits!()
        );
        let done = on!(self.writing(), c => sqlx::query(sql).bind(key.0).bind(present).bind(facts).bind(now.0).execute(c).await.map(|d| d.rows_affected()))?;
        Ok(done > 0)
    }

    pub async fn coalesce_into_leased(&mut self, key: OutboxKey, facts: &str) -> Result<(), StoreError> {
        let sql = concat!("UPDATE outbox SET facts = $2 WHERE id = $1 AND ", waits!());
        on!(self.writing(), c => sqlx::query(sql).bind(key.0).bind(facts).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Updates waiting mails, found in this transaction, to the board after `ply` moves.
    pub async fn update_coalesced_mails(
        &mut self,
        mails: &[CoalescedMail],
        ply: i64,
        date: Millis,
    ) -> Result<(), StoreError> {
        if mails.is_empty() {
            return Ok(());
        }
        let mut updated = 0;
        for CoalescedMail { mail, facts } in mails {
            updated += on!(self.writing(), c => sqlx::query(UPDATE)
                .bind(ply)
                .bind(date.0)
                .bind(mail.0)
                .bind(facts)
                .execute(c)
                .await
                .map(|done| done.rows_affected()))?;
        }
        // A mail that was leased meanwhile shows the older board, and the newer board needs a mail of its own.
        if updated == mails.len() as u64 { Ok(()) } else { Err(StoreError::Busy(sqlx::Error::RowNotFound)) }
    }

    /// Drops mails merged into newer ones, unless tried meanwhile.
    pub async fn drop_coalesced_mails(&mut self, mails: &[OutboxKey], now: Millis) -> Result<(), StoreError> {
        if mails.is_empty() {
            return Ok(());
        }
        among!(
            self.writing(),
            concat!(
                "UPDATE outbox SET state = 'dropped', error = 'superseded', done_at = $2 WHERE ",
                waits!(),
                " AND attempts = 0 AND id"
            ),
            "",
            q => sqlx::query(q.0).bind(key_list(mails)).bind(now.0).execute(q.1).await.map(drop)
        )?;
        Ok(())
    }
}
