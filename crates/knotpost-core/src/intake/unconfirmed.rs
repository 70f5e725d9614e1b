//! Commands of users without a confirmed address. They run as usual; since no notification is mailed to such
//! a user, the sender is told the result and what is missing.

use crate::config::Config;
use serde_json::json;

use knotpost_commands::{Command, Leaving};

use super::mail::{Class, IncomingMail};
use crate::replies::{Answer, Audience, Reply};
use crate::requests::Ready;
use knotpost_model::{Millis, UserKey, without_tag};
use knotpost_storage::{StoreError, UserRow, WriteTx};

const MOST_SHOWN: usize = 60;

/// Reply about a change made for a user without a confirmed address; `None`: other mails tell them, or
/// nothing connects the address with the sender of the command.
pub(super) async fn acknowledge(
    tx: &mut WriteTx,
    config: &Config,
    mail: &IncomingMail,
    ready: &Ready,
    answer: &Answer,
    now: Millis,
) -> Result<Option<Reply>, StoreError> {
    let is_untold = answer.changed && answer.audience == Audience::Registered && mail.class == Class::Person;
    let Some(sender) = mail.sender.as_ref().filter(|_| is_untold && config.confirms_addresses()) else {
        return Ok(None);
    };
    let key = sender.key();
    let Some(user) = find_unconfirmed(tx, ready, &key).await? else { return Ok(None) };
    if matches!(ready.command, Ok(Command::Delete { leaving: Leaving::Asked, .. })) {
        // No change; it asks once more.
        return Ok(Some(answer.reply.clone()));
    }
    let asked = tx.last_confirmation(user.id, &without_tag(&key)).await?;
    if asked == Some(now) {
        // The question has just been mailed there.
        return Ok(None);
    }
    let asked = asked.map(Millis::to_readable);
    let facts = json!({ "userid": user.userid, "echo": shorten(&ready.echo), "asked": asked });
    Ok(Some(Reply::said("done_unconfirmed", facts)))
}

/// User without a confirmed address who has this one and sent the command: by the right password, or as a
/// player of a challenge, which needs none.
async fn find_unconfirmed(tx: &mut WriteTx, ready: &Ready, key: &str) -> Result<Option<UserRow>, StoreError> {
    let mut users: Vec<UserKey> = Vec::new();
    match (ready.user(), &ready.command) {
        (Some(user), _) if ready.is_authenticated() => users.push(user),
        (None, Ok(Command::Challenge { players, .. })) => {
            for userid in players {
                users.extend(tx.find_user(userid).await?.map(|user| user.id));
            }
        }
        _ => {}
    }
    for user in users {
        let addresses = tx.addresses(user).await?;
        let is_confirmed = addresses.iter().any(|row| row.verified_at.is_some());
        if !is_confirmed && addresses.iter().any(|row| row.address.to_lowercase() == key) {
            return tx.user(user).await;
        }
    }
    Ok(None)
}

fn shorten(echo: &str) -> String {
    match echo.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}...", echo.get(..end).unwrap_or_default()),
        None => echo.to_owned(),
    }
}
