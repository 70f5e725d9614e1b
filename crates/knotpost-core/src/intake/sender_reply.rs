//! Replies to the sender of a mail: at most one each, within the budgets.

use knotpost_commands::{Command, Password, Userid};
use serde::Serialize;
use serde_json::json;

use super::budgets::{BudgetKind, ChatPermission, MAX_ANSWER_BYTES, Purpose, SenderBudgets, end_of_silence};
use super::mail::IncomingMail;
use super::reason::Reason;
use crate::app::App;
use crate::boards::Code;
use crate::identity::is_welcome;
use crate::replies::{Answer, Content, ErrorReply, Facts, Reply};
use crate::requests::{Ready, compose_answer};
use knotpost_model::{Address, Millis};
use knotpost_storage::{NewOutbox, OutboxContent, ReadTx, StoreError, WriteTx};

/// Error answer to an unknown sender, without any of their words.
#[derive(Debug, Serialize)]
struct Stranger {
    /// Reason in fixed words; `None`: not a command.
    reason: Option<String>,
}

impl Content for Stranger {
    const TEMPLATE: &'static str = "stranger";

    fn facts(&self) -> Facts {
        let reason =
            self.reason.as_ref().map(|reason| format!("Your mail could not be carried out: {reason}."));
        Facts::none()
            .prose("reason", reason)
            .prose("rules", format!("A userid has {}. A password has {}.", Userid::rule(), Password::rule()))
    }
}

pub(super) async fn reply_with_error(
    tx: &mut WriteTx,
    app: &App,
    mail: &IncomingMail,
    ready: &Ready,
    answer: &Answer,
    now: Millis,
) -> Result<ReplyOutcome, StoreError> {
    let Some(sender) = &mail.sender else { return Ok(ReplyOutcome::NoAddress) };
    let mut reply =
        if is_known(tx, ready, sender).await? { answer.reply.clone() } else { plain(ready, answer) };
    if let (Some(grant), Reply::Error(error)) = (ready.grant(), &mut reply)
        && let Some((userid, true)) = tx.addressee(grant.user.id, &sender.key()).await?
    {
        // Mails about one board to two users of an address look alike.
        error.hints.push(format!(
            "You replied to a mail for {userid}. Others read mail at {sender} too: the To of each mail names the \
             user it is for."
        ));
    }
    reply_to_sender(tx, app, mail, ready, (&reply, Purpose::Error), now).await
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyOutcome {
    Queued,
    NoAddress,
    Withheld(BudgetKind),
    /// Policy: strangers get no replies.
    ToStranger,
}

impl ReplyOutcome {
    /// `reason` if the reply was queued.
    pub(super) fn reason(self, reason: Reason) -> Reason {
        match self {
            Self::Queued => reason,
            Self::NoAddress => Reason::NoSender,
            Self::Withheld(budget) if budget.is_shared() => Reason::GlobalBudget,
            Self::Withheld(_) => Reason::AnswerBudget,
            Self::ToStranger => Reason::NotAllowed,
        }
    }

    pub(super) fn spent(self) -> Option<BudgetKind> {
        if let Self::Withheld(budget) = self { Some(budget) } else { None }
    }
}

/// Queues one reply and charges the budgets. A sender over their own budget is told once an hour.
pub(super) async fn reply_to_sender(
    tx: &mut WriteTx,
    app: &App,
    mail: &IncomingMail,
    ready: &Ready,
    (reply, purpose): (&Reply, Purpose),
    now: Millis,
) -> Result<ReplyOutcome, StoreError> {
    let Some(budgets) = SenderBudgets::of(tx, mail, ready).await? else {
        return Ok(ReplyOutcome::NoAddress);
    };
    if let Some(sender) = mail.sender.as_ref().filter(|_| !budgets.is_user)
        && !is_welcome(tx, &app.config, sender, ready.is_aligned()).await?
    {
        return Ok(ReplyOutcome::ToStranger);
    }
    let Some(answer) = compose(tx, app, mail, ready, reply, &budgets, now).await? else {
        return Ok(ReplyOutcome::NoAddress);
    };
    let bytes = size_of(&answer);
    let Some(spent) = budgets.find_spent(tx, purpose, &ready.echo, bytes, now).await? else {
        budgets.charge(tx, purpose, &ready.echo, bytes, now).await?;
        tx.insert_outbox(&answer).await?;
        return Ok(ReplyOutcome::Queued);
    };
    if budgets.take_spent_notice(tx, &spent, now).await? {
        let facts = json!({ "errors": spent.errors, "silence": end_of_silence(now) });
        let told = Reply::said("budget_spent", facts);
        let last = compose(tx, app, mail, ready, &told, &budgets, now).await?;
        if let Some(last) = last {
            budgets.charge(tx, purpose, "", size_of(&last), now).await?;
            tx.insert_outbox(&last).await?;
        }
    }
    Ok(ReplyOutcome::Withheld(spent.kind))
}

async fn compose(
    tx: &mut WriteTx,
    app: &App,
    mail: &IncomingMail,
    ready: &Ready,
    reply: &Reply,
    budgets: &SenderBudgets,
    now: Millis,
) -> Result<Option<NewOutbox>, StoreError> {
    let parent = mail.message_id.as_deref().filter(|id| is_quotable(id)).unwrap_or_default();
    let most = budgets.is_unproven.then_some(MAX_ANSWER_BYTES);
    compose_answer(tx, app, ready, reply, Some(parent).filter(|id| !id.is_empty()), most, now).await
}

/// Stored size, near that of the message.
fn size_of(mail: &NewOutbox) -> usize {
    match &mail.content {
        OutboxContent::Reference(facts) => facts.len(),
        OutboxContent::Board(board) => board.facts.len(),
    }
}

/// Permission to chat by mail, limited because an autoresponder's notice to a reply address looks like a
/// chat.
pub(super) async fn may_chat(
    tx: &mut WriteTx,
    mail: &IncomingMail,
    ready: &Ready,
    now: Millis,
) -> Result<ChatPermission, StoreError> {
    match SenderBudgets::of(tx, mail, ready).await? {
        Some(budgets) => budgets.may_chat(tx, now).await,
        None => Ok(ChatPermission::Refused),
    }
}

/// True if the address is known to be a user's: proven by this mail, or confirmed before.
async fn is_known(tx: &mut ReadTx, ready: &Ready, sender: &Address) -> Result<bool, StoreError> {
    let proves_it_now = ready.user().is_some() && ready.is_aligned();
    Ok(proves_it_now || tx.is_proven_address(&sender.key()).await?)
}

fn plain(ready: &Ready, answer: &Answer) -> Reply {
    let command = match &ready.command {
        Ok(command) => command,
        Err(error) => return Reply::from(Stranger { reason: error.rule.clone() }),
    };
    match (&answer.reply, &answer.failure) {
        (Reply::Error(error), Some(failure)) if ready.user().is_some() || is_fixed(command, failure.code) => {
            let error = ErrorReply { echo: String::new(), sheet: None, ..(**error).clone() };
            Reply::Error(Box::new(error))
        }
        (_, Some(failure)) => {
            Reply::from(Stranger { reason: reason_without_words(command, failure.code).map(str::to_owned) })
        }
        (other, None) => other.clone(),
    }
}

/// True if the refusal consists of the server's words only.
fn is_fixed(command: &Command, code: Code) -> bool {
    match code {
        Code::BadCredentials | Code::Unavailable => true,
        Code::NotAllowed => matches!(command, Command::Signup { .. }),
        // A challenge names the player who was challenged too often.
        Code::RateLimited => !matches!(command, Command::Challenge { .. }),
        _ => false,
    }
}

/// Refusal for a sender to whom nothing of the mail may be repeated.
fn reason_without_words(command: &Command, code: Code) -> Option<&'static str> {
    match (command, code) {
        (Command::Help { .. }, _) => Some("there is no help about that; `help` alone shows what there is"),
        (Command::Signup { .. }, Code::UseridTaken) => {
            Some("somebody has this userid already; choose another one")
        }
        (Command::Signup { .. }, _) => {
            Some("mail cannot be sent to such an address, or there are too many of them")
        }
        (_, Code::NoSuchUser) => Some("nobody here has this userid"),
        (_, Code::InvalidChallenge) => {
            Some("somebody who was challenged is not here, or does not take challenges")
        }
        (_, Code::NoSuchBoard) => Some("there is no such board"),
        (_, Code::UnknownGame) => Some("there is no such game here; `list` shows the games"),
        _ => None,
    }
}

fn is_quotable(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 900
        && id.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>".contains(&byte))
}
