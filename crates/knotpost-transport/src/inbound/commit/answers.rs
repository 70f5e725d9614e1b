//! Answers to the sender of a mail: one for each mail at most, within the budgets.

use crate::inbound::commit::budgets::{Asker, Chatting, MAX_ANSWER_BYTES, Purpose, Valve};
use crate::inbound::read::Mail;
use crate::inbound::reason::Reason;
use knotpost_core::app::App;
use knotpost_core::identity::is_welcome;
use knotpost_core::replies::{Answer, BudgetSpent, ErrorReply, Reply, Stranger};
use knotpost_core::requests::{Prepared, compose_answer};
use knotpost_model::{Address, Millis};
use knotpost_storage::{NewOutbox, OutboxContent, ReadTx, StoreError, WriteTx};

/// Answers with an error, within the budgets.
pub(in crate::inbound) async fn answer_error(
    tx: &mut WriteTx,
    app: &App,
    mail: &Mail,
    prepared: &Prepared,
    answer: &Answer,
    now: Millis,
) -> Result<Given, StoreError> {
    let Some(sender) = &mail.sender else { return Ok(Given::Nobody) };
    let reply =
        if is_known(tx, prepared, sender).await? { answer.reply.clone() } else { plain(prepared, answer) };
    answer_sender(tx, app, mail, prepared, (&reply, Purpose::Error), now).await
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::inbound) enum Given {
    /// It is queued.
    Queued,
    /// There is no address to answer.
    Nobody,
    /// A budget is spent.
    Withheld(Valve),
    /// Strangers get no answers at the moment.
    ToStranger,
}

impl Given {
    /// The reason for the inbox; `reason` when the answer was queued.
    pub(in crate::inbound) fn reason(self, reason: Reason) -> Reason {
        match self {
            Self::Queued => reason,
            Self::Nobody => Reason::NoSender,
            Self::Withheld(valve) if valve.is_shared() => Reason::GlobalBudget,
            Self::Withheld(_) => Reason::AnswerBudget,
            Self::ToStranger => Reason::NotAllowed,
        }
    }

    /// The spent budget.
    pub(in crate::inbound) fn valve(self) -> Option<Valve> {
        if let Self::Withheld(valve) = self { Some(valve) } else { None }
    }
}

/// Answers the sender with one mail and charges the budgets. A sender whose own budget is spent is told once an hour.
pub(in crate::inbound) async fn answer_sender(
    tx: &mut WriteTx,
    app: &App,
    mail: &Mail,
    prepared: &Prepared,
    (reply, purpose): (&Reply, Purpose),
    now: Millis,
) -> Result<Given, StoreError> {
    let Some(asker) = Asker::of(tx, mail, prepared).await? else { return Ok(Given::Nobody) };
    if let Some(sender) = mail.sender.as_ref().filter(|_| !asker.is_user)
        && !is_welcome(tx, app, sender, prepared.is_aligned()).await?
    {
        return Ok(Given::ToStranger);
    }
    let Some(answer) = compose(tx, app, mail, prepared, reply, &asker, now).await? else {
        return Ok(Given::Nobody);
    };
    let bytes = size_of(&answer);
    let Some(valve) = asker.closed(tx, purpose, &prepared.echo, bytes, now).await? else {
        asker.spend(tx, purpose, &prepared.echo, bytes, now).await?;
        tx.insert_outbox(&answer).await?;
        return Ok(Given::Queued);
    };
    if matches!(valve, Valve::Address | Valve::User) && asker.take_last_word(tx, now).await? {
        let last = compose(tx, app, mail, prepared, &Reply::from(BudgetSpent), &asker, now).await?;
        if let Some(last) = last {
            asker.spend(tx, purpose, "", size_of(&last), now).await?;
            tx.insert_outbox(&last).await?;
        }
    }
    Ok(Given::Withheld(valve))
}

async fn compose(
    tx: &mut WriteTx,
    app: &App,
    mail: &Mail,
    prepared: &Prepared,
    reply: &Reply,
    asker: &Asker,
    now: Millis,
) -> Result<Option<NewOutbox>, StoreError> {
    let parent = mail.message.message_id.as_deref().filter(|id| is_quotable(id)).unwrap_or_default();
    let most = asker.is_unproven.then_some(MAX_ANSWER_BYTES);
    compose_answer(tx, app, prepared, reply, Some(parent).filter(|id| !id.is_empty()), most, now).await
}

/// The stored size of a mail; of a mail that is completed when it is sent, the size of its facts.
fn size_of(mail: &NewOutbox) -> usize {
    match &mail.content {
        OutboxContent::Message(bytes) => bytes.len(),
        OutboxContent::Reference(facts) => facts.len(),
        OutboxContent::Board(board) => board.facts.len(),
    }
}

/// Whether the sender may chat by mail. Limited, because a vacation notice to a reply address may look like a chat.
pub(in crate::inbound) async fn may_chat(
    tx: &mut WriteTx,
    mail: &Mail,
    prepared: &Prepared,
    now: Millis,
) -> Result<Chatting, StoreError> {
    match Asker::of(tx, mail, prepared).await? {
        Some(asker) => asker.may_chat(tx, now).await,
        None => Ok(Chatting::Refused),
    }
}

/// Whether the address is known to be read by a user: the mail proves it, or the user has verified it before.
async fn is_known(tx: &mut ReadTx, prepared: &Prepared, sender: &Address) -> Result<bool, StoreError> {
    let proves_it_now = prepared.user().is_some() && prepared.is_aligned();
    Ok(proves_it_now || tx.is_proven_address(&sender.key()).await?)
}

/// The answer to a stranger. It repeats nothing of the mail, because a From can be forged.
fn plain(prepared: &Prepared, answer: &Answer) -> Reply {
    if !prepared.parses() {
        return Reply::from(Stranger);
    }
    match &answer.reply {
        Reply::Error(error) => {
            let error = ErrorReply { echo: String::new(), sheet: None, ..(**error).clone() };
            Reply::Error(Box::new(error))
        }
        other => other.clone(),
    }
}

/// Whether a Message-ID is well formed, so that an answer can refer to it.
fn is_quotable(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 900
        && id.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>".contains(&byte))
}
