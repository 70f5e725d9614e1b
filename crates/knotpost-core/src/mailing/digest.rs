//! One mail a day with all boards that changed, and news that can wait, for those who want it so.

use std::sync::Arc;

use crate::app::App;
use crate::boards::{Board, Games};
use crate::mailing::post::post_to_user;
use crate::mailing::styles::style_of;
use crate::replies::facts::{note_of_proposal, notes_of_unreached};
use crate::replies::sheet::{Listing, Spoken};
use crate::replies::{BoardFacts, Heading, Note, Reply, Sheet};
use knotpost_model::{BoardKey, BoardState, Millis, UserKey, Zone};
use knotpost_storage::{ALL_GAMES, ReadTx, StoreError, TakenDigest, UserState, WriteTx};

/// The hour of those who chose none.
pub(crate) const DEFAULT_HOUR: u8 = 7;

/// Notes that a board changed; the mail of the day will show it as it stands then.
pub(crate) async fn put_into_digest(
    tx: &mut WriteTx,
    user: UserKey,
    board: BoardKey,
    now: Millis,
) -> Result<(), StoreError> {
    tx.add_to_digest(user, board, now).await?;
    if tx.digest_due(user).await?.is_none() {
        let due = next_mail_of_day(tx, user, now).await?;
        tx.set_digest_due(user, due).await?;
    }
    Ok(())
}

/// Keeps the text of a mail about a game for the mail of the day. False: the user takes none about this game, or it would
/// come too late, at `needed` or afterwards.
pub(crate) async fn put_news_into_digest(
    tx: &mut WriteTx,
    app: &App,
    (user, game): (UserKey, &str),
    reply: &Reply,
    needed: Option<Millis>,
    now: Millis,
) -> Result<bool, StoreError> {
    if tx.preference(user, game, "moves").await?.as_deref() != Some("digest") {
        return Ok(false);
    }
    let due = match tx.digest_due(user).await? {
        Some(due) => Millis(due),
        None => next_mail_of_day(tx, user, now).await?,
    };
    if needed.is_some_and(|needed| needed <= due) {
        return Ok(false);
    }
    let (_, text) = app.composer.text(reply).map_err(StoreError::Corrupt)?;
    tx.add_news_to_digest(user, &text, now).await?;
    tx.set_digest_due(user, due).await?;
    Ok(true)
}

/// Moves what waits to the hour that is wanted now.
pub(crate) async fn move_digest(tx: &mut WriteTx, user: UserKey, now: Millis) -> Result<(), StoreError> {
    if tx.digest_due(user).await?.is_some() {
        let due = next_mail_of_day(tx, user, now).await?;
        tx.set_digest_due(user, due).await?;
    }
    Ok(())
}

/// Takes every wish for a mail of the day back, with what waits for the next one. A mail comes when it is the user's turn.
pub(crate) async fn stop(tx: &mut WriteTx, user: UserKey) -> Result<(), StoreError> {
    let stored = tx.preferences(user).await?;
    for row in stored.iter().filter(|row| row.name == "moves" && row.value == "digest") {
        tx.set_preference(user, &row.game, "moves", Some("mine")).await?;
    }
    tx.end_digest(user).await
}

/// Time of the user's next mail of the day, at the hour and in the time zone of their preferences.
pub(crate) async fn next_mail_of_day(
    tx: &mut ReadTx,
    user: UserKey,
    now: Millis,
) -> Result<Millis, StoreError> {
    let hour = tx.preference(user, ALL_GAMES, "digest").await?.and_then(|hour| hour.parse().ok());
    let zone = tx.preference(user, ALL_GAMES, "timezone").await?.and_then(|name| Zone::named(&name));
    Ok(zone.unwrap_or_else(Zone::utc).next_hour(hour.unwrap_or(DEFAULT_HOUR), now))
}

/// Queues the digest that is due longest; `false`: none is due.
pub async fn send_next_digest(app: &Arc<App>) -> Result<bool, StoreError> {
    let now = app.clock.now();
    if app.store.query().await?.next_digest_due().await?.is_none_or(|due| due > now.0) {
        return Ok(false);
    }
    let taken = app
        .write(async move |tx, app| {
            let Some(taken) = tx.take_digest(now).await? else { return Ok(false) };
            post_digest(tx, app, taken, now).await?;
            Ok::<_, StoreError>(true)
        })
        .await?;
    app.signals.outbox.notify_one();
    Ok(taken)
}

async fn post_digest(
    tx: &mut WriteTx,
    app: &App,
    TakenDigest { user, boards, news }: TakenDigest,
    now: Millis,
) -> Result<(), StoreError> {
    let Some(user) = tx.user(user).await?.filter(|user| user.state == UserState::Active) else {
        return Ok(());
    };
    let mut sheets = Vec::new();
    for entry in boards {
        let row = tx.board(entry.board_id).await?;
        let Some(row) = row.filter(|row| row.state != BoardState::Removed) else { continue };
        match digest_sheet(tx, &app.games, row, entry.since, (user.id, &user.userid), now).await {
            Ok(sheet) => sheets.push(sheet),
            // One board that cannot be shown must not keep the others back.
            Err(StoreError::Corrupt(what)) => tracing::error!(what, "a board is left out of a digest"),
            Err(error) => return Err(error),
        }
    }
    if sheets.is_empty() && news.is_empty() {
        return Ok(());
    }
    let turns = sheets.iter().filter(|sheet| sheet.is_turn_of(&user.userid)).count();
    let reply = Reply::Digest { userid: user.userid.clone(), turns, news, sheets };
    post_to_user(tx, app, &reply, user.id, now).await
}

/// The board as it stands, with all that was said since it was noted.
async fn digest_sheet(
    tx: &mut ReadTx,
    games: &Games,
    row: knotpost_storage::BoardRow,
    since: Millis,
    (user, userid): (UserKey, &str),
    now: Millis,
) -> Result<Sheet, StoreError> {
    let board = Board::from_row(tx, games, row).await?;
    let style = style_of(tx, user, &board.row.game).await?;
    let mut notes: Vec<Note> = note_of_proposal(tx, &board).await?.into_iter().collect();
    let around = tx.board_context(board.row.id, board.entries.len() as i64).await?;
    notes.extend(notes_of_unreached(&board, |seat| around.unreached.contains(&seat.userid)));
    let facts = BoardFacts { notes, style, ..BoardFacts::plain(Heading::Show) };
    let mut sheet = Sheet::of(&board, &facts, Some(userid), Listing::Recent, now);
    sheet.spoken = tx.remarks_since(board.row.id, since).await?.into_iter().map(Spoken::from).collect();
    Ok(sheet)
}
