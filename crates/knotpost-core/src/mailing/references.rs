//! Mails by reference: what the outbox keeps of them.

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::mailing::post::{new_message_id, registered_addresses};
use crate::replies::StoredDraft;
use knotpost_model::{Millis, UserKey};
use knotpost_storage::{NewOutbox, OutboxContent, StoreError, WriteTx};

/// Source of a mail without a text of its own. Nothing in it is a secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reference {
    /// A stored broadcast.
    Broadcast(i64),
    /// Link and code for a password that was forgotten at this moment.
    Reset(Millis),
    /// A link, asked for at this moment, that logs in on the web.
    Magic(Millis),
    /// The puzzles of this day of the year, of the games whose puzzles the reader takes when it is sent.
    Puzzles(u16),
    /// Words for the administrators, sealed.
    Postmaster(String),
    /// A mail with its text, but not its pictures.
    Letter(Box<StoredDraft>),
}

impl Reference {
    fn kind(&self) -> &'static str {
        match self {
            Self::Broadcast(_) => "broadcast",
            Self::Reset(_) => "password_reset",
            Self::Magic(_) => "magic_link",
            Self::Puzzles(_) => "puzzles",
            Self::Postmaster(_) => "postmaster",
            Self::Letter(_) => "letter",
        }
    }
}

/// Queues the mail to all registered addresses of a user; says to how many.
pub(crate) async fn post_reference(
    tx: &mut WriteTx,
    app: &App,
    reference: Reference,
    user: UserKey,
    now: Millis,
) -> Result<usize, StoreError> {
    let addresses = registered_addresses(tx, &app.config, user).await?;
    for recipient in &addresses {
        post_reference_to(tx, app, &reference, user, recipient, now).await?;
    }
    Ok(addresses.len())
}

/// Queues the mail to one address.
pub(crate) async fn post_reference_to(
    tx: &mut WriteTx,
    app: &App,
    reference: &Reference,
    user: UserKey,
    recipient: &str,
    now: Millis,
) -> Result<(), StoreError> {
    let facts = serde_json::to_string(reference).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let mail = NewOutbox {
        kind: reference.kind(),
        recipient: recipient.to_owned(),
        user: Some(user),
        content: OutboxContent::Reference(facts),
        on_reply: None,
        message_id: new_message_id(app)?,
        date: now,
    };
    tx.insert_outbox(&mail).await
}
