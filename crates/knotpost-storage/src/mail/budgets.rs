//! Hourly budgets for replies, counted over all servers.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};

row! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Spent {
        pub mails: i64 as "answers",
        pub bytes: i64,
    }
}

impl ReadTx {
    /// Spent in this hour, or in the next if another process with a fast clock has begun it: counting never
    /// restarts in between.
    pub async fn spent_of_budget(&mut self, key: &str, hour: i64) -> Result<Spent> {
        let sql = "SELECT answers, bytes FROM answer_budget WHERE address_key = $1 AND hour IN ($2, $2 + 1)";
        let spent = self.fetch_optional::<Spent>(sql, &[&key, &hour]).await?;
        Ok(spent.unwrap_or_default())
    }
}

impl WriteTx {
    /// Belongs in the transaction that queues the reply.
    pub async fn spend_of_budget(&mut self, key: &str, spent: Spent, hour: i64) -> Result<()> {
        let sql = "INSERT INTO answer_budget (address_key, hour, answers, bytes) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (address_key) DO UPDATE SET \
                   hour = CASE WHEN answer_budget.hour = $2 + 1 THEN $2 + 1 ELSE $2 END, \
                   answers = CASE WHEN answer_budget.hour IN ($2, $2 + 1) THEN answer_budget.answers + $3 ELSE $3 END, \
                   bytes = CASE WHEN answer_budget.hour IN ($2, $2 + 1) THEN answer_budget.bytes + $4 ELSE $4 END";
        self.exec(sql, &[&key, &hour, &spent.mails, &spent.bytes]).await
    }

    /// Spends one mail; returns the number in this hour.
    pub async fn count_answer(&mut self, key: &str, hour: i64) -> Result<i64> {
        self.spend_of_budget(key, Spent { mails: 1, bytes: 0 }, hour).await?;
        Ok(self.spent_of_budget(key, hour).await?.mails)
    }
}
