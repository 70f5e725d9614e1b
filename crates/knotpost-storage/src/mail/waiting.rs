//! The queue of received mail: limits and order.
//!
//! Weighted fair queueing: a mail's position follows the last waiting mail of its flow, or the present
//! position if none waits, at a distance that depends on the sender's proof. Bulk senders wait behind their
//! own mails, known senders precede strangers, and no mail waits for ever.

use crate::connection::Result;
use crate::rows::NewInbox;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{InboxKey, Millis};

/// Proof of a waiting mail's sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Share {
    Unproven,
    /// Proven to come from the domain in From.
    Proven,
    /// Proven to come from the domain in From, with an address confirmed by a user.
    Known,
}

impl Share {
    fn number(self) -> i64 {
        match self {
            Self::Unproven => 0,
            Self::Proven => 1,
            Self::Known => 2,
        }
    }

    fn distance(self) -> i64 {
        match self {
            Self::Unproven => 16,
            Self::Proven => 4,
            Self::Known => 1,
        }
    }
}

#[derive(Clone, Debug)]
pub struct NewPlace {
    pub flow: String,
    pub from_domain: String,
    pub share: Share,
}

#[derive(Clone, Copy, Debug)]
pub struct QueueBounds {
    pub per_flow: i64,
    pub per_domain: i64,
    pub total: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueBound {
    Flow,
    Domain,
    Total,
}

impl ReadTx {
    /// Counts one place per started 256 KiB. Two concurrent servers may both take the last place, which is
    /// harmless.
    /// The bound that a further mail of this place would exceed.
    pub async fn bound_met(&mut self, place: &NewPlace, bounds: &QueueBounds) -> Result<Option<QueueBound>> {
        let share = place.share.number();
        let flow = "SELECT CAST(COALESCE(SUM(1 + size / 262144), 0) AS BIGINT) FROM (SELECT size FROM inbox \
                    WHERE state = 'new' AND flow = $1 LIMIT $2) AS waiting";
        let waiting: i64 = self.fetch_one(flow, &[&place.flow, &bounds.per_flow]).await?;
        if waiting >= bounds.per_flow {
            return Ok(Some(QueueBound::Flow));
        }
        let domain = "SELECT CAST(COALESCE(SUM(1 + size / 262144), 0) AS BIGINT) FROM (SELECT size FROM inbox \
                      WHERE state = 'new' AND share = $1 AND from_domain = $2 LIMIT $3) AS waiting";
        let waiting: i64 = self.fetch_one(domain, &[&share, &place.from_domain, &bounds.per_domain]).await?;
        if waiting >= bounds.per_domain {
            return Ok(Some(QueueBound::Domain));
        }
        let total = "SELECT CAST(COALESCE(SUM(1 + size / 262144), 0) AS BIGINT) FROM (SELECT size FROM inbox \
                     WHERE state = 'new' AND share = $1 LIMIT $2) AS waiting";
        let waiting: i64 = self.fetch_one(total, &[&share, &bounds.total]).await?;
        Ok((waiting >= bounds.total).then_some(QueueBound::Total))
    }

    async fn next_turn(&mut self, place: &NewPlace, now: Millis) -> Result<i64> {
        // The sign keeps SQLite from sorting all due mails. Leased and failed mails do not hold the position
        // back.
        let current =
            "SELECT turn FROM inbox WHERE state = 'new' AND +due_at <= $1 ORDER BY turn, id LIMIT 1";
        let current: Option<i64> = self.fetch_optional(current, &[&now]).await?;
        let last = "SELECT MAX(turn) FROM inbox WHERE state = 'new' AND flow = $1";
        let last: Option<i64> = self.fetch_one(last, &[&place.flow]).await?;
        Ok(current.max(last).unwrap_or_default().saturating_add(place.share.distance()))
    }
}

impl WriteTx {
    pub async fn insert_waiting(&mut self, mail: &NewInbox, place: &NewPlace) -> Result<InboxKey> {
        let turn = self.next_turn(place, mail.received_at).await?;
        let key = self.insert_inbox(mail).await?;
        let sql = "UPDATE inbox SET turn = $2, flow = $3, from_domain = $4, share = $5 WHERE id = $1";
        self.exec(sql, &[&key, &turn, &place.flow, &place.from_domain, &place.share.number()]).await?;
        Ok(key)
    }
}
