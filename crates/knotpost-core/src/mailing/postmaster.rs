//! Words for the people who run the server, passed on to them.

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::mailing::references::{Reference, post_reference};
use crate::replies::{Content, Facts, Reply};
use knotpost_model::{Millis, without_tag};
use knotpost_storage::{StoreError, WriteTx};

/// Administrators who are written to.
const MOST_ADMINISTRATORS: i64 = 20;
/// Mails of one sender in an hour that are passed on.
const FROM_ONE: i64 = 5;
/// Mails of all senders in an hour that are.
const FROM_ALL: i64 = 30;

/// What a sender wrote to the people who run the server.
#[derive(Debug, Serialize)]
struct Postmaster {
    /// Who, as far as the From line says.
    from: String,
    /// The Subject.
    subject: String,
    /// The words.
    text: String,
}

impl Content for Postmaster {
    fn template(&self) -> &'static str {
        "postmaster"
    }

    fn facts(&self) -> Facts {
        Facts::of(self)
    }
}

/// A mail to the postmaster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ToPostmaster {
    /// Who wrote it, as far as the From line says.
    pub(crate) from: String,
    /// Its Subject.
    pub(crate) subject: String,
    /// Its text.
    pub(crate) text: String,
}

/// Queues the words to every administrator, sealed until they are sent. What is too much for an hour is not
/// passed on; it is kept in the inbox all the same. Says to how many mail boxes they go.
///
/// # Errors
/// When the database fails.
pub(crate) async fn hand_to_administrators(
    tx: &mut WriteTx,
    app: &App,
    words: &ToPostmaster,
    now: Millis,
) -> Result<usize, StoreError> {
    let hour = now.0 / 3_600_000;
    let sender = format!("postmaster {}", without_tag(&words.from.to_lowercase()));
    if tx.count_answer(&sender, hour).await? > FROM_ONE
        || tx.count_answer("postmaster of all", hour).await? > FROM_ALL
    {
        return Ok(0);
    }
    let json = serde_json::to_vec(words).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let sealed = BASE64.encode(&app.secret.seal(app.entropy.as_ref(), &json)?);
    let mut boxes = 0;
    for user in tx.administrators(MOST_ADMINISTRATORS).await? {
        boxes += post_reference(tx, app, Reference::Postmaster(sealed.clone()), user, now).await?;
    }
    Ok(boxes)
}

/// What such a mail says; `None` when it was sealed with another key.
pub(crate) fn letter(app: &App, sealed: &str) -> Option<Reply> {
    let opened = app.secret.unseal(&BASE64.decode(sealed.as_bytes()).ok()?)?;
    let words: ToPostmaster = serde_json::from_slice(&opened).ok()?;
    Some(Reply::from(Postmaster { from: words.from, subject: words.subject, text: words.text }))
}
