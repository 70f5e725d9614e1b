//! Mails by reference: what the outbox keeps of them, and what they say when they are sent.

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::mailing::login_mails;
use crate::mailing::post::{new_message_id, registered_addresses};
use crate::mailing::postmaster;
use crate::mailing::puzzles;
use crate::mailing::styles::style_of;
use crate::mailing::unsubscribe::Kind;
use crate::replies::{Content, MailForm, Refusing, Reply, StoredDraft};
use knotpost_model::{Millis, UserKey};
use knotpost_storage::{ALL_GAMES, NewOutbox, OutboxContent, ReadTx, StoreError, WriteTx};

/// A user's words to all others.
#[derive(Debug, Serialize)]
struct Broadcast {
    /// Userid of the reader of this copy.
    reader: String,
    from: String,
    /// The words.
    text: String,
}

impl Content for Broadcast {
    const TEMPLATE: &'static str = "broadcast";
}

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

/// Content of a mail without bytes of its own.
#[derive(Clone, Debug)]
pub(crate) enum Referred {
    /// This, to be put into words now.
    Reply {
        /// Its content.
        reply: Reply,
        /// Ways for its reader to end mails of its kind.
        unsubscribe: Option<Refusing>,
        /// The address at which it is answered, when not where it came from.
        reply_to: Option<String>,
        /// Forms of it that are wanted.
        form: MailForm,
    },
    /// This, but for its pictures.
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
    let addresses = registered_addresses(tx, app, user).await?;
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

/// Looks up the content of a mail by reference; `None`: there is nothing to say any more. `end` is the
/// address that ends mails of its kind.
///
/// # Errors
/// When the database fails or the reference cannot be read.
pub(crate) async fn referred_to(
    tx: &mut ReadTx,
    app: &App,
    facts: &str,
    (user, end): (Option<i64>, Option<String>),
    now: Millis,
) -> Result<Option<Referred>, StoreError> {
    let reference: Reference =
        serde_json::from_str(facts).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    if let Reference::Letter(letter) = reference {
        return Ok(Some(Referred::Letter(letter)));
    }
    let Some(user) = user.map(UserKey) else { return Ok(None) };
    let form = style_of(tx, user, ALL_GAMES).await?.form;
    match reference {
        Reference::Broadcast(id) => {
            let (Some(row), Some(reader)) = (tx.broadcast(id).await?, tx.user(user).await?) else {
                return Ok(None);
            };
            let ways = Kind::Broadcasts.ways(app, &reader, end);
            let reply = Reply::from(Broadcast { reader: reader.userid, from: row.userid, text: row.text });
            Ok(Some(Referred::Reply { reply, unsubscribe: Some(ways), reply_to: None, form }))
        }
        Reference::Puzzles(day) => {
            let Some(reader) = tx.user(user).await? else { return Ok(None) };
            let Some(reply) = puzzles::letter(tx, app, &reader, day, now).await? else { return Ok(None) };
            let ways = Kind::Puzzles.ways(app, &reader, end);
            Ok(Some(Referred::Reply { reply, unsubscribe: Some(ways), reply_to: None, form }))
        }
        Reference::Postmaster(sealed) => {
            let letter = postmaster::letter(app, &sealed);
            Ok(letter.map(|(reply, reply_to)| Referred::Reply { reply, unsubscribe: None, reply_to, form }))
        }
        Reference::Reset(at) => {
            let reply = login_mails::password_reset(tx, app, user, at, now).await?;
            Ok(reply.map(|reply| Referred::Reply { reply, unsubscribe: None, reply_to: None, form }))
        }
        Reference::Magic(at) => {
            let reply = login_mails::login_link(tx, app, user, at, now).await?;
            Ok(reply.map(|reply| Referred::Reply { reply, unsubscribe: None, reply_to: None, form }))
        }
        Reference::Letter(letter) => Ok(Some(Referred::Letter(letter))),
    }
}
