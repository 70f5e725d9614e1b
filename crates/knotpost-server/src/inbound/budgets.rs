//! How much is answered to whom in an hour: the one table of it, and the counting in the database, for all servers
//! together. None of it can be switched off.
//!
//! Whoever proves nothing is bound by the budgets of the address, of its domain, of the host that brought the mail, and
//! of all together. Mail that its domain vouches for has shares of its own in all but the first, so that forged mail
//! cannot use them up; users who prove who they are spend of budgets of their own alone.

use std::sync::atomic::{AtomicI64, Ordering};

use super::pipeline::Mail;
use crate::domain::{Millis, without_tag};
use crate::service::Prepared;
use crate::store::{Spent, StoreError, Tx};

/// So much in an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    mails: i64,
    bytes: i64,
}

const fn budget(mails: i64, kilobytes: i64) -> Budget {
    Budget { mails, bytes: kilobytes * 1000 }
}

/// To one address that nothing proves, its `+tag` left out.
const ADDRESS: Budget = budget(10, 60);
/// To addresses of one domain that nothing proves.
const DOMAIN: Budget = budget(200, 1_200);
/// To mails of one host that nothing proves.
const HOST: Budget = budget(200, 1_200);
/// To all mails that nothing proves.
const ALL: Budget = budget(1_000, 6_000);
/// The same for mail that its domain vouches for.
const ALIGNED_ADDRESS: Budget = budget(300, 30_000);
const ALIGNED_DOMAIN: Budget = budget(2_000, 40_000);
const ALIGNED_HOST: Budget = budget(2_000, 40_000);
const ALIGNED_ALL: Budget = budget(10_000, 200_000);
/// To one user who proves who they are; people never ask so much.
const USER: Budget = budget(300, 60_000);
/// … of which errors.
const ERRORS: Budget = budget(200, 60_000);
/// To one and the same line of one sender: nobody asks so often, but programs.
const SAME: Budget = budget(10, 60_000);
/// Chats of one sender: each is a mail to all players, whose programs may answer it.
const CHATS: Budget = budget(30, 60_000);

/// Bytes of one answer to a mail that proves nothing.
pub(super) const MOST_BYTES: usize = 40_000;

/// A budget by name, for the metric, the log and the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Valve {
    Address,
    User,
    Same,
    Chats,
    Domain,
    Host,
    All,
}

impl Valve {
    fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::User => "user",
            Self::Same => "same",
            Self::Chats => "chats",
            Self::Domain => "domain",
            Self::Host => "host",
            Self::All => "all",
        }
    }

    /// Whether others spend of it too, so that somebody may find it spent who asked for nothing yet.
    pub(super) fn is_shared(self) -> bool {
        matches!(self, Self::Domain | Self::Host | Self::All)
    }

    /// What the host that brings a mail is told.
    pub(super) fn sentence(self) -> String {
        let whose = match self {
            Self::Domain => "addresses of this domain",
            Self::Host => "mail of your host",
            _ => "mail whose sender is not proven",
        };
        format!("too many answers went to {whose} within the hour; try again later")
    }

    /// Counts a refusal, and writes one line an hour about it.
    pub(super) fn note_refusal(self, now: Millis) {
        static WARNED: [AtomicI64; 7] = [const { AtomicI64::new(-1) }; 7];
        metrics::counter!("knotpost_budget_refusals", "budget" => self.as_str()).increment(1);
        let hour = hour_of(now);
        let warned = WARNED.get(self as usize);
        if warned.is_some_and(|warned| warned.swap(hour, Ordering::Relaxed) != hour) {
            tracing::warn!(
                budget = self.as_str(),
                "a budget for answers is spent; this line comes once an hour"
            );
        }
    }
}

fn hour_of(now: Millis) -> i64 {
    now.0 / 3_600_000
}

/// Whether a sender may chat by mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chatting {
    /// Yes.
    Allowed,
    /// No, and for the first time in the hour.
    FirstRefused {
        /// How many were carried out.
        chats: i64,
    },
    /// No.
    Refused,
}

/// What an answer is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A question.
    Answer,
    /// Something that could not be understood or carried out.
    Error,
}

/// The budgets that an answer to a mail is spent of.
#[derive(Debug)]
pub(super) struct Asker {
    /// Under which name this sender's own budgets are counted.
    who: String,
    own: (Valve, Budget),
    shared: Vec<(Valve, String, Budget)>,
    /// Whether a user proved who they are.
    pub(super) is_user: bool,
    /// Whether nothing proves who sent the mail.
    pub(super) is_unproven: bool,
}

impl Asker {
    /// `None`: a mail without a sender.
    pub(super) fn of(mail: &Mail, prepared: &Prepared) -> Option<Self> {
        let sender = mail.sender.as_ref()?;
        if let Some(user) = prepared.user() {
            return Some(Self {
                who: format!("user {}", user.0),
                own: (Valve::User, USER),
                shared: Vec::new(),
                is_user: true,
                is_unproven: false,
            });
        }
        let (aligned, own, domain, host, all) = if prepared.is_aligned() {
            ("aligned ", (Valve::User, ALIGNED_ADDRESS), ALIGNED_DOMAIN, ALIGNED_HOST, ALIGNED_ALL)
        } else {
            ("", (Valve::Address, ADDRESS), DOMAIN, HOST, ALL)
        };
        let mut shared = vec![(Valve::Domain, format!("{aligned}domain {}", sender.domain()), domain)];
        if let Some(connecting) = prepared.host() {
            shared.push((Valve::Host, format!("{aligned}host {connecting}"), host));
        }
        shared.push((Valve::All, format!("{aligned}all"), all));
        let who = format!("{aligned}address {}", without_tag(&sender.key()));
        let is_unproven = aligned.is_empty();
        Some(Self { who, own, shared, is_user: false, is_unproven })
    }

    /// The first of these budgets that has no room for a mail of so many bytes, those that others share before their
    /// own.
    pub(super) async fn closed(
        &self,
        tx: &mut Tx,
        purpose: Purpose,
        echo: &str,
        bytes: usize,
        now: Millis,
    ) -> Result<Option<Valve>, StoreError> {
        for (valve, key, budget) in &self.shared {
            if !has_room(tx, key, *budget, bytes, now).await? {
                return Ok(Some(*valve));
            }
        }
        for (valve, key, budget) in self.own_budgets(purpose, echo) {
            if !has_room(tx, &key, budget, bytes, now).await? {
                return Ok(Some(valve));
            }
        }
        Ok(None)
    }

    /// Spends of all these budgets.
    pub(super) async fn spend(
        &self,
        tx: &mut Tx,
        purpose: Purpose,
        echo: &str,
        bytes: usize,
        now: Millis,
    ) -> Result<(), StoreError> {
        let spent = Spent { mails: 1, bytes: i64::try_from(bytes).unwrap_or(i64::MAX) };
        let own = self.own_budgets(purpose, echo).into_iter().map(|(_, key, _)| key);
        // In an order that is the same for all, so that nobody waits in a circle.
        for key in own.chain(self.shared.iter().map(|(_, key, _)| key.clone())) {
            tx.spend_of_budget(&key, spent, hour_of(now)).await?;
        }
        Ok(())
    }

    /// Takes the one chance of an hour to say that this sender's own budget is spent; `false`: that was said.
    pub(super) async fn take_last_word(&self, tx: &mut Tx, now: Millis) -> Result<bool, StoreError> {
        let key = format!("told {}", self.who);
        if tx.spent_of_budget(&key, hour_of(now)).await?.mails > 0 {
            return Ok(false);
        }
        tx.spend_of_budget(&key, Spent { mails: 1, bytes: 0 }, hour_of(now)).await?;
        // What comes after it is silence, although a smaller answer might fit.
        let (_, budget) = self.own;
        let rest = Spent { mails: budget.mails, bytes: 0 };
        tx.spend_of_budget(&self.key(), rest, hour_of(now)).await?;
        Ok(true)
    }

    /// Whether this sender may say one more thing to all players of a board.
    pub(super) async fn may_chat(&self, tx: &mut Tx, now: Millis) -> Result<Chatting, StoreError> {
        let one = Spent { mails: 1, bytes: 0 };
        let key = format!("chats {}", self.who);
        if has_room(tx, &key, CHATS, 0, now).await? {
            tx.spend_of_budget(&key, one, hour_of(now)).await?;
            return Ok(Chatting::Allowed);
        }
        let told = format!("chats told {}", self.who);
        if tx.spent_of_budget(&told, hour_of(now)).await?.mails > 0 {
            return Ok(Chatting::Refused);
        }
        tx.spend_of_budget(&told, one, hour_of(now)).await?;
        Ok(Chatting::FirstRefused { chats: CHATS.mails })
    }

    fn key(&self) -> String {
        format!("answers {}", self.who)
    }

    fn own_budgets(&self, purpose: Purpose, echo: &str) -> Vec<(Valve, String, Budget)> {
        let (valve, own) = self.own;
        let mut budgets = vec![(valve, self.key(), own)];
        if purpose == Purpose::Error && !self.is_unproven {
            budgets.push((Valve::User, format!("errors {}", self.who), ERRORS));
        }
        if !self.is_unproven {
            let line: String = echo.chars().take(100).collect();
            budgets.push((Valve::Same, format!("same {} {line}", self.who), SAME));
        }
        budgets
    }
}

async fn has_room(
    tx: &mut Tx,
    key: &str,
    budget: Budget,
    bytes: usize,
    now: Millis,
) -> Result<bool, StoreError> {
    let spent = tx.spent_of_budget(key, hour_of(now)).await?;
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    Ok(spent.mails < budget.mails && spent.bytes.saturating_add(bytes) <= budget.bytes)
}
