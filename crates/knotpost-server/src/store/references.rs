//! Mails that name something stored instead of holding their text: rendered when they are sent.

use super::{StoreError, Tx, on};
use crate::domain::{Millis, UserKey};

/// A mail without a text of its own.
#[derive(Clone, Debug)]
pub struct ReferenceMail {
    /// What kind of mail it is.
    pub kind: &'static str,
    /// To whom.
    pub recipient: String,
    /// The user it is for.
    pub user: UserKey,
    /// What it shows, as JSON.
    pub facts: String,
    /// Without angle brackets.
    pub message_id: String,
    /// The Date it carries.
    pub date: Millis,
}

impl Tx {
    /// Queues a mail that is rendered from what it names.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn insert_reference_mail(&mut self, mail: &ReferenceMail) -> Result<(), StoreError> {
        let sql = "INSERT INTO outbox (kind, recipient, user_id, facts, message_id, date, state, attempts, due_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, $6)";
        on!(self.writing().await?, c => sqlx::query(sql)
            .bind(mail.kind)
            .bind(&mail.recipient)
            .bind(mail.user.0)
            .bind(&mail.facts)
            .bind(&mail.message_id)
            .bind(mail.date.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }
}
