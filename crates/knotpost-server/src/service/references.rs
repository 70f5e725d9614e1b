//! Mails by reference: what the outbox keeps of them, and what they say when they are sent.

use serde::{Deserialize, Serialize};

use super::post::{new_message_id, registered_addresses};
use super::unsubscribe::Kind;
use super::{Reply, postmaster, resets, sessions};
use crate::app::App;
use crate::domain::{Millis, UserKey};
use crate::store::{ReferenceMail, StoreError, Tx};

/// What a mail without a text of its own shows. Nothing in it is a secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reference {
    /// A stored broadcast.
    Broadcast(i64),
    /// Link and code for a password that was forgotten at this moment.
    Reset(Millis),
    /// A link, asked for at this moment, that logs in on the web.
    Magic(Millis),
    /// Words for the administrators, sealed.
    Postmaster(String),
}

impl Reference {
    fn kind(&self) -> &'static str {
        match self {
            Self::Broadcast(_) => "broadcast",
            Self::Reset(_) => "password_reset",
            Self::Magic(_) => "magic_link",
            Self::Postmaster(_) => "postmaster",
        }
    }
}

/// Queues the mail to all registered addresses of a user; says to how many.
pub(super) async fn post_reference(
    tx: &mut Tx,
    app: &App,
    reference: Reference,
    user: UserKey,
    now: Millis,
) -> Result<usize, StoreError> {
    let facts = serde_json::to_string(&reference).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let addresses = registered_addresses(tx, app, user).await?;
    for recipient in &addresses {
        let mail = ReferenceMail {
            kind: reference.kind(),
            recipient: recipient.clone(),
            user,
            facts: facts.clone(),
            message_id: new_message_id(app)?,
            date: now,
        };
        tx.insert_reference_mail(&mail).await?;
    }
    Ok(addresses.len())
}

/// What a mail by reference says, and the page on which its reader takes no more of its kind; `None`: there is
/// nothing to say any more.
///
/// # Errors
/// When the database fails or the reference cannot be read.
pub async fn reply_by_reference(
    tx: &mut Tx,
    app: &App,
    facts: &str,
    user: Option<i64>,
    now: Millis,
) -> Result<Option<(Reply, Option<String>)>, StoreError> {
    let reference: Reference =
        serde_json::from_str(facts).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let Some(user) = user.map(UserKey) else { return Ok(None) };
    match reference {
        Reference::Broadcast(id) => {
            let (Some(row), Some(reader)) = (tx.broadcast(id).await?, tx.user(user).await?) else {
                return Ok(None);
            };
            let link = app.links.unsubscribe(&app.config.server.public_url, user, Kind::Broadcasts.as_str());
            let reply = Reply::Broadcast { reader: reader.userid, from: row.userid, text: row.text };
            Ok(Some((reply, Some(link))))
        }
        Reference::Postmaster(sealed) => Ok(postmaster::letter(app, &sealed).map(|letter| (letter, None))),
        Reference::Reset(at) => {
            Ok(resets::letter(tx, app, user, at, now).await?.map(|letter| (letter, None)))
        }
        Reference::Magic(at) => {
            Ok(sessions::letter(tx, app, user, at, now).await?.map(|letter| (letter, None)))
        }
    }
}
