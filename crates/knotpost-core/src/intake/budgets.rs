//! Hourly budgets of answers, counted in the database for all servers. They cannot be switched off.
//!
//! An unauthenticated sender is limited by the budgets of the address, its domain, the delivering host, and
//! all mail together. Mail aligned with its domain has separate budgets, so that forged mail cannot use them
//! up. Authenticated users have their own while they write from an address of theirs: a password proves who
//! sent a mail, not who reads at its From, so answers elsewhere are limited like those to strangers.

use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};

use super::mail::IncomingMail;
use crate::requests::Ready;
use knotpost_model::{Millis, without_tag, words};
use knotpost_storage::{ReadTx, Spent, StoreError, WriteTx};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Budget {
    mails: i64,
    bytes: i64,
}

const fn budget(mails: i64, kilobytes: i64) -> Budget {
    Budget { mails, bytes: kilobytes * 1000 }
}

/// Per unauthenticated address, without its `+tag`.
const ADDRESS: Budget = budget(10, 60);
const DOMAIN: Budget = budget(200, 1_200);
const HOST: Budget = budget(200, 1_200);
const ALL: Budget = budget(1_000, 6_000);
/// Per address of mail aligned with its domain.
const ALIGNED_ADDRESS: Budget = budget(300, 30_000);
const ALIGNED_DOMAIN: Budget = budget(2_000, 40_000);
const ALIGNED_HOST: Budget = budget(2_000, 40_000);
const ALIGNED_ALL: Budget = budget(10_000, 200_000);
/// Per authenticated user; more than people need.
const USER: Budget = budget(300, 60_000);
const ERRORS: Budget = budget(60, 60_000);
/// Repetitions of one command line: only programs exceed it.
const SAME: Budget = budget(10, 60_000);
/// Chats of one sender: each is mailed to all players, whose programs may answer it.
const CHATS: Budget = budget(30, 60_000);

/// Size of an answer to unauthenticated mail.
pub(super) const MAX_ANSWER_BYTES: usize = 40_000;

words! {
    /// Named in the metric, the log and the refusal.
    BudgetKind {
        Address = "address",
        User = "user",
        Same = "same",
        Chats = "chats",
        Domain = "domain",
        Host = "host",
        All = "all",
    }
}

impl BudgetKind {
    pub(super) fn begin_counting() {
        for kind in Self::ALL {
            metrics::counter!("knotpost_budget_refusals_total", "budget" => kind.as_str()).increment(0);
        }
    }

    /// True if other senders can use it up.
    pub(super) fn is_shared(self) -> bool {
        matches!(self, Self::Domain | Self::Host | Self::All)
    }

    pub(super) fn note_refusal(self, now: Millis) {
        static WARNED: [AtomicI64; BudgetKind::ALL.len()] =
            [const { AtomicI64::new(-1) }; BudgetKind::ALL.len()];
        metrics::counter!("knotpost_budget_refusals_total", "budget" => self.as_str()).increment(1);
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

const HOUR_MS: i64 = 3_600_000;

fn hour_of(now: Millis) -> i64 {
    now.0 / HOUR_MS
}

/// Facts for the sender: the end of the hour that is spent.
pub(super) fn end_of_silence(now: Millis) -> Value {
    let end = Millis((hour_of(now) + 1) * HOUR_MS);
    json!({ "until": end.to_readable(), "minutes": (end.0 - now.0 + 59_999) / 60_000 })
}

#[derive(Debug)]
pub(super) struct SpentBudget {
    pub(super) kind: BudgetKind,
    key: String,
    budget: Budget,
    is_told: bool,
    /// For errors: the number answered. Successful commands are still answered.
    pub(super) errors: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChatPermission {
    Allowed,
    /// Refused for the first time in this hour.
    FirstRefused {
        chats: i64,
    },
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Answer,
    Error,
}

#[derive(Debug)]
pub(super) struct SenderBudgets {
    sender: String,
    /// Key of budgets of the answers: the user, or the destination mailbox.
    reader: String,
    own: (BudgetKind, Budget),
    shared: Vec<(BudgetKind, String, Budget)>,
    pub(super) is_user: bool,
    pub(super) is_unproven: bool,
}

impl SenderBudgets {
    /// `None`: a mail without a sender.
    pub(super) async fn of(
        tx: &mut ReadTx,
        mail: &IncomingMail,
        ready: &Ready,
    ) -> Result<Option<Self>, StoreError> {
        let Some(sender) = mail.sender.as_ref() else { return Ok(None) };
        let mailbox = without_tag(&sender.key());
        if let Some(user) = ready.user() {
            let name = format!("user {}", user.0);
            let reads = ready.is_aligned() || tx.proven_address(user, &sender.key()).await?.is_some();
            let (reader, own) = if reads {
                (name.clone(), (BudgetKind::User, USER))
            } else {
                (format!("users at {mailbox}"), (BudgetKind::Address, ADDRESS))
            };
            return Ok(Some(Self {
                sender: name,
                reader,
                own,
                shared: Vec::new(),
                is_user: true,
                is_unproven: !reads,
            }));
        }
        let (aligned, own, domain, host, all) = if ready.is_aligned() {
            ("aligned ", (BudgetKind::User, ALIGNED_ADDRESS), ALIGNED_DOMAIN, ALIGNED_HOST, ALIGNED_ALL)
        } else {
            ("", (BudgetKind::Address, ADDRESS), DOMAIN, HOST, ALL)
        };
        let mut shared = vec![(BudgetKind::Domain, format!("{aligned}domain {}", sender.domain()), domain)];
        if let Some(connecting) = ready.host() {
            shared.push((BudgetKind::Host, format!("{aligned}host {connecting}"), host));
        }
        shared.push((BudgetKind::All, format!("{aligned}all"), all));
        let name = format!("{aligned}address {mailbox}");
        let is_unproven = aligned.is_empty();
        Ok(Some(Self { reader: name.clone(), sender: name, own, shared, is_user: false, is_unproven }))
    }

    /// First budget without room for this mail, shared ones first.
    pub(super) async fn find_spent(
        &self,
        tx: &mut ReadTx,
        purpose: Purpose,
        echo: &str,
        bytes: usize,
        now: Millis,
    ) -> Result<Option<SpentBudget>, StoreError> {
        for (kind, key, budget) in &self.shared {
            if !has_room(tx, key, *budget, bytes, now).await? {
                let (key, kind, budget) = (key.clone(), *kind, *budget);
                return Ok(Some(SpentBudget { kind, key, budget, is_told: false, errors: None }));
            }
        }
        for spent in self.own_budgets(purpose, echo) {
            if !has_room(tx, &spent.key, spent.budget, bytes, now).await? {
                return Ok(Some(spent));
            }
        }
        Ok(None)
    }

    pub(super) async fn charge(
        &self,
        tx: &mut WriteTx,
        purpose: Purpose,
        echo: &str,
        bytes: usize,
        now: Millis,
    ) -> Result<(), StoreError> {
        let spent = Spent { mails: 1, bytes: i64::try_from(bytes).unwrap_or(i64::MAX) };
        let own = self.own_budgets(purpose, echo).into_iter().map(|own| own.key);
        // Fixed order, against deadlocks.
        for key in own.chain(self.shared.iter().map(|(_, key, _)| key.clone())) {
            tx.spend_of_budget(&key, spent, hour_of(now)).await?;
        }
        Ok(())
    }

    /// Claims the hourly notice about a spent personal budget; `false`: sent already, or none due.
    pub(super) async fn take_spent_notice(
        &self,
        tx: &mut WriteTx,
        spent: &SpentBudget,
        now: Millis,
    ) -> Result<bool, StoreError> {
        if !spent.is_told {
            return Ok(false);
        }
        let key = format!("told {}", if spent.errors.is_some() { &spent.key } else { &self.reader });
        if tx.spent_of_budget(&key, hour_of(now)).await?.mails > 0 {
            return Ok(false);
        }
        tx.spend_of_budget(&key, Spent { mails: 1, bytes: 0 }, hour_of(now)).await?;
        // No answer may follow the notice, even a small one.
        let rest = Spent { mails: spent.budget.mails, bytes: 0 };
        tx.spend_of_budget(&spent.key, rest, hour_of(now)).await?;
        Ok(true)
    }

    pub(super) async fn may_chat(&self, tx: &mut WriteTx, now: Millis) -> Result<ChatPermission, StoreError> {
        let one = Spent { mails: 1, bytes: 0 };
        let key = format!("chats {}", self.sender);
        if has_room(tx, &key, CHATS, 0, now).await? {
            tx.spend_of_budget(&key, one, hour_of(now)).await?;
            return Ok(ChatPermission::Allowed);
        }
        let told = format!("chats told {}", self.sender);
        if tx.spent_of_budget(&told, hour_of(now)).await?.mails > 0 {
            return Ok(ChatPermission::Refused);
        }
        tx.spend_of_budget(&told, one, hour_of(now)).await?;
        Ok(ChatPermission::FirstRefused { chats: CHATS.mails })
    }

    fn key(&self) -> String {
        format!("answers {}", self.reader)
    }

    fn own_budgets(&self, purpose: Purpose, echo: &str) -> Vec<SpentBudget> {
        let (kind, budget) = self.own;
        let mut budgets = vec![SpentBudget { kind, key: self.key(), budget, is_told: true, errors: None }];
        if purpose == Purpose::Error && !self.is_unproven {
            budgets.push(SpentBudget {
                kind: BudgetKind::User,
                key: format!("errors {}", self.sender),
                budget: ERRORS,
                is_told: true,
                errors: Some(ERRORS.mails),
            });
        }
        if !self.is_unproven {
            let line: String = echo.chars().take(100).collect();
            budgets.push(SpentBudget {
                kind: BudgetKind::Same,
                key: format!("same {} {line}", self.sender),
                budget: SAME,
                is_told: false,
                errors: None,
            });
        }
        budgets
    }
}

async fn has_room(
    tx: &mut ReadTx,
    key: &str,
    budget: Budget,
    bytes: usize,
    now: Millis,
) -> Result<bool, StoreError> {
    let spent = tx.spent_of_budget(key, hour_of(now)).await?;
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    Ok(spent.mails < budget.mails && spent.bytes.saturating_add(bytes) <= budget.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_silence_is_the_end_of_the_hour() {
        let ten = Millis::read("2026-11-20T10:00:00Z").expect("a moment");
        for (milliseconds, minutes, until) in [
            (0, 60, "2026-11-20 11:00 UTC"),
            (1, 60, "2026-11-20 11:00 UTC"),
            (60_000, 59, "2026-11-20 11:00 UTC"),
            (30 * 60_000 + 1, 30, "2026-11-20 11:00 UTC"),
            (HOUR_MS - 1, 1, "2026-11-20 11:00 UTC"),
            (HOUR_MS, 60, "2026-11-20 12:00 UTC"),
            (14 * HOUR_MS - 60_000, 1, "2026-11-21 00:00 UTC"),
        ] {
            let silence = end_of_silence(ten.plus(milliseconds));
            assert_eq!(silence, json!({ "until": until, "minutes": minutes }), "{milliseconds}");
        }
    }
}
