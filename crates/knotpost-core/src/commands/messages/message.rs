//! `message`: private messages, without showing addresses.

use crate::config::Config;
use crate::identity::Limits;
use knotpost_platform::clock::Clock;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::commands::authorize::authorize;
use crate::commands::prepare::{check_rate, check_reader};
use crate::identity::presence::{Absence, absences};
use crate::mailing::post::{post_answerable, post_to_user, registered_addresses};
use crate::mailing::reply_grant::message_subject;
use crate::mailing::unsubscribe::MESSAGE;
use crate::replies::{Answer, Content, Facts, Reply};
use crate::requests::Ready;
use knotpost_model::{Millis, UserKey};
use knotpost_storage::{ALL_GAMES, ReadTx, StoreError, UserRow, WriteTx};

const MOST_READERS: usize = 20;

#[derive(Clone, Debug, Serialize)]
struct Message {
    reader: String,
    from: String,
    #[serde(skip)]
    to: Vec<String>,
    text: String,
    by_reply: bool,
}

impl Content for Message {
    const TEMPLATE: &'static str = MESSAGE;

    fn facts(&self) -> Facts {
        let opening = format!("{} writes to {}:", self.from, self.to.join(", "));
        Facts::of(self).prose("opening", opening)
    }
}

#[derive(Debug, Serialize)]
struct MessageSent {
    to: Vec<String>,
    /// One sentence for each reason for which somebody gets it late or never.
    missing: Vec<String>,
}

impl Content for MessageSent {
    const TEMPLATE: &'static str = "message_sent";

    fn facts(&self) -> Facts {
        let opening = format!("Your message was passed on to {}.", self.to.join(", "));
        let opening = [&[opening], &*self.missing].concat().join(" ");
        Facts::none().prose("opening", opening)
    }
}

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    to: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let text = text_of(ready)?;
    if to.len() > MOST_READERS {
        let message = format!("one message goes to at most {MOST_READERS} users");
        return Err(Refusal::new(Code::TooMuchMail, message).into());
    }
    let (readers, mut missing) = find_readers(tx, app.clock.as_ref(), &app.config, &user, to).await?;
    check_rate(ready)?;
    let (readers, mailed) = spare_readers(&app.limits, ready, readers, &mut missing)?;
    let names: Vec<String> = readers.iter().map(|reader| reader.userid.clone()).collect();
    for reader in &readers {
        let message = Message {
            reader: reader.userid.clone(),
            from: user.userid.clone(),
            to: names.clone(),
            text: text.clone(),
            by_reply: false,
        };
        deliver(tx, app, &message, (user.id, reader), now).await?;
    }
    let receipt = Reply::from(MessageSent { to: names, missing });
    post_to_user(tx, app, &receipt, user.id, now).await?;
    Ok(Answer { mailed, ..Answer::to_registered(receipt) })
}

async fn deliver(
    tx: &mut WriteTx,
    app: &App,
    message: &Message,
    (author, reader): (UserKey, &UserRow),
    now: Millis,
) -> Result<(), StoreError> {
    for recipient in registered_addresses(tx, &app.config, reader.id).await? {
        let Ok(address) = recipient.parse() else { continue };
        let subject = message_subject(tx, app, (author, reader), &recipient).await?;
        let reply = Reply::from(Message { by_reply: subject.is_some(), ..message.clone() });
        post_answerable(tx, app, &reply, &address, Some(reader.id), (None, subject), now).await?;
    }
    Ok(())
}

/// Named users who take messages, without duplicates, and a sentence for each who gets none or reads it
/// later. Refuses if nobody gets it.
async fn find_readers(
    tx: &mut ReadTx,
    clock: &dyn Clock,
    config: &Config,
    author: &UserRow,
    names: &[String],
) -> Result<(Vec<UserRow>, Vec<String>), ServiceError> {
    let (mut readers, mut told): (Vec<UserRow>, Vec<String>) = Default::default();
    let mut is_unknown = false;
    for name in names {
        let Some(user) = tx.find_user(name).await? else {
            is_unknown = true;
            told.push(format!("Nobody here has the userid {name}."));
            continue;
        };
        if readers.iter().any(|reader| reader.id == user.id) {
            continue;
        }
        if user.is_computer_player() {
            told.push(format!("{} is a computer player and reads no messages.", user.userid));
            continue;
        }
        let absences = absences(tx, clock, config, &[user.id]).await?.remove(&user.id).unwrap_or_default();
        told.extend(absences.iter().map(|absence| absence.about(&user.userid)));
        if !absences.iter().all(|absence| matches!(absence, Absence::Away(_))) {
            continue;
        }
        if registered_addresses(tx, config, user.id).await?.is_empty() {
            told.push(format!("{} has no mail address to which a message could go.", user.userid));
            continue;
        }
        if tx.shuns(author.id, user.id).await? {
            told.push(format!("You have blocked {}.", user.userid));
        } else if tx.preference(user.id, ALL_GAMES, "messages").await?.is_some_and(|value| value == "off")
            || tx.shuns(user.id, author.id).await?
        {
            told.push(format!("{} takes no messages.", user.userid));
        } else {
            readers.push(user);
        }
    }
    if !readers.is_empty() {
        return Ok((readers, told));
    }
    let code = if is_unknown { Code::NoSuchUser } else { Code::NotAllowed };
    let refusal = Refusal::new(code, "nobody named gets this message; nothing was sent");
    Err(told.into_iter().fold(refusal, Refusal::hint).into())
}

/// Drops readers over their limit of messages, and says so; last are those to charge. Refuses if nobody is left.
fn spare_readers(
    limits: &Limits,
    ready: &Ready,
    readers: Vec<UserRow>,
    told: &mut Vec<String>,
) -> Result<(Vec<UserRow>, Vec<UserKey>), Refusal> {
    let (mut spared, mut charged, mut refused) = (Vec::new(), Vec::new(), None);
    for reader in readers {
        match check_reader(limits, ready, reader.id, &reader.userid) {
            Ok(charge) => {
                charged.extend(charge);
                spared.push(reader);
            }
            Err(refusal) => {
                told.push(format!("{} has got too many messages; send it to them later.", reader.userid));
                refused = Some(refusal);
            }
        }
    }
    match refused.filter(|_| spared.is_empty()) {
        Some(refusal) => Err(refusal),
        None => Ok((spared, charged)),
    }
}

pub(in crate::commands) fn text_of(ready: &Ready) -> Result<String, Refusal> {
    let text = ready.body.trim();
    if text.is_empty() {
        return Err(Refusal::new(Code::WrongArguments, "there is no text to pass on")
            .hint("Write what you want to say into the body, below the command."));
    }
    Ok(text.to_owned())
}
