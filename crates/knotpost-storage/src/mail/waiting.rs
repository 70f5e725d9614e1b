//! Received mails that wait for a worker: how many may, and whose turn is next.
//!
//! Turns are those of weighted fair queueing. A mail's turn is the one after the last waiting mail of its flow, or
//! after the turn that is due now when none waits, and the distance depends on what is known of its sender. A
//! sender of many mails thus waits behind their own; a mail of a known sender comes before one of a stranger, and no
//! mail waits for ever.

use crate::connection::{StoreError, on};
use crate::rows::NewInbox;
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{InboxKey, Millis};

/// What is known of the sender of a waiting mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Share {
    /// Nothing is proven.
    Unproven,
    /// It comes from the domain in its From.
    Proven,
    /// It comes from the domain in its From, and a user has proven to read the address there.
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

    /// How far the turns of a flow are apart.
    fn distance(self) -> i64 {
        match self {
            Self::Unproven => 16,
            Self::Proven => 4,
            Self::Known => 1,
        }
    }
}

/// A mail's place among those that wait.
#[derive(Clone, Debug)]
pub struct NewPlace {
    /// The flow that it takes its turn in.
    pub flow: String,
    pub from_domain: String,
    /// The share that it counts for.
    pub share: Share,
}

/// How many mails may wait. Each share has these numbers for itself.
#[derive(Clone, Copy, Debug)]
pub struct QueueBounds {
    pub per_flow: i64,
    pub per_domain: i64,
    pub total: i64,
}

/// Which bound a mail met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueBound {
    Flow,
    Domain,
    Total,
}

impl ReadTx {
    /// A mail takes a place for each 256 KiB that it begins. Two servers that check at the same time may both take the last
    /// place, which does no harm.
    async fn bound_met(
        &mut self,
        place: &NewPlace,
        bounds: &QueueBounds,
    ) -> Result<Option<QueueBound>, StoreError> {
        let share = place.share.number();
        let flow = "SELECT CAST(COALESCE(SUM(1 + size / 262144), 0) AS BIGINT) FROM (SELECT size FROM inbox \
                    WHERE state = 'new' AND flow = $1 LIMIT $2) AS waiting";
        let waiting: i64 = on!(self, c => sqlx::query_scalar(flow)
            .bind(&place.flow)
            .bind(bounds.per_flow)
            .fetch_one(c)
            .await)?;
        if waiting >= bounds.per_flow {
            return Ok(Some(QueueBound::Flow));
        }
        let domain = "SELECT CAST(COALESCE(SUM(1 + size / 262144), 0) AS BIGINT) FROM (SELECT size FROM inbox \
                      WHERE state = 'new' AND share = $1 AND from_domain = $2 LIMIT $3) AS waiting";
        let waiting: i64 = on!(self, c => sqlx::query_scalar(domain)
            .bind(share)
            .bind(&place.from_domain)
            .bind(bounds.per_domain)
            .fetch_one(c)
            .await)?;
        if waiting >= bounds.per_domain {
            return Ok(Some(QueueBound::Domain));
        }
        let total = "SELECT CAST(COALESCE(SUM(1 + size / 262144), 0) AS BIGINT) FROM (SELECT size FROM inbox \
                     WHERE state = 'new' AND share = $1 LIMIT $2) AS waiting";
        let waiting: i64 = on!(self, c => sqlx::query_scalar(total)
            .bind(share)
            .bind(bounds.total)
            .fetch_one(c)
            .await)?;
        Ok((waiting >= bounds.total).then_some(QueueBound::Total))
    }

    async fn next_turn(&mut self, place: &NewPlace, now: Millis) -> Result<i64, StoreError> {
        // The sign keeps SQLite from sorting all that is due. Leased mails, and those that failed and are tried again later, do not hold the turn back.
        let current =
            "SELECT turn FROM inbox WHERE state = 'new' AND +due_at <= $1 ORDER BY turn, id LIMIT 1";
        let current: Option<i64> =
            on!(self, c => sqlx::query_scalar(current).bind(now.0).fetch_optional(c).await)?;
        let last = "SELECT MAX(turn) FROM inbox WHERE state = 'new' AND flow = $1";
        let last: Option<i64> =
            on!(self, c => sqlx::query_scalar(last).bind(&place.flow).fetch_one(c).await)?;
        Ok(current.max(last).unwrap_or_default().saturating_add(place.share.distance()))
    }
}

impl WriteTx {
    /// Stores a received mail that waits for a worker, unless enough of its kind wait.
    pub async fn insert_waiting(
        &mut self,
        mail: &NewInbox,
        place: &NewPlace,
        bounds: &QueueBounds,
    ) -> Result<Result<InboxKey, QueueBound>, StoreError> {
        if let Some(bound) = self.bound_met(place, bounds).await? {
            return Ok(Err(bound));
        }
        let turn = self.next_turn(place, mail.received_at).await?;
        let key = self.insert_inbox(mail).await?;
        let sql = "UPDATE inbox SET turn = $2, flow = $3, from_domain = $4, share = $5 WHERE id = $1";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(key.0)
            .bind(turn)
            .bind(&place.flow)
            .bind(&place.from_domain)
            .bind(place.share.number())
            .execute(c)
            .await
            .map(drop))?;
        Ok(Ok(key))
    }
}
