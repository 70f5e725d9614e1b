//! Shared by the verbs about addresses: selection, limit, answer.

use serde::Serialize;
use serde_json::json;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::identity::confirming::{Asked, GOOD_FOR_DAYS, register};
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use knotpost_model::{Address, Channel, Millis, OwnAddresses};
use knotpost_storage::{AddressRow, ReadTx, StoreError, UserRow, WriteTx};

const MOST_ADDRESSES: usize = 10;

#[derive(Debug, Serialize)]
pub(in crate::commands) struct AskedLine {
    pub(in crate::commands) address: String,
    pub(in crate::commands) asked: Asked,
}

pub(in crate::commands) fn check_room(
    user: &UserRow,
    held: &[AddressRow],
    addresses: &[Address],
) -> Result<(), Refusal> {
    let is_held = |address: &&Address| held.iter().any(|row| row.address.to_lowercase() == address.key());
    let fresh = addresses.iter().filter(|address| !is_held(address)).count();
    if fresh > 0 && held.len() + fresh > MOST_ADDRESSES {
        let (userid, count) = (&user.userid, held.len());
        let message = format!("an account has at most {MOST_ADDRESSES} addresses; {userid} has {count}");
        return Err(Refusal::new(Code::BadValue, message));
    }
    Ok(())
}

/// The addresses typed, or else the sender's.
pub(in crate::commands) fn chosen_addresses(
    own: &OwnAddresses,
    ready: &Ready,
    typed: &[String],
    verb: &str,
) -> Result<Vec<Address>, ServiceError> {
    if typed.is_empty() {
        return match &ready.origin.sender {
            Some(sender) => Ok(vec![players_address(own, &sender.to_string())?]),
            None => Err(Refusal::new(
                Code::WrongArguments,
                format!("`{verb}` needs a mail address when it is not sent by mail"),
            )
            .hint(format!("Write it at the end: {verb} USERID PASSWORD you@example.org"))
            .into()),
        };
    }
    if typed.len() > MOST_ADDRESSES {
        return Err(Refusal::new(
            Code::BadValue,
            format!("an account has at most {MOST_ADDRESSES} addresses"),
        )
        .into());
    }
    let mut chosen: Vec<Address> = Vec::new();
    for text in typed {
        let address = players_address(own, text)?;
        if chosen.iter().all(|one| one.key() != address.key()) {
            chosen.push(address);
        }
    }
    Ok(chosen)
}

/// Parses a player's address; refuses the server's own.
pub(crate) fn players_address(own: &OwnAddresses, text: &str) -> Result<Address, Refusal> {
    let address: Address = text
        .parse()
        .map_err(|error: knotpost_model::AddressError| Refusal::new(Code::BadValue, error.to_string()))?;
    if own.is_own(&address.to_string()) {
        let message = format!("`{address}` belongs to this server; mail to it would come back here");
        return Err(Refusal::new(Code::BadValue, message).hint("Write an address at which you read mail."));
    }
    Ok(address)
}

pub(in crate::commands) async fn register_all(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    user: &UserRow,
    addresses: &[Address],
    now: Millis,
) -> Result<Vec<AskedLine>, StoreError> {
    let mut lines = Vec::new();
    for address in addresses {
        let asked = register(tx, app, &ready.origin, user, address, now).await?;
        lines.push(AskedLine { address: address.to_string(), asked });
    }
    lines.retain(|line| line.asked != Asked::NotNeeded);
    Ok(lines)
}

/// Lists the confirmation mails sent: over HTTP, since the password was right; by mail, only if the sender is
/// vouched for by their domain, or gave the password from one of their own addresses.
pub(in crate::commands) async fn told(
    tx: &mut ReadTx,
    ready: &Ready,
    userid: &str,
    about: &str,
    letter: Reply,
    lines: &[AskedLine],
) -> Result<Answer, StoreError> {
    let by_mail = ready.origin.channel == Channel::Mail;
    let facts = json!({ "userid": userid, "lines": lines, "days": GOOD_FOR_DAYS });
    let reply = Reply::said("confirmations_asked", facts);
    if !lines.is_empty() && !by_mail {
        return Ok(Answer::to_registered(reply));
    }
    let has_gone = lines.iter().any(|line| line.asked == Asked::Sent);
    if by_mail && !lines.is_empty() && !has_gone && is_heard(tx, ready).await? {
        return Ok(Answer { changed: true, ..Answer::to_sender(reply) });
    }
    Ok(told_by_mail(ready, userid, about, letter))
}

/// True if the sender of a mail may learn which confirmation mails were sent.
async fn is_heard(tx: &mut ReadTx, ready: &Ready) -> Result<bool, StoreError> {
    if ready.origin.aligned {
        return Ok(true);
    }
    match (ready.user(), &ready.origin.sender) {
        (Some(user), Some(sender)) => Ok(tx.address_id(user, &sender.key()).await?.is_some()),
        _ => Ok(false),
    }
}

/// Hides over HTTP what was mailed: the client may not be the reader of that address.
pub(in crate::commands) fn told_by_mail(ready: &Ready, userid: &str, about: &str, letter: Reply) -> Answer {
    if ready.origin.channel == Channel::Mail {
        return Answer::to_registered(letter);
    }
    Answer::to_registered(Reply::said("mail_sent", json!({ "userid": userid, "about": about })))
}
