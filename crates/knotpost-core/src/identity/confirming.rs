//! Confirmation of addresses: mails that ask, and links and replies that confirm.

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use crate::app::App;
use crate::boards::Code;
use crate::boards::{Refusal, ServiceError};
use crate::identity::authentication::check_proven;
use crate::identity::undoing::announce_change;
use crate::identity::{Origin, ProvenUser};
use crate::mailing::post::{post_answerable, registered_addresses};
use crate::mailing::reply_address::Purpose;
use crate::mailing::reply_grant::{AnsweredMail, Subject};
use crate::replies::{Answer, Reply};
use knotpost_model::{Address, Millis, UserKey, without_tag};
use knotpost_storage::{
    ConfirmationShare, ReadTx, STOPPED_BY_READER, StoreError, UserRow, UserState, WriteTx,
};

pub(crate) const GOOD_FOR_DAYS: i64 = 7;
const DAY_MS: i64 = 86_400_000;

/// Confirmation mails to one address, whoever asks: three a day, ten in thirty days. One user causes at most
/// twenty a day.
const OF_ALL: ConfirmationShare = ConfirmationShare {
    aligned: false,
    limits: &[(3, DAY_MS), (10, 30 * DAY_MS)],
    of_user: Some((20, DAY_MS)),
};
/// Additional share if the address asks itself, by a mail that its domain vouches for: three a day.
const OWN: ConfirmationShare = ConfirmationShare { aligned: true, limits: &[(3, DAY_MS)], of_user: None };

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    NotNeeded,
    Sent,
    /// Not now: the last one for this user was sent at this time.
    Lately(String),
    /// Not now, and none was ever sent for this user.
    Never,
    /// Blocked by its reader or an administrator.
    Blocked,
}

#[derive(Debug)]
pub(crate) struct Proven {
    pub(crate) user: UserRow,
    pub(crate) is_first: bool,
}

pub(crate) async fn register(
    tx: &mut WriteTx,
    app: &App,
    origin: &Origin,
    user: &UserRow,
    address: &Address,
    now: Millis,
) -> Result<Asked, StoreError> {
    let (confirm, key) = (app.config.confirms_addresses(), address.key());
    tx.add_address(user.id, address, (!confirm).then_some(now), now).await?;
    let is_stopped = tx.address_trouble(&key).await?.flatten().is_some();
    if !confirm {
        if is_stopped {
            tx.start_address(&key).await?;
        }
        return Ok(Asked::NotNeeded);
    }
    // A bounced address must be confirmed again.
    if !is_stopped && tx.proven_address(user.id, &key).await?.is_some() {
        return Ok(Asked::NotNeeded);
    }
    let asks_itself = origin.aligned && origin.sender.as_ref().is_some_and(|sender| sender.key() == key);
    if asks_itself {
        tx.unblock_by_reader(&key).await?;
    }
    if tx.is_blocked(&key).await? {
        return Ok(Asked::Blocked);
    }
    // Tags ignored: they lead to one reader.
    let mailbox = without_tag(&key);
    let last = tx.last_confirmation(user.id, &mailbox).await?;
    let share = if asks_itself { OWN } else { OF_ALL };
    if !tx.claim_confirmation((user.id, &mailbox), share, now).await? {
        return Ok(last.map_or(Asked::Never, |at| Asked::Lately(at.to_readable())));
    }
    let subject = Subject::Address { asked: now }.answerable(app);
    let facts = json!({
        "userid": user.userid,
        "link": app.links.confirmation(user.id, &key, now.plus(GOOD_FOR_DAYS * DAY_MS)),
        "days": GOOD_FOR_DAYS,
        "by_reply": subject.is_some(),
    });
    let reply = Reply::said("confirm_address", facts);
    post_answerable(tx, app, &reply, address, Some(user.id), (None, subject), now).await?;
    Ok(Asked::Sent)
}

/// Mails the question again to the addresses of a user who has confirmed none.
///
/// # Errors
///
/// Refused if none was sent: the last ones were sent lately, or the addresses take no mail.
pub async fn ask_again(app: &Arc<App>, proven: ProvenUser) -> Result<(), ServiceError> {
    app.write(async move |tx, app| {
        let now = app.clock.now();
        let user = check_proven(tx, &proven).await?;
        let (mut is_sent, mut refused) = (false, None);
        for row in tx.addresses(user.id).await? {
            let Ok(address) = row.address.parse::<Address>() else { continue };
            let refusal = match register(tx, app, &Origin::operator(), &user, &address, now).await? {
                Asked::Sent | Asked::NotNeeded => {
                    is_sent = true;
                    continue;
                }
                Asked::Lately(at) => Refusal::new(
                    Code::RateLimited,
                    format!("the last mail to {address} was sent {at}; look among the unwanted mails too"),
                ),
                Asked::Never => Refusal::new(
                    Code::RateLimited,
                    format!("{address} has been asked by others today; try again tomorrow"),
                ),
                Asked::Blocked => {
                    Refusal::new(Code::NotAllowed, format!("{address} has asked us not to write to it"))
                }
            };
            refused.get_or_insert(refusal);
        }
        match refused.filter(|_| !is_sent) {
            Some(refusal) => Err(ServiceError::from(refusal)),
            None => Ok(()),
        }
    })
    .await?;
    app.signals.outbox.notify_one();
    Ok(())
}

/// Confirms an address and drops those that it replaces. `None`: the user has no such address.
pub(crate) async fn prove(
    tx: &mut WriteTx,
    app: &App,
    user: UserKey,
    address_key: &str,
    now: Millis,
) -> Result<Option<Proven>, StoreError> {
    let user = tx.user(user).await?.filter(|user| user.state == UserState::Active);
    let Some(user) = user else { return Ok(None) };
    let before = registered_addresses(tx, &app.config, user.id).await?;
    let was_proven = tx.addresses(user.id).await?.iter().any(|row| row.verified_at.is_some());
    if !tx.verify_address(user.id, address_key, now).await? {
        return Ok(None);
    }
    tx.start_address(address_key).await?;
    tx.set_address_leaving(user.id, address_key, false).await?;
    tx.remove_leaving_addresses(user.id).await?;
    let after = registered_addresses(tx, &app.config, user.id).await?;
    if before.iter().any(|address| !after.contains(address)) {
        announce_change(tx, app, &user, &before, now).await?;
    }
    Ok(Some(Proven { user, is_first: !was_proven }))
}

#[derive(Clone, Debug)]
pub(crate) struct Answered {
    user: UserRow,
    address: String,
    asked: Millis,
    word: Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Yes,
    Stop,
    Other,
}

fn read_word(line: &str) -> Word {
    let word = line.trim().trim_end_matches(['.', '!', ',']).trim_matches(['`', '"', '\'', '*']);
    let is = |words: &[&str]| words.iter().any(|one| word.eq_ignore_ascii_case(one));
    if is(&["confirm", "yes", "ok"]) {
        Word::Yes
    } else if is(&["stop", "unsubscribe"]) {
        Word::Stop
    } else {
        Word::Other
    }
}

impl Answered {
    pub(crate) fn says_stop(&self) -> bool {
        self.word == Word::Stop
    }

    fn is_late(&self, now: Millis) -> bool {
        now > self.asked.plus(GOOD_FOR_DAYS * DAY_MS)
    }
}

pub(crate) async fn read_reply(
    tx: &mut ReadTx,
    mails: &[AnsweredMail],
    line: &str,
) -> Result<Option<Answered>, StoreError> {
    for mail in mails.iter().filter(|mail| mail.purpose == Some(Purpose::End) && !mail.is_revoked()) {
        let Some(Subject::Address { asked }) = mail.subject else { continue };
        let (user, address) = (mail.reader.clone(), mail.row.recipient.clone());
        if tx.address_id(user.id, &address.to_lowercase()).await?.is_some() {
            return Ok(Some(Answered { user, address, asked, word: read_word(line) }));
        }
    }
    Ok(None)
}

/// Confirms by a timely yes; `None`: something else, or too late.
pub(crate) async fn accept(
    tx: &mut WriteTx,
    app: &App,
    answered: &Answered,
    now: Millis,
) -> Result<Option<Proven>, StoreError> {
    if answered.word != Word::Yes || answered.is_late(now) {
        return Ok(None);
    }
    prove(tx, app, answered.user.id, &answered.address.to_lowercase(), now).await
}

/// Handles a reply that confirms nothing. Its answer goes to the address asked, whoever wrote.
pub(crate) async fn decline(
    tx: &mut WriteTx,
    app: &App,
    answered: &Answered,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let Answered { user, address, asked, word } = answered;
    let is_expired = answered.is_late(now);
    let key = address.to_lowercase();
    let is_in_use = tx.is_proven_address(&key).await?;
    // Never stops an address that somebody confirmed: game mail ends by `signoff` and `delete`.
    if *word == Word::Stop && !is_in_use {
        tx.block_address(&key, STOPPED_BY_READER, now).await?;
    }
    let is_in_use = is_in_use && *word == Word::Stop;
    let facts = json!({ "userid": user.userid, "is_expired": is_expired, "is_in_use": is_in_use });
    let said = Reply::said("confirm_hint", facts);
    // One hint per confirmation mail.
    let hint = format!("confirm {} {} {key}", user.id.0, asked.0);
    let last_hour = asked.plus((GOOD_FOR_DAYS + 1) * DAY_MS).0 / 3_600_000;
    if tx.proven_address(user.id, &key).await?.is_none()
        && !tx.is_blocked(&key).await?
        && tx.count_answer(&hint, last_hour).await? == 1
        && let Ok(recipient) = address.parse()
    {
        let subject = Subject::Address { asked: *asked }.answerable(app).filter(|_| !is_expired);
        post_answerable(tx, app, &said, &recipient, Some(user.id), (None, subject), now).await?;
    }
    Ok(Answer::to_registered(said))
}

pub fn too_old() -> Refusal {
    Refusal::new(
        Code::NotAllowed,
        format!(
            "addresses are confirmed within {GOOD_FOR_DAYS} days, and this is too old; to get another mail, send \
             `add USERID PASSWORD ADDRESS`, or sign up again with the same userid and password"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_is_said_in_few_words() {
        for yes in ["confirm", "Yes", "ok", "OK!", " `confirm` ", "yes.", "*ok*"] {
            assert_eq!(read_word(yes), Word::Yes, "{yes}");
        }
        for stop in ["stop", "STOP.", "\"stop\"", "Unsubscribe!"] {
            assert_eq!(read_word(stop), Word::Stop, "{stop}");
        }
        for other in ["", "no", "confirm it", "okay", "thanks, yes", "stop it"] {
            assert_eq!(read_word(other), Word::Other, "{other}");
        }
    }
}
