//! Mails that refer to stored data instead of holding their text: rendered when they are sent.

use crate::connection::StoreError;
use crate::rows::{NewOutbox, OutboxContent};
use crate::transaction::WriteTx;
use knotpost_model::{Millis, UserKey};

/// A mail without a text of its own.
#[derive(Clone, Debug)]
pub struct ReferenceMail {
    /// What kind of mail it is.
    pub kind: &'static str,
    pub recipient: String,
    pub user: UserKey,
    /// What it shows, as JSON.
    pub facts: String,
    /// Without angle brackets.
    pub message_id: String,
    /// The Date it carries.
    pub date: Millis,
}

impl WriteTx {
    /// Queues a mail that is rendered when it is sent.
    pub async fn insert_reference_mail(&mut self, mail: &ReferenceMail) -> Result<(), StoreError> {
        let mail = NewOutbox {
            kind: mail.kind,
            recipient: mail.recipient.clone(),
            user: Some(mail.user),
            content: OutboxContent::Reference(mail.facts.clone()),
            message_id: mail.message_id.clone(),
            date: mail.date,
        };
        self.insert_outbox(&mail).await
    }
}
