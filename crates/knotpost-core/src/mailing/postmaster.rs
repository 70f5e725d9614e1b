//! Words for the people who run the server, passed on to them.

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::mailing::references::{Reference, post_reference};
use crate::replies::{Content, Reply};
use knotpost_model::{Address, Millis, without_tag};
use knotpost_storage::{StoreError, WriteTx};

/// Administrators who are written to.
const MOST_ADMINISTRATORS: i64 = 20;
/// Mails of one sender in a day that are passed on; complaints have such a share together.
const FROM_ONE: i64 = 1;
/// Mails of all senders in a day that are.
const FROM_ALL: i64 = 30;

/// A sender's words to the people who run the server.
#[derive(Debug, Serialize)]
struct Postmaster {
    /// The address that they used.
    used: String,
    /// The sender, as far as the From line says.
    from: String,
    /// True if an answer to the mail goes to them.
    is_answerable: bool,
    subject: String,
    /// The words.
    text: String,
    /// The mail that they complain about.
    about: Option<About>,
    /// The address to which mail can be ended; empty where none is known that a shell takes as it is.
    unwanted: String,
}

impl Content for Postmaster {
    const TEMPLATE: &'static str = "postmaster";
}

/// The mail that a complaint is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    /// To whom it went; empty where the complaint does not say.
    pub(crate) address: String,
    /// The address, where that is proven.
    pub(crate) mail: Option<String>,
}

/// A mail to the postmaster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ToPostmaster {
    /// Its sender, as far as the From line says.
    pub(crate) from: String,
    /// The address it went to.
    #[serde(default)]
    pub(crate) to: String,
    pub(crate) subject: String,
    pub(crate) text: String,
    /// The mail that it complains about.
    #[serde(default)]
    pub(crate) about: Option<About>,
}

/// Queues the words to every administrator, sealed until they are sent. What is too much for a day is not passed on; it
/// is kept in the inbox all the same.
pub(crate) async fn hand_to_administrators(
    tx: &mut WriteTx,
    app: &App,
    words: &ToPostmaster,
    now: Millis,
) -> Result<(), StoreError> {
    let sender = format!("postmaster {}", without_tag(&words.from.to_lowercase()));
    post(tx, app, words, &sender, now).await
}

/// As [`hand_to_administrators`], of a complaint.
///
/// # Errors
/// The database fails.
pub(crate) async fn tell_of_complaint(
    tx: &mut WriteTx,
    app: &App,
    words: &ToPostmaster,
    about: About,
    now: Millis,
) -> Result<(), StoreError> {
    let words = ToPostmaster { about: Some(about), ..words.clone() };
    post(tx, app, &words, "complaints", now).await
}

async fn post(
    tx: &mut WriteTx,
    app: &App,
    words: &ToPostmaster,
    share: &str,
    now: Millis,
) -> Result<(), StoreError> {
    let day = now.0 / 86_400_000 * 24;
    if tx.count_answer(share, day).await? > FROM_ONE
        || tx.count_answer("postmaster of all", day).await? > FROM_ALL
    {
        return Ok(());
    }
    let json = serde_json::to_vec(words).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let sealed = BASE64.encode(&app.secret.seal(app.entropy.as_ref(), &json)?);
    for user in tx.administrators(MOST_ADMINISTRATORS).await? {
        post_reference(tx, app, Reference::Postmaster(sealed.clone()), user, now).await?;
    }
    Ok(())
}

/// The content of such a mail, and the address at which its sender is answered, unproven; `None` when it was sealed
/// with another key.
pub(crate) fn letter(app: &App, sealed: &str) -> Option<(Reply, Option<String>)> {
    let opened = app.secret.unseal(&BASE64.decode(sealed.as_bytes()).ok()?)?;
    let ToPostmaster { from, to, subject, text, about } = serde_json::from_slice(&opened).ok()?;
    let sender = from.parse::<Address>().ok().map(|address| address.to_string());
    let reply_to = sender.filter(|sender| !app.own.is_own(sender));
    let unwanted = about.as_ref().map_or(&from, |about| &about.address);
    // Administrators copy it into a shell.
    let is_plain =
        unwanted.contains('@') && unwanted.chars().all(|c| c.is_ascii_alphanumeric() || "@.+-_=".contains(c));
    let unwanted = if is_plain { unwanted.clone() } else { String::new() };
    let used = if to.is_empty() { format!("postmaster@{}", app.own.domain()) } else { to };
    let words = Postmaster { used, from, is_answerable: reply_to.is_some(), subject, text, about, unwanted };
    Some((Reply::from(words), reply_to))
}
