//! Which answer goes to the sender of a mail: one for a question at most, within the budgets.

use super::budgets::{Asker, Chatting, MOST_BYTES, Purpose, Valve};
use super::pipeline::Mail;
use super::reason::Reason;
use crate::app::App;
use crate::domain::{Address, Millis};
use crate::service::{Answer, ErrorReply, Prepared, Reply, compose_answer, is_welcome};
use crate::store::{NewOutbox, OutboxContent, StoreError, Tx};

/// An error answer, as long as the budgets have room for it.
pub(super) async fn answer_error(
    tx: &mut Tx,
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
pub(super) enum Given {
    /// It is queued.
    Queued,
    /// There is nobody to answer.
    Nobody,
    /// A budget has no room for it.
    Withheld(Valve),
    /// Strangers get no answers at the moment.
    ToStranger,
}

impl Given {
    /// The reason for the inbox; `reason` when the answer was given.
    pub(super) fn reason(self, reason: Reason) -> Reason {
        match self {
            Self::Queued => reason,
            Self::Nobody => Reason::NoSender,
            Self::Withheld(valve) if valve.is_shared() => Reason::GlobalBudget,
            Self::Withheld(_) => Reason::AnswerBudget,
            Self::ToStranger => Reason::NotAllowed,
        }
    }

    /// The budget that has no room.
    pub(super) fn valve(self) -> Option<Valve> {
        if let Self::Withheld(valve) = self { Some(valve) } else { None }
    }
}

/// Answers the sender with one mail, spending of the budgets what it takes. Who asks beyond their own budget is told
/// once in the hour.
pub(super) async fn answer_sender(
    tx: &mut Tx,
    app: &App,
    mail: &Mail,
    prepared: &Prepared,
    (reply, purpose): (&Reply, Purpose),
    now: Millis,
) -> Result<Given, StoreError> {
    let Some(asker) = Asker::of(mail, prepared) else { return Ok(Given::Nobody) };
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
        let last = compose(tx, app, mail, prepared, &Reply::BudgetSpent, &asker, now).await?;
        if let Some(last) = last {
            asker.spend(tx, purpose, "", size_of(&last), now).await?;
            tx.insert_outbox(&last).await?;
        }
    }
    Ok(Given::Withheld(valve))
}

async fn compose(
    tx: &mut Tx,
    app: &App,
    mail: &Mail,
    prepared: &Prepared,
    reply: &Reply,
    asker: &Asker,
    now: Millis,
) -> Result<Option<NewOutbox>, StoreError> {
    let parent = mail.message.message_id.as_deref().filter(|id| is_quotable(id)).unwrap_or_default();
    let most = asker.is_unproven.then_some(MOST_BYTES);
    compose_answer(tx, app, prepared, reply, Some(parent).filter(|id| !id.is_empty()), most, now).await
}

/// The bytes of a mail as it is stored. Of a mail that is completed when it is sent, these are its words.
fn size_of(mail: &NewOutbox) -> usize {
    match &mail.content {
        OutboxContent::Message(bytes) => bytes.len(),
        OutboxContent::Reference(facts) => facts.len(),
        OutboxContent::Board(board) => board.facts.len(),
    }
}

/// Whether the sender may chat by mail: at a reply address the note of a holiday may begin with that word.
pub(super) async fn may_chat(
    tx: &mut Tx,
    mail: &Mail,
    prepared: &Prepared,
    now: Millis,
) -> Result<Chatting, StoreError> {
    match Asker::of(mail, prepared) {
        Some(asker) => asker.may_chat(tx, now).await,
        None => Ok(Chatting::Refused),
    }
}

/// Whether the sender is somebody: proven now, or somebody reads mail at this address.
async fn is_known(tx: &mut Tx, prepared: &Prepared, sender: &Address) -> Result<bool, StoreError> {
    Ok(prepared.user().is_some() || tx.is_proven_address(&sender.key()).await?)
}

/// What a stranger reads: nothing of what was sent, since anybody may write anybody's address into a From.
fn plain(prepared: &Prepared, answer: &Answer) -> Reply {
    if !prepared.parses() {
        return Reply::Stranger;
    }
    match &answer.reply {
        Reply::Error(error) => {
            let error = ErrorReply { echo: String::new(), sheet: None, ..(**error).clone() };
            Reply::Error(Box::new(error))
        }
        other => other.clone(),
    }
}

/// Only a Message-ID that is one can be named in an answer.
fn is_quotable(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 900
        && id.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>".contains(&byte))
}
