//! Notifications about boards: mails to readers and events to their webhooks.
//!
//! Every use case that changes a board calls one of these, in the transaction of the change.

use crate::app::App;
use crate::boards::Board;
use crate::mailing::post::{post_board, post_to_user};
use crate::mailing::readers::{BoardReaders, Reader, readers, readers_and_watchers};
use crate::replies::facts::note_of_proposal;
use crate::replies::facts::notes_of_unreached;
use crate::replies::{BoardFacts, Heading, Note, Reply};
use crate::webhooks;
use knotpost_model::{Millis, UserKey};
use knotpost_storage::{StoreError, WriteTx};

/// Queues the board to its players and subscribers according to their preferences.
pub(crate) async fn notify_readers(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: BoardFacts,
    now: Millis,
) -> Result<BoardFacts, StoreError> {
    let BoardReaders { mut readers, watchers: subscribers } =
        readers_and_watchers(tx, &app.config, board).await?;
    readers.retain(|reader| !facts.spared.unheard_by.contains(&reader.user));
    let mut facts = BoardFacts { subscribers, ..facts };
    facts.earlier.extend(&board.parting_words);
    // A move voids a proposal, so only other mails have one.
    if facts.heading == Heading::Chat {
        facts.notes.extend(note_of_proposal(tx, board).await?);
    }
    let unreached = find_unreached(board, &readers);
    facts.spared.unmailed = notify(tx, app, board, &facts, readers, &unreached, now).await?;
    let mut facts = facts.with_moment(board, now);
    facts.notes.extend(unreached);
    Ok(facts)
}

fn find_unreached(board: &Board, readers: &[Reader]) -> Vec<Note> {
    notes_of_unreached(board, |seat| {
        readers.iter().any(|reader| reader.user == seat.user_id && reader.is_unreached())
    })
}

pub(crate) async fn notify_users(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: &BoardFacts,
    users: Vec<UserKey>,
    now: Millis,
) -> Result<(), StoreError> {
    // Players are looked up too: the mail names those whose mail bounces.
    let players = board.seats.iter().map(|seat| seat.user_id);
    let everybody = users.iter().copied().chain(players).collect();
    let mut readers = readers(tx, &app.config, board, everybody).await?;
    let unreached = find_unreached(board, &readers);
    readers.retain(|reader| users.contains(&reader.user));
    notify(tx, app, board, facts, readers, &unreached, now).await?;
    Ok(())
}

/// Queues webhook events, then mails; returns the readers who take none.
async fn notify(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: &BoardFacts,
    readers: Vec<Reader>,
    unreached: &[Note],
    now: Millis,
) -> Result<Vec<UserKey>, StoreError> {
    let users: Vec<UserKey> =
        readers.iter().filter(|reader| reader.has_webhooks).map(|reader| reader.user).collect();
    if !users.is_empty() {
        webhooks::queue_for_board(tx, app, board, facts, &users, now).await?;
    }
    post_board(tx, app, board, facts, readers, unreached, now).await
}

/// Mails the end of a board to users subscribed to ends. Players and subscribers get the board anyway.
pub(crate) async fn notify_of_end(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    now: Millis,
) -> Result<(), StoreError> {
    let mut readers = tx.notified_users(board.row.id).await?;
    if readers.is_empty() {
        return Ok(());
    }
    let watchers = tx.subscribers(board.row.id).await?;
    readers.retain(|reader| {
        watchers.iter().all(|(key, _)| UserKey(*key) != *reader)
            && board.seats.iter().all(|seat| seat.user_id != *reader)
    });
    notify_users(tx, app, board, &BoardFacts::plain(Heading::Notification), readers, now).await
}

/// Mails players, watchers and subscribers to its end that a board was removed.
pub(crate) async fn notify_of_removal(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    reply: &Reply,
    now: Millis,
) -> Result<(), StoreError> {
    let mut told = Vec::new();
    let watchers = tx.subscribers(board.row.id).await?.into_iter().map(|(key, _)| key.into());
    let waiting = tx.users_waiting_for(board.row.id).await?;
    let everybody = board.seats.iter().map(|seat| seat.user_id).chain(watchers).chain(waiting);
    for user in everybody {
        if !told.contains(&user) {
            told.push(user);
            post_to_user(tx, app, reply, user, now).await?;
        }
    }
    webhooks::queue_for_removed(tx, app, board, &told, now).await
}
