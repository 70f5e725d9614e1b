//! The mails of a batch: each is carried out as it is stored, in the same transaction as its move.

use std::sync::{Arc, LazyLock};

use sqlx::FromRow;

use crate::connection::{ArrayStatement, ColumnSet, Driver, StoreError};
use crate::rows::{DirectMail, StoredMail};
use crate::transaction::WriteTx;
use knotpost_model::InboxKey;

/// A mail that was stored when its batch began.
#[derive(Debug, FromRow)]
pub(super) struct BatchMail {
    #[sqlx(try_from = "i64")]
    id: InboxKey,
    pub(super) dedupe_key: String,
    pub(super) sender_key: String,
    is_first: bool,
    /// Whether mail has come back from its sender's address.
    pub(super) has_trouble: bool,
}

impl BatchMail {
    pub(super) fn stored(&self) -> StoredMail {
        StoredMail { key: self.id, is_first: self.is_first }
    }
}

/// One row for each mail, in the order in which the rows of `inbox_seen` are locked.
static STORE_MAILS: LazyLock<ArrayStatement<Vec<Arc<DirectMail>>>> = LazyLock::new(|| {
    ArrayStatement::new(|parameters| {
        let inbox = ColumnSet::of(|mails: &Vec<Arc<DirectMail>>| mails)
            .value("received_at", |mail| mail.row.received_at.0)
            .text("way", |mail| mail.row.way)
            .optional_text("peer", |mail| mail.row.peer.as_deref())
            .optional_text("mail_from", |mail| mail.row.mail_from.as_deref())
            .text("recipients", |mail| &mail.row.recipients)
            .value("size", |mail| mail.row.size)
            .optional_text("sender", |mail| mail.row.sender.as_deref())
            .optional_text("message_id", |mail| mail.row.message_id.as_deref())
            .optional_text("subject", |mail| mail.row.subject.as_deref())
            .optional_text("text", |mail| mail.row.text.as_deref())
            .optional_bytes("raw", |mail| mail.row.raw.as_deref())
            .optional_text("reason", |mail| mail.row.reason)
            .optional_text("verdicts", |mail| mail.row.verdicts.as_deref())
            .text("sender_key", |mail| &mail.sender_key)
            .text("dedupe_key", |mail| &mail.dedupe_key)
            .value("since", |mail| mail.since.0);
        let given = parameters.add(inbox);
        let inbox = given.without(&["sender_key", "dedupe_key", "since"]).names();
        format!(
            "WITH mail AS (SELECT nextval(pg_get_serial_sequence('inbox', 'id')) AS id, given.* FROM {}), \
             kept AS (INSERT INTO inbox (id, {inbox}, state, attempts, due_at, done_at) \
             SELECT id, {inbox}, 'done', 0, received_at, received_at FROM mail), \
             claimed AS (INSERT INTO inbox_seen (dedupe_key, inbox_id, at) SELECT dedupe_key, id, received_at FROM mail \
             ORDER BY dedupe_key ON CONFLICT (dedupe_key) DO UPDATE SET inbox_id = excluded.inbox_id, at = excluded.at \
             WHERE inbox_seen.at <= (SELECT since FROM mail WHERE mail.dedupe_key = inbox_seen.dedupe_key) \
             RETURNING dedupe_key) \
             SELECT id, dedupe_key, sender_key, dedupe_key IN (SELECT dedupe_key FROM claimed) AS is_first, \
             EXISTS (SELECT 1 FROM failing_addresses WHERE address_key = sender_key) AS has_trouble FROM mail",
            given.rows("given"),
        )
    })
});

impl WriteTx {
    /// As [`WriteTx::store_mail`] for many, each with a different key. PostgreSQL only.
    pub(super) async fn store_mails(
        &mut self,
        mails: &Vec<Arc<DirectMail>>,
    ) -> Result<Vec<BatchMail>, StoreError> {
        if mails.is_empty() {
            return Ok(Vec::new());
        }
        let Driver::Postgres(connection) = self.writing().await?.driver().await? else {
            return Ok(Vec::new());
        };
        let statement = &*STORE_MAILS;
        let query = sqlx::query_as_with(statement.sql(), statement.arguments(mails)?);
        Ok(query.fetch_all(connection).await?)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sqlx::Arguments as _;

    use super::STORE_MAILS;

    #[test]
    fn the_statement_stores_what_each_mail_has() {
        let sql = STORE_MAILS.sql();
        assert_eq!(STORE_MAILS.arguments(&Vec::new()).unwrap().len(), 16);
        assert!(sql.contains(
            "UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) AS given"
        ));
        assert!(sql.contains("raw, reason, verdicts, state, attempts, due_at, done_at)"), "{sql}");
    }
}
