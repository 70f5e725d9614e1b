//! Matching: candidates for a new board, and matching seeks.

use crate::config::Config;
use std::sync::Arc;

use knotpost_rules::AnyGame;

use crate::app::App;
use crate::boards::{Board, ServiceError};
use crate::identity::presence::{Absence, absences, find_rest};
use crate::play::challenge::{Cause, Opening, Terms, start};
use crate::play::notifications::notify_readers;
use knotpost_model::{BoardRef, Millis, UserKey};
use knotpost_platform::clock::{Clock, random_bytes};
use knotpost_storage::{SeekRow, StoreError, UserRow, UserState, WriteTx};

pub(crate) const SEATS: usize = 2;
const MOST_OTHERS: i64 = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    Ready,
    Absent(Absence),
    Unwilling,
    AtLimit,
}

/// Readiness of a user for a board with these others. Every board that begins outside of tournaments is asked for here,
/// for each of its players: nobody meets whom they have blocked.
pub(crate) async fn readiness(
    tx: &mut WriteTx,
    config: &Config,
    game: &str,
    user: &UserRow,
    others: &[UserKey],
) -> Result<Readiness, StoreError> {
    let is_off = user.is_computer_player() && !config.bots.enabled;
    match user.state {
        UserState::Active => {}
        UserState::Suspended => return Ok(Readiness::Absent(Absence::Suspended)),
        UserState::Deleted => return Ok(Readiness::Absent(Absence::Gone)),
    }
    if is_off || !tx.accepts(game, user.id).await? {
        return Ok(Readiness::Unwilling);
    }
    for other in others {
        if *other != user.id && tx.shuns(user.id, *other).await? {
            return Ok(Readiness::Unwilling);
        }
    }
    Ok(match tx.hold_board_limit(game, user.id).await? {
        Some(limit) if tx.count_active_boards(game, user.id).await? >= limit => Readiness::AtLimit,
        _ => Readiness::Ready,
    })
}

/// True if a board with these others can begin without asking the user: available, present, and reached by notifications.
pub(crate) async fn may_be_paired(
    tx: &mut WriteTx,
    clock: &dyn Clock,
    config: &Config,
    game: &str,
    user: &UserRow,
    others: &[UserKey],
) -> Result<bool, StoreError> {
    Ok(readiness(tx, config, game, user, others).await? == Readiness::Ready
        && find_rest(tx, clock, config, user.id).await?.is_none())
}

pub(crate) fn terms_text(seek: &SeekRow) -> String {
    let terms = Terms {
        rated: seek.rated,
        nag_ms: seek.nag_ms,
        forfeit_ms: seek.forfeit_ms,
        total_ms: seek.total_ms,
    };
    type_terms(&seek.options, terms)
}

pub(crate) fn type_terms(options: &str, terms: Terms) -> String {
    let mut words: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
    if !terms.rated {
        words.push("--unrated".to_owned());
    }
    let limits =
        [("nagtime", terms.nag_ms), ("forfeittime", terms.forfeit_ms), ("totaltime", terms.total_ms)];
    for (name, millis) in limits {
        words.extend(millis.map(|millis| format!("--{name}={}", millis as f64 / 86_400_000.0)));
    }
    words.join(" ")
}

/// Matches again after a board is over: its players may have room.
pub(crate) async fn seats_are_free(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    now: Millis,
) -> Result<(), ServiceError> {
    let mut seen: Vec<UserKey> = Vec::new();
    for seat in &board.seats {
        if seen.contains(&seat.user_id) || tx.seek(&board.row.game, seat.user_id).await?.is_none() {
            continue;
        }
        seen.push(seat.user_id);
        if let (Some(game), Some(user)) =
            (app.games.find_offered(&board.row.game), tx.user(seat.user_id).await?)
        {
            pair(tx, app, game, &user, now).await?;
        }
    }
    Ok(())
}

/// Starts boards with all matching seeks, oldest first, as long as the user wants more.
pub(crate) async fn pair(
    tx: &mut WriteTx,
    app: &App,
    game: &'static dyn AnyGame,
    user: &UserRow,
    now: Millis,
) -> Result<Vec<BoardRef>, ServiceError> {
    let name = game.meta().name;
    let mut boards = Vec::new();
    let Some(own) = tx.seek(name, user.id).await? else { return Ok(boards) };
    tx.take_seek_place(name).await?;
    for other in tx.equal_seeks(name, &own, MOST_OTHERS).await? {
        let is_sought = tx.seek(name, user.id).await?.is_some();
        if !is_sought || !may_be_paired(tx, app.clock.as_ref(), &app.config, name, user, &[]).await? {
            break;
        }
        let Some(other) = tx.user(other.user_id).await? else { continue };
        if may_be_paired(tx, app.clock.as_ref(), &app.config, name, &other, &[user.id]).await?
            && !tx.shuns(user.id, other.id).await?
        {
            let players = [user.clone(), other];
            let started = start_sought(tx, app, game, &own, players, Cause::Pairing, now);
            boards.push(Box::pin(started).await?);
        }
    }
    Ok(boards)
}

/// Suspended searches checked at once.
const MOST_WOKEN: i64 = 200;

/// Matches searches that are suspended no more: a vacation is over, or notifications work again.
pub(crate) async fn wake_seeks(app: &Arc<App>) -> Result<(), StoreError> {
    let mut tx = app.store.read().await?;
    let mut seekers = tx.unpaired_seekers(MOST_WOKEN).await?;
    let users: Vec<UserKey> = seekers.iter().map(|(_, user)| UserKey(*user)).collect();
    let absences = absences(&mut tx, app.clock.as_ref(), &app.config, &users).await?;
    drop(tx);
    let rests = |user| absences.get(&UserKey(user)).into_iter().flatten().any(|absence| absence.rests());
    seekers.retain(|(_, user)| !rests(*user));
    if seekers.is_empty() {
        return Ok(());
    }
    let woken = app.write(async move |tx, app| {
        for (name, user) in &seekers {
            let Some(game) = app.games.find_offered(name) else { continue };
            let Some(user) = tx.user(UserKey(*user)).await? else { continue };
            match Box::pin(pair(tx, app, game, &user, app.clock.now())).await {
                Ok(_) | Err(ServiceError::Refused(_)) => {}
                Err(ServiceError::Store(error)) => return Err(error),
            }
        }
        Ok::<_, StoreError>(())
    });
    woken.await?;
    app.signals.outbox.notify_one();
    Ok(())
}

/// Starts a board with the terms of a seek, with a random first seat.
pub(crate) async fn start_sought(
    tx: &mut WriteTx,
    app: &App,
    game: &'static dyn AnyGame,
    seek: &SeekRow,
    mut players: [UserRow; SEATS],
    cause: Cause,
    now: Millis,
) -> Result<BoardRef, ServiceError> {
    let [lot] = random_bytes(app.entropy.as_ref()).map_err(StoreError::from)?;
    if lot & 1 == 1 {
        players.reverse();
    }
    let options =
        crate::boards::board::parse_options(game, &seek.options, SEATS).map_err(StoreError::Corrupt)?;
    let terms = Terms {
        rated: seek.rated,
        nag_ms: seek.nag_ms,
        forfeit_ms: seek.forfeit_ms,
        total_ms: seek.total_ms,
    };
    let opening = Opening { terms, cause, comment: "" };
    let (board, facts) = start(tx, app, game, &options, &players, opening, now).await?;
    notify_readers(tx, app, &board, facts, now).await?;
    Ok(board.name())
}
