//! Executes the command of a mail, once, and queues its answers, inside one transaction.

use crate::inbound::commit::answers::{Given, answer_error, answer_sender, may_chat};
use crate::inbound::commit::budgets::{Chatting, Purpose, Valve};
use crate::inbound::identify::Identified;
use crate::inbound::read::Mail;
use crate::inbound::read::classify::Class;
use crate::inbound::reason::Reason;
use knotpost_core::app::App;
use knotpost_core::commands::apply;
use knotpost_core::mailing::heard_from;
use knotpost_core::replies::{Audience, ChatsSpent, Reply};
use knotpost_core::requests::{Prepared, ask_for_confirmation};
use knotpost_model::{BoardRef, Millis};
use knotpost_storage::{StoreError, WriteTx};

/// What became of a mail.
#[derive(Clone, Debug)]
pub(in crate::inbound) struct Outcome {
    /// Its name for the inbox.
    pub(in crate::inbound) reason: Reason,
    /// The boards that changed; watchers are notified after the commit.
    pub(in crate::inbound) boards: Vec<BoardRef>,
    /// The spent budget for which an answer was withheld.
    pub(in crate::inbound) valve: Option<Valve>,
}

impl Outcome {
    fn of_answer(given: Given, reason: Reason) -> Self {
        Self { valve: given.valve(), ..given.reason(reason).into() }
    }

    /// The shared budget for which an answer was withheld when nothing else came of the mail: sent again later, the mail
    /// may be answered.
    pub(in crate::inbound) fn spent_by_others(&self) -> Option<Valve> {
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
pub(in crate::inbound) async fn execute_mail(
    tx: &mut WriteTx,
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
        // The sender learns nothing.
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
            let spent = (&Reply::from(ChatsSpent { chats }), Purpose::Answer);
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
        let reason = if prepared.has_bad_grant() {
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
        // A change stands whether or not the sender can be answered.
        let reason = if answer.changed { done } else { given.reason(done) };
        return Ok(Outcome { reason, boards, valve: given.valve() });
    }
    Ok(Outcome { reason: done, boards, valve: None })
}

/// A mail that came before: it is answered with what it did then, and not executed again. A refusal was answered
/// then.
async fn repeat(
    tx: &mut WriteTx,
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
        let reply = knotpost_core::commands::already_played(tx, app, prepared, now).await?;
        answer_sender(tx, app, mail, prepared, (&reply, Purpose::Answer), now).await?;
    }
    Ok(Reason::Duplicate)
}
