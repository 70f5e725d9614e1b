//! Commands of users who have not confirmed any address. They are carried out as all others; since nothing that follows
//! from them is mailed to their user, the sender is told what was done and what is missing.

use knotpost_commands::{Command, Leaving};

use super::mail::{Class, IncomingMail};
use crate::app::App;
use crate::replies::{Answer, Audience, DoneUnconfirmed, Reply};
use crate::requests::Prepared;
use knotpost_model::{Millis, without_tag};
use knotpost_storage::{StoreError, WriteTx};

/// More characters of a command are not repeated.
const MOST_SHOWN: usize = 60;

/// What the sender is told of a command that changed something for a user without a confirmed address; `None`: they are
/// told by other mails, or nothing connects the sender's address with the user whose password was right.
pub(super) async fn acknowledge(
    tx: &mut WriteTx,
    app: &App,
    mail: &IncomingMail,
    prepared: &Prepared,
    answer: &Answer,
    now: Millis,
) -> Result<Option<Reply>, StoreError> {
    let is_untold = answer.changed && answer.audience == Audience::Registered && mail.class == Class::Person;
    let (Some(user), Some(sender)) = (prepared.user(), &mail.sender) else { return Ok(None) };
    if !app.config.confirms_addresses()
        || !is_untold
        || !prepared.is_authenticated()
        || app.auth_cache.is_confirmed(user)
    {
        return Ok(None);
    }
    let addresses = tx.addresses(user).await?;
    if addresses.iter().any(|row| row.verified_at.is_some()) {
        app.auth_cache.remember_confirmed(user);
        return Ok(None);
    }
    let key = sender.key();
    if addresses.iter().all(|row| row.address.to_lowercase() != key) {
        return Ok(None);
    }
    if matches!(prepared.command, Ok(Command::Delete { leaving: Leaving::Asked, .. })) {
        // It changes nothing and asks once more.
        return Ok(Some(answer.reply.clone()));
    }
    let asked = tx.last_confirmation(user, &without_tag(&key)).await?;
    if asked == Some(now) {
        // The question has just been mailed there.
        return Ok(None);
    }
    let Some(user) = tx.user(user).await? else { return Ok(None) };
    Ok(Some(Reply::from(DoneUnconfirmed {
        userid: user.userid,
        echo: shorten(&prepared.echo),
        asked: asked.map(Millis::to_readable),
    })))
}

fn shorten(echo: &str) -> String {
    match echo.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}...", echo.get(..end).unwrap_or_default()),
        None => echo.to_owned(),
    }
}
