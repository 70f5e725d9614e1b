//! Queue rows due later than they legitimately can be: written under a clock ahead. They count as due now.

use sqlx::AssertSqlSafe;

use crate::connection::Result;
use crate::rows::MAIL_LEASE_MS;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::Millis;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// A queue: table, condition of waiting rows, and their latest legitimate due time, with some margin.
struct Queue {
    table: &'static str,
    waiting: &'static str,
    furthest: i64,
}

/// Without boards, which the clock checks all after it went back, and turns of computer players, whose leases
/// are judged where they are read.
const QUEUES: [Queue; 6] = [
    // Leased, or not tried yet.
    Queue {
        table: "outbox",
        waiting: "state = 'queued' AND webhook_id IS NULL AND error IS NULL",
        furthest: 2 * MAIL_LEASE_MS,
    },
    // Deferred: four hours, and a quarter of that.
    Queue { table: "outbox", waiting: "state = 'queued' AND webhook_id IS NULL", furthest: 6 * HOUR },
    // A host may ask for a day.
    Queue { table: "outbox", waiting: "state = 'queued' AND webhook_id IS NOT NULL", furthest: 25 * HOUR },
    Queue { table: "inbox", waiting: "state = 'new'", furthest: 10 * MINUTE },
    // Once a day; a day may have 25 hours.
    Queue { table: "digests", waiting: "TRUE", furthest: 26 * HOUR },
    Queue { table: "puzzle_mails", waiting: "TRUE", furthest: 26 * HOUR },
];

impl ReadTx {
    /// True if a queue holds such a row.
    pub async fn has_rows_ahead(&mut self, now: Millis) -> Result<bool> {
        let ahead = QUEUES.map(|Queue { table, waiting, furthest }| {
            format!("SELECT 1 FROM {table} WHERE {waiting} AND due_at > CAST($1 AS BIGINT) + {furthest}")
        });
        let sql = format!("SELECT * FROM ({}) AS ahead LIMIT 1", ahead.join(" UNION ALL "));
        self.any(AssertSqlSafe(sql), &[&now]).await
    }
}

impl WriteTx {
    /// Makes such rows due.
    pub async fn recall_rows_ahead(&mut self, now: Millis) -> Result<()> {
        for Queue { table, waiting, furthest } in QUEUES {
            let sql = format!("UPDATE {table} SET due_at = $1 WHERE {waiting} AND due_at > $2");
            let latest = now.plus(furthest).0;
            self.exec(AssertSqlSafe(sql), &[&now, &latest]).await?;
        }
        Ok(())
    }
}
