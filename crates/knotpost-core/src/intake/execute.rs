//! Execution of a mailed command, exactly once, with its answers, inside one transaction.

use serde_json::json;

use super::budgets::{BudgetKind, ChatPermission, Purpose, end_of_silence};
use super::mail::{Class, CommandText, IncomingMail};
use super::reason::Reason;
use super::sender_reply::{ReplyOutcome, may_chat, reply_to_sender, reply_with_error};
use super::unconfirmed::acknowledge;
use crate::app::App;
use crate::commands;
use crate::commands::{Access, already_played, apply, most_answered};
use crate::identity::limits::Charge;
use crate::mailing::bounces::heard_from;
use crate::mailing::post::registered_addresses;
use crate::replies::{Answer, Audience, Reply};
use crate::requests::{Ready, ask_for_confirmation};
use knotpost_model::{BoardRef, Millis};
use knotpost_storage::{StoreError, WriteTx};

#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) reason: Reason,
    /// Changed boards; watchers are notified after the commit.
    pub(super) boards: Vec<BoardRef>,
    pub(super) spent: Option<BudgetKind>,
    /// Of the command, charged after the commit.
    pub(super) charges: Vec<Charge>,
}

impl Outcome {
    fn of_reply(replied: ReplyOutcome, reason: Reason) -> Self {
        Self { spent: replied.spent(), ..replied.reason(reason).into() }
    }

    /// Shared budget that withheld the only effect of the mail; a later delivery may be answered.
    pub(super) fn spent_by_others(&self) -> Option<BudgetKind> {
        self.spent.filter(|budget| self.reason == Reason::GlobalBudget && budget.is_shared())
    }
}

impl From<Reason> for Outcome {
    fn from(reason: Reason) -> Self {
        Self { reason, boards: Vec::new(), spent: None, charges: Vec::new() }
    }
}

/// Executes the command unless the mail is a duplicate, and queues its answers.
pub(super) async fn execute_mail(
    tx: &mut WriteTx,
    app: &App,
    mail: &IncomingMail,
    ready: &Ready,
    is_first: bool,
    now: Millis,
) -> Result<Outcome, StoreError> {
    if !is_first {
        return repeat(tx, app, mail, ready, now).await.map(Outcome::from);
    }
    let is_bulk = mail.class == Class::Bulk;
    // Autoresponders marked as no more than `bulk` write to reply addresses, too.
    if is_bulk && (ready.is_talk() || !ready.is_authenticated()) && !ready.only_ends() {
        return Ok(Reason::MailingList.into());
    }
    if ready.is_foreign() {
        ask_for_confirmation(tx, app, ready, now).await?;
        let lacks_proof = ready.is_unproven();
        return Ok(if lacks_proof { Reason::Unauthenticated } else { Reason::ForeignSender }.into());
    }
    if ready.is_chat() {
        let permission = may_chat(tx, mail, ready, now).await?;
        if let ChatPermission::FirstRefused { chats } = permission
            && ready.user().is_some()
        {
            let facts = json!({ "chats": chats, "silence": end_of_silence(now) });
            let spent = Reply::said("chats_spent", facts);
            reply_to_sender(tx, app, mail, ready, (&spent, Purpose::Answer), now).await?;
        }
        if permission != ChatPermission::Allowed {
            return Ok(Outcome { spent: Some(BudgetKind::Chats), ..Reason::AnswerBudget.into() });
        }
    }
    let room = most_answered(ready);
    let commands::Outcome { answer, charges } =
        Box::pin(apply(&mut Access::Write(tx), app, ready, room, now)).await?;
    let failed = answer.failure.is_some();
    if let (false, Some(user), Some(sender)) = (failed, ready.user(), &mail.sender) {
        heard_from(tx, user, sender).await?;
    }
    let several = matches!(mail.command, CommandText::Multiple(_));
    if failed && !several {
        if is_bulk && !may_answer_bulk(tx, ready, now).await? {
            return Ok(Reason::MailingList.into());
        }
        let replied = reply_with_error(tx, app, mail, ready, &answer, now).await?;
        let reason = if ready.has_bad_grant() {
            Reason::BadToken
        } else if ready.parses() {
            Reason::Refused
        } else {
            Reason::AnsweredError
        };
        return Ok(Outcome::of_reply(replied, reason));
    }
    let done = if several { Reason::Multiple } else { Reason::Executed };
    let told = if is_unanswered(tx, app, mail, ready, &answer).await? {
        Some(answer.reply.clone())
    } else {
        acknowledge(tx, &app.config, mail, ready, &answer, now).await?
    };
    let boards = if answer.changed { answer.boards } else { Vec::new() };
    if answer.audience == Audience::Sender {
        let replied = reply_to_sender(tx, app, mail, ready, (&answer.reply, Purpose::Answer), now).await?;
        // A change stands even if its sender cannot be answered.
        let reason = if answer.changed { done } else { replied.reason(done) };
        return Ok(Outcome { reason, boards, spent: replied.spent(), charges });
    }
    let spent = match told {
        Some(told) => reply_to_sender(tx, app, mail, ready, (&told, Purpose::Answer), now).await?.spent(),
        None => None,
    };
    Ok(Outcome { reason: done, boards, spent, charges })
}

/// True if the sender's wishes would keep the board of their own command from them: a command by mail is answered by mail.
async fn is_unanswered(
    tx: &mut WriteTx,
    app: &App,
    mail: &IncomingMail,
    ready: &Ready,
    answer: &Answer,
) -> Result<bool, StoreError> {
    let Some(sender) = mail.sender.as_ref().filter(|_| mail.class == Class::Person) else { return Ok(false) };
    if let Some(user) = ready.user() {
        return Ok(answer.unmailed.contains(&user));
    }
    // A challenge needs no password; such a player is known by their address.
    let key = sender.key();
    for user in &answer.unmailed {
        let addresses = registered_addresses(tx, &app.config, *user).await?;
        if addresses.iter().any(|address| address.to_lowercase() == key) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Per day: errors answered to a possible autoresponder.
const BULK_ERRORS: i64 = 3;

/// Permission to answer an error of bulk mail: an autoresponder may have authenticated by a reply address,
/// and would answer the error again.
async fn may_answer_bulk(tx: &mut WriteTx, ready: &Ready, now: Millis) -> Result<bool, StoreError> {
    let Some(user) = ready.user() else { return Ok(false) };
    let day = now.0 / 86_400_000 * 24;
    Ok(tx.count_answer(&format!("bulk errors {}", user.0), day).await? <= BULK_ERRORS)
}

/// A duplicate is answered from its first outcome and not executed. A refusal was answered then.
async fn repeat(
    tx: &mut WriteTx,
    app: &App,
    mail: &IncomingMail,
    ready: &Ready,
    now: Millis,
) -> Result<Reason, StoreError> {
    let first = tx.reason_of_first(&mail.dedupe_key).await?;
    let did =
        [Reason::Executed, Reason::Multiple].iter().any(|reason| first.as_deref() == Some(reason.as_str()));
    let tell = did && !ready.is_query() && ready.is_authenticated();
    if tell {
        let reply = already_played(tx, &app.games, ready, now).await?;
        reply_to_sender(tx, app, mail, ready, (&reply, Purpose::Answer), now).await?;
    }
    Ok(Reason::Duplicate)
}
