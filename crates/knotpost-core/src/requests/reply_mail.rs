//! Mail that answers the sender of a request.

use std::borrow::Cow;

use crate::app::App;
use crate::boards::{Board, Games};
use crate::mailing::post::compose;
use crate::mailing::reply_grant::board_subject;
use crate::replies::{Answers, BoardFacts, Heading, Reply, Sheet};
use crate::requests::Ready;
use knotpost_model::{Address, Millis};
use knotpost_storage::{NewOutbox, ReadTx, StoreError, UserRow, WriteTx};

/// Composes the answer to the sender; `None`: there is no sender. If it shows one current board and goes to a
/// confirmed address of one of its players, it can be replied to without a password. With `most_bytes` it is
/// text alone, truncated.
pub async fn compose_answer(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    reply: &Reply,
    in_reply_to: Option<&str>,
    most_bytes: Option<usize>,
    now: Millis,
) -> Result<Option<NewOutbox>, StoreError> {
    let Some(sender) = &ready.origin.sender else { return Ok(None) };
    let mut reply = Cow::Borrowed(reply);
    let mut subject = None;
    if let Some((board, reader)) = find_answered(tx, &app.games, ready, &reply, sender).await? {
        subject = board_subject(tx, app, &board, &reader, &sender.to_string(), None).await?;
        if subject.is_some() && reply.takes_move_in_subject() {
            tell_answers(reply.to_mut(), &board, &reader);
        }
    }
    compose(tx, app, &reply, sender, ready.user(), (in_reply_to, subject), most_bytes, now).await.map(Some)
}

async fn find_answered(
    tx: &mut ReadTx,
    games: &Games,
    ready: &Ready,
    reply: &Reply,
    sender: &Address,
) -> Result<Option<(Board, UserRow)>, StoreError> {
    let sheets = reply.sheets();
    let Some((first, others)) = sheets.split_first() else { return Ok(None) };
    let name = |sheet: &Sheet| sheet.number.map(|number| (sheet.game.clone(), number));
    if others.iter().any(|sheet| name(sheet) != name(first)) {
        return Ok(None);
    }
    let grant = ready.grant();
    // A thread about a board stays with that board, whatever was shown in between.
    let shown = match grant {
        Some(grant) => Some((grant.board.game.clone(), grant.board.number as u32)),
        None => name(first),
    };
    let Some((game, number)) = shown else { return Ok(None) };
    let Some(board) = Board::load(tx, games, &game, number).await? else { return Ok(None) };
    // Only a reader who sees the current board can act on it.
    let last =
        sheets.last().is_some_and(|sheet| sheet.heading == Heading::Show && sheet.ply == board.entries.len());
    let reader = match grant {
        Some(grant) => Some(grant.user.clone()),
        None if !last => None,
        None => find_reader(tx, ready, sender).await?,
    };
    Ok(reader.map(|reader| (board, reader)))
}

/// The sender of the command, or the only user at the address it came from.
async fn find_reader(
    tx: &mut ReadTx,
    ready: &Ready,
    sender: &Address,
) -> Result<Option<UserRow>, StoreError> {
    if let Some(user) = ready.user() {
        return tx.user(user).await;
    }
    let mut readers = tx.users_at(&sender.key()).await?;
    Ok(if readers.len() == 1 { readers.pop() } else { None })
}

/// Adds the possible replies to a reader who is shown the current board.
fn tell_answers(reply: &mut Reply, board: &Board, reader: &UserRow) {
    for sheet in reply.sheets_mut() {
        let is_now = sheet.heading == Heading::Show && sheet.ply == board.entries.len();
        if is_now && sheet.answers.is_none() {
            sheet.answers = Some(Answers::of(board, &BoardFacts::plain(sheet.heading), reader));
        }
    }
}
