//! Mails rendered from stored data when they are sent.

use crate::connection::StoreError;
use crate::rows::{NewOutbox, OutboxContent};
use crate::transaction::WriteTx;
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Debug)]
pub struct ReferenceMail {
    pub kind: &'static str,
    pub recipient: String,
    pub user: UserKey,
    /// Facts as JSON.
    pub facts: String,
    /// Without angle brackets.
    pub message_id: String,
    pub date: Millis,
}

impl WriteTx {
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
