//! `message` and `broadcast`: words passed on without anybody's address.

use std::sync::Arc;

use super::execute::authorize;
use super::post::post_to_user;
use super::prepare::check_rate;
use super::references::{Reference, post_reference};
use super::{Answer, Code, Prepared, Refusal, Reply, ServiceError};
use crate::app::App;
use crate::domain::{Millis, UserKey, limit_comment};
use crate::store::{ALL_GAMES, StoreError, Tx, UserRow, UserState};

/// Users one message goes to.
const MOST_READERS: usize = 20;
/// Users who get a broadcast in one transaction: others write in between.
const PART: i64 = 100;
/// Between two broadcasts of the same user.
const BROADCAST_PAUSE_MS: i64 = 86_400_000;

pub(super) async fn message(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    to: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, prepared).await?;
    let text = text_of(prepared)?;
    if to.len() > MOST_READERS {
        let message = format!("one message goes to at most {MOST_READERS} users");
        return Err(Refusal::new(Code::TooMuchMail, message).into());
    }
    let readers = find_readers(tx, to).await?;
    check_rate(prepared)?;
    let names: Vec<String> = readers.iter().map(|reader| reader.userid.clone()).collect();
    for reader in &readers {
        let reply = Reply::Message {
            reader: reader.userid.clone(),
            from: user.userid.clone(),
            to: names.clone(),
            text: text.clone(),
        };
        post_to_user(tx, app, &reply, reader.id, now).await?;
    }
    let receipt = Reply::MessageSent { from: user.userid.clone(), to: names };
    post_to_user(tx, app, &receipt, user.id, now).await?;
    Ok(Answer::to_registered(receipt))
}

/// Everybody named, once; or who of them cannot be written to.
async fn find_readers(tx: &mut Tx, names: &[String]) -> Result<Vec<UserRow>, ServiceError> {
    let (mut readers, mut unknown, mut unwilling): (Vec<UserRow>, Vec<String>, Vec<String>) =
        Default::default();
    for name in names {
        let Some(user) = tx.find_user(name).await? else {
            unknown.push(name.clone());
            continue;
        };
        let wants = tx.preference(user.id, ALL_GAMES, "messages").await?.is_none_or(|value| value != "off");
        if user.state != UserState::Active || !wants {
            unwilling.push(user.userid);
        } else if readers.iter().all(|reader| reader.id != user.id) {
            readers.push(user);
        }
    }
    if unknown.is_empty() && unwilling.is_empty() {
        return Ok(readers);
    }
    let code = if unknown.is_empty() { Code::NotAllowed } else { Code::NoSuchUser };
    let mut refusal = Refusal::new(code, "not everybody named takes messages; nothing was sent");
    if !unknown.is_empty() {
        refusal = refusal.hint(format!("Unknown: {}", unknown.join(", ")));
    }
    if !unwilling.is_empty() {
        refusal = refusal.hint(format!("Not willing: {}", unwilling.join(", ")));
    }
    Err(refusal.into())
}

fn text_of(prepared: &Prepared) -> Result<String, Refusal> {
    let text = prepared.body.trim();
    if text.is_empty() {
        return Err(Refusal::new(Code::WrongArguments, "there is no text to pass on")
            .hint("Write what you want to say into the body, below the command."));
    }
    Ok(text.to_owned())
}

/// Notes the words; workers pass them on, some users at a time.
pub(super) async fn broadcast(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, prepared).await?;
    let text = text_of(prepared)?;
    if user.role != "admin" && !tx.has_finished_a_game(user.id).await? {
        return Err(
            Refusal::new(Code::NotAllowed, "to write to everybody you must have finished a game").into()
        );
    }
    check_rate(prepared)?;
    take_broadcast(tx, app, &user, &text, now).await?;
    Ok(Answer::to_registered(Reply::BroadcastTaken { from: user.userid }))
}

/// Notes what this user writes to everybody, once a day, and gives him a receipt.
pub(super) async fn take_broadcast(
    tx: &mut Tx,
    app: &App,
    user: &UserRow,
    text: &str,
    now: Millis,
) -> Result<(), ServiceError> {
    let text = limit_comment(text.trim());
    if text.is_empty() {
        return Err(Refusal::new(Code::WrongArguments, "there is no text to pass on").into());
    }
    if !tx.claim_broadcast(user.id, now.plus(-BROADCAST_PAUSE_MS), now).await? {
        let mut refusal = Refusal::new(Code::RateLimited, "you may write to everybody once a day");
        refusal.retry_after = Some(86_400);
        return Err(refusal.into());
    }
    tx.insert_broadcast(user.id, &text, now).await?;
    let receipt = Reply::BroadcastTaken { from: user.userid.clone() };
    post_to_user(tx, app, &receipt, user.id, now).await?;
    Ok(())
}

/// Queues the oldest waiting broadcast for its next part of readers; `false`: none waits. How far it
/// came is stored in the same transaction, so that nobody gets it twice and a restart goes on there.
///
/// # Errors
/// When the database fails.
pub async fn pass_on_broadcast(app: &Arc<App>) -> Result<bool, StoreError> {
    if !app.store.glance().await?.has_waiting_broadcast().await? {
        return Ok(false);
    }
    let (now, shared) = (app.clock.now(), Arc::clone(app));
    let passed = app
        .store
        .write(move |tx| {
            let app = Arc::clone(&shared);
            Box::pin(async move {
                let Some(row) = tx.take_broadcast().await? else { return Ok(false) };
                let users = tx.broadcast_readers(row.after_user, PART).await?;
                let Some((last, _)) = users.last() else {
                    tx.advance_broadcast(row.id, row.after_user, Some(now)).await?;
                    return Ok(true);
                };
                tx.advance_broadcast(row.id, *last, None).await?;
                for (user, _) in users.iter().filter(|(_, wants)| *wants) {
                    post_reference(tx, &app, Reference::Broadcast(row.id), UserKey(*user), row.at).await?;
                }
                Ok(true)
            })
        })
        .await?;
    app.signals.outbox.notify_one();
    Ok(passed)
}
