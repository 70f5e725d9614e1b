//! Which answers go to the sender of a mail, and when there have been enough.
//!
//! The budgets end every circle that classification does not see. They are counted in the database, for all
//! processes together, and cannot be switched off.

use super::pipeline::Mail;
use super::reason::Reason;
use crate::app::App;
use crate::domain::{Address, Millis};
use crate::service::{Answer, ErrorReply, Prepared, Reply, post_answer};
use crate::store::{StoreError, Tx};

/// Error answers to one address in an hour; the next one says that there will be no more.
const ERROR_ANSWERS: i64 = 10;
/// Answers to queries of one address in an hour.
const QUERY_ANSWERS: i64 = 200;
/// Answers to one and the same query of one address in an hour: nobody asks so often, but programs.
const SAME_ANSWERS: i64 = 10;
/// Chats of one address in an hour: each is a mail to all players, whose programs may answer it.
const CHATS: i64 = 30;
/// Error answers of the whole server in an hour.
const ALL_ERROR_ANSWERS: i64 = 2_000;

/// An error answer, as long as the address and the server have not had too many.
pub(super) async fn answer_error(
    tx: &mut Tx,
    app: &App,
    mail: &Mail,
    prepared: &Prepared,
    answer: &Answer,
    now: Millis,
) -> Result<Reason, StoreError> {
    let hour = now.0 / 3_600_000;
    let Some(sender) = &mail.sender else { return Ok(Reason::NoSender) };
    let count = tx.count_answer(&format!("errors {}", sender.key()), hour).await?;
    if count > ERROR_ANSWERS + 1 {
        return Ok(Reason::AnswerBudget);
    }
    if tx.count_answer("errors of all", hour).await? > ALL_ERROR_ANSWERS {
        return Ok(Reason::GlobalBudget);
    }
    if count == ERROR_ANSWERS + 1 {
        answer_sender(tx, app, mail, prepared, &[Reply::BudgetSpent { answers: ERROR_ANSWERS }], now).await?;
        return Ok(Reason::AnswerBudget);
    }
    let replies =
        if is_known(tx, prepared, sender).await? { answer.replies.clone() } else { plain(prepared, answer) };
    answer_sender(tx, app, mail, prepared, &replies, now).await?;
    if prepared.has_bad_pass() {
        return Ok(Reason::BadToken);
    }
    Ok(if prepared.parses() { Reason::Refused } else { Reason::AnsweredError })
}

/// Whether an answer to a query may go to the sender: answers have a budget, and so has each one by itself.
pub(super) async fn may_ask(
    tx: &mut Tx,
    mail: &Mail,
    prepared: &Prepared,
    now: Millis,
) -> Result<bool, StoreError> {
    let same = format!("same {}", prepared.echo.chars().take(100).collect::<String>());
    Ok(has_budget(tx, mail, "answers", QUERY_ANSWERS, now).await?
        && has_budget(tx, mail, &same, SAME_ANSWERS, now).await?)
}

/// Whether a sender may chat by mail.
pub(super) enum Chatting {
    /// Yes.
    Allowed,
    /// No, and this is the first time in an hour: so many were carried out.
    FirstRefused(i64),
    /// No.
    Refused,
}

/// Whether the sender may chat by mail: at a reply address the note of a holiday may begin with that word.
pub(super) async fn may_chat(tx: &mut Tx, mail: &Mail, now: Millis) -> Result<Chatting, StoreError> {
    let Some(sender) = &mail.sender else { return Ok(Chatting::Refused) };
    let count = tx.count_answer(&format!("chats {}", sender.key()), now.0 / 3_600_000).await?;
    Ok(match count {
        ..=CHATS => Chatting::Allowed,
        count if count == CHATS + 1 => Chatting::FirstRefused(CHATS),
        _ => Chatting::Refused,
    })
}

/// Whether the sender is somebody: he proved it now, or reads mail at this address.
async fn is_known(tx: &mut Tx, prepared: &Prepared, sender: &Address) -> Result<bool, StoreError> {
    Ok(prepared.user().is_some() || tx.is_proven_address(&sender.key()).await?)
}

/// What a stranger reads: nothing of what he wrote, since anybody may write anybody's address into a From.
fn plain(prepared: &Prepared, answer: &Answer) -> Vec<Reply> {
    if !prepared.parses() {
        return vec![Reply::Stranger];
    }
    let without_echo = |reply: &Reply| match reply {
        Reply::Error(error) => {
            let error = ErrorReply { echo: String::new(), sheet: None, ..(**error).clone() };
            Reply::Error(Box::new(error))
        }
        other => other.clone(),
    };
    answer.replies.iter().map(without_echo).collect()
}

async fn has_budget(
    tx: &mut Tx,
    mail: &Mail,
    kind: &str,
    most: i64,
    now: Millis,
) -> Result<bool, StoreError> {
    let Some(sender) = &mail.sender else { return Ok(false) };
    Ok(tx.count_answer(&format!("{kind} {}", sender.key()), now.0 / 3_600_000).await? <= most)
}

pub(super) async fn answer_sender(
    tx: &mut Tx,
    app: &App,
    mail: &Mail,
    prepared: &Prepared,
    replies: &[Reply],
    now: Millis,
) -> Result<(), StoreError> {
    let parent = mail.message.message_id.as_deref().unwrap_or_default();
    for reply in replies {
        post_answer(tx, app, prepared, reply, Some(parent).filter(|id| is_quotable(id)), now).await?;
    }
    Ok(())
}

/// Only a Message-ID that is one can be named in an answer.
fn is_quotable(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 900
        && id.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>".contains(&byte))
}
