//! The puzzles of the day by mail, for those who want them so.

use std::sync::Arc;

use knotpost_rules::AnyGame;

use crate::app::App;
use crate::mailing::digest::next_mail_of_day;
use crate::mailing::references::{Reference, post_reference};
use crate::mailing::styles::Wishes;
use crate::replies::puzzle::puzzle_sheet;
use crate::replies::{Reply, Sheet};
use knotpost_model::{Millis, UserKey};
use knotpost_storage::{ALL_GAMES, PreferenceRow, ReadTx, StoreError, UserRow, UserState, WriteTx};

/// The preference: whether the puzzle of a game is mailed every day.
pub(crate) const PUZZLE: &str = "puzzle";

/// Users who get theirs in one transaction: others write in between.
const PART: i64 = 100;

/// The games of this server whose puzzles these preferences ask for. What is set for a game counts before what is set
/// for all games.
fn wanted_games<'a>(
    app: &'a App,
    stored: &'a [PreferenceRow],
) -> impl Iterator<Item = &'static dyn AnyGame> + 'a {
    let wish = |place: &str| {
        let mut rows = stored.iter().filter(|row| row.name == PUZZLE);
        rows.find(|row| row.game == place).map(|row| row.value == "on")
    };
    let everywhere = wish(ALL_GAMES).unwrap_or(false);
    app.games
        .offered()
        .filter(move |game| !game.meta().puzzles.is_empty() && wish(game.meta().name).unwrap_or(everywhere))
}

/// Notes when the user's next puzzles are due, after a change of what they want and when.
pub(crate) async fn schedule(
    tx: &mut WriteTx,
    app: &App,
    user: UserKey,
    now: Millis,
) -> Result<(), StoreError> {
    let stored = tx.preferences(user).await?;
    if wanted_games(app, &stored).next().is_none() {
        return tx.end_puzzle_mails(user).await;
    }
    let due = next_mail_of_day(tx, user, now).await?;
    tx.set_puzzle_mail_due(user, due).await
}

/// Takes every wish for puzzles back.
pub(crate) async fn stop(tx: &mut WriteTx, user: UserKey) -> Result<(), StoreError> {
    let stored = tx.preferences(user).await?;
    for row in stored.iter().filter(|row| row.name == PUZZLE) {
        tx.set_preference(user, &row.game, PUZZLE, None).await?;
    }
    tx.end_puzzle_mails(user).await
}

/// Queues the puzzles of the day for some of the users for whom they are due; `false`: for none. When the next ones are
/// due is stored in the same transaction, so that nobody gets them twice; days that the server missed are left out.
pub async fn send_due_puzzles(app: &Arc<App>) -> Result<bool, StoreError> {
    let now = app.clock.now();
    if app.store.query().await?.next_puzzle_mail_due().await?.is_none_or(|due| due > now.0) {
        return Ok(false);
    }
    let taken = app
        .write(async move |tx, app| {
            let users = tx.take_puzzle_mails(now, PART).await?;
            for user in &users {
                post_puzzles(tx, app, *user, now).await?;
            }
            Ok::<_, StoreError>(!users.is_empty())
        })
        .await?;
    app.signals.outbox.notify_one();
    Ok(taken)
}

async fn post_puzzles(tx: &mut WriteTx, app: &App, user: UserKey, now: Millis) -> Result<(), StoreError> {
    schedule(tx, app, user, now).await?;
    let active = tx.user(user).await?.is_some_and(|user| user.state == UserState::Active);
    let stored = tx.preferences(user).await?;
    if active && wanted_games(app, &stored).next().is_some() {
        post_reference(tx, app, Reference::Puzzles(now.day_of_year()), user, now).await?;
    }
    Ok(())
}

/// Reply with the puzzles of a day for this reader; `None`: they take no puzzles any more.
pub(crate) async fn letter(
    tx: &mut ReadTx,
    app: &App,
    reader: &UserRow,
    day: u16,
    now: Millis,
) -> Result<Option<Reply>, StoreError> {
    let stored = tx.preferences(reader.id).await?;
    let sheets: Vec<Sheet> =
        wanted_games(app, &stored).filter_map(|game| puzzle_sheet(game, day, now)).collect();
    if sheets.is_empty() {
        return Ok(None);
    }
    let mut reply = Reply::Puzzles { userid: reader.userid.clone(), day, sheets };
    let wishes = Wishes::of(tx, reader.id).await?;
    reply.lay_out(&|game: &str| wishes.style(game).layout);
    Ok(Some(reply))
}
