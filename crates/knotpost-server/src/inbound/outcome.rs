//! What a received mail makes happen: its command, once, and the answers, all inside one transaction.

use super::answers::{Given, answer_error, answer_sender, may_chat};
use super::budgets::{Chatting, Purpose, Valve};
use super::classify::Class;
use super::identify::Identified;
use super::pipeline::Mail;
use super::reason::Reason;
use crate::app::App;
use crate::domain::{BoardRef, Millis};
use crate::service::{Audience, Prepared, Reply, apply, ask_for_confirmation, heard_from};
use crate::store::{StoreError, Tx};

/// What became of a mail.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// Its name for the inbox.
    pub(super) reason: Reason,
    /// The boards that changed; those who watch them are told after the commit.
    pub(super) boards: Vec<BoardRef>,
    /// The budget that had no room for an answer.
    pub(super) valve: Option<Valve>,
}

impl Outcome {
    fn of_answer(given: Given, reason: Reason) -> Self {
        Self { valve: given.valve(), ..given.reason(reason).into() }
    }

    /// The budget that others have spent so that this mail had no answer, when nothing else came of it either: sent
    /// again later it may be answered.
    pub(super) fn spent_by_others(&self) -> Option<Valve> {
        self.valve.filter(|valve| self.reason == Reason::GlobalBudget && valve.is_shared())
    }
}

impl From<Reason> for Outcome {
    /// An outcome that changed no board.
    fn from(reason: Reason) -> Self {
        Self { reason, boards: Vec::new(), valve: None }
    }
}

/// Executes the mail's command, unless the mail came before, and queues its answers, all inside the transaction.
pub(super) async fn decide(
    tx: &mut Tx,
    app: &App,
    mail: &Mail,
    prepared: &Prepared,
    is_first: bool,
    now: Millis,
) -> Result<Outcome, StoreError> {
    if !is_first {
        return repeat(tx, app, mail, prepared, now).await.map(Outcome::from);
    }
    if mail.class == Class::Bulk && !prepared.is_authenticated() {
        return Ok(Reason::MailingList.into());
    }
    if prepared.is_foreign() {
        // Whoever sent it learns nothing.
        ask_for_confirmation(tx, app, prepared, now).await?;
        let lacks_proof = prepared.is_unproven();
        return Ok(if lacks_proof { Reason::Unauthenticated } else { Reason::ForeignSender }.into());
    }
    if prepared.is_chat() {
        let chatting = may_chat(tx, mail, prepared, now).await?;
        if let Chatting::FirstRefused { chats } = chatting
            && mail.class == Class::Person
            && prepared.user().is_some()
        {
            let spent = (&Reply::ChatsSpent { chats }, Purpose::Answer);
            answer_sender(tx, app, mail, prepared, spent, now).await?;
        }
        if chatting != Chatting::Allowed {
            return Ok(Outcome { valve: Some(Valve::Chats), ..Reason::AnswerBudget.into() });
        }
    }
    let answer = apply(tx, app, prepared, now).await?;
    let failed = answer.failure.is_some();
    if let (false, Some(user), Some(sender)) = (failed, prepared.user(), &mail.sender) {
        heard_from(tx, user, sender).await?;
    }
    let several = matches!(mail.found, Identified::Multiple { .. });
    if failed && !several {
        if mail.class == Class::Bulk {
            return Ok(Reason::MailingList.into());
        }
        let given = answer_error(tx, app, mail, prepared, &answer, now).await?;
        let reason = if prepared.has_bad_pass() {
            Reason::BadToken
        } else if prepared.parses() {
            Reason::Refused
        } else {
            Reason::AnsweredError
        };
        return Ok(Outcome::of_answer(given, reason));
    }
    let done = if several { Reason::Multiple } else { Reason::Executed };
    let boards = if answer.changed { answer.boards } else { Vec::new() };
    if answer.audience == Audience::Sender && mail.class == Class::Person {
        let given = answer_sender(tx, app, mail, prepared, (&answer.reply, Purpose::Answer), now).await?;
        // What was changed stays changed, whether or not its sender can be told.
        let reason = if answer.changed { done } else { given.reason(done) };
        return Ok(Outcome { reason, boards, valve: given.valve() });
    }
    Ok(Outcome { reason: done, boards, valve: None })
}

/// The same mail again: what it did is told, not done. What was refused then was answered then.
async fn repeat(
    tx: &mut Tx,
    app: &App,
    mail: &Mail,
    prepared: &Prepared,
    now: Millis,
) -> Result<Reason, StoreError> {
    let first = tx.reason_of_first(&mail.dedupe_key).await?;
    let did =
        [Reason::Executed, Reason::Multiple].iter().any(|reason| first.as_deref() == Some(reason.as_str()));
    let tell = did && mail.class == Class::Person && !prepared.is_query() && prepared.is_authenticated();
    if tell {
        let reply = crate::service::already_played(tx, app, prepared, now).await?;
        answer_sender(tx, app, mail, prepared, (&reply, Purpose::Answer), now).await?;
    }
    Ok(Reason::Duplicate)
}
