//! Finding opponents: who can be a player of a new board, and who looks for the same as another.

use knotpost_rules::AnyGame;

use crate::app::App;
use crate::boards::{Board, ServiceError};
use crate::play::challenge::{Cause, Opening, Terms, start};
use crate::play::notifications::notify_readers;
use knotpost_model::{BoardRef, Millis, UserKey};
use knotpost_platform::clock::random_bytes;
use knotpost_storage::{SeekRow, StoreError, UserRow, UserState, WriteTx};

/// How many players a board has that is sought.
pub(crate) const SEATS: usize = 2;
/// How many others are looked at for a board.
const MOST_OTHERS: i64 = 200;

/// Whether somebody can be a player of a new board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    Ready,
    /// Takes no challenges of this game, or has left.
    Unwilling,
    /// Plays as many boards as they want to.
    AtLimit,
}

/// Whether the user can be a player of a new board.
pub(crate) async fn readiness(
    tx: &mut WriteTx,
    app: &App,
    game: &str,
    user: &UserRow,
) -> Result<Readiness, StoreError> {
    let is_off = user.is_computer_player() && !app.config.bots.enabled;
    if user.state != UserState::Active || is_off || !tx.accepts(game, user.id).await? {
        return Ok(Readiness::Unwilling);
    }
    Ok(match tx.hold_board_limit(game, user.id).await? {
        Some(limit) if tx.count_active_boards(game, user.id).await? >= limit => Readiness::AtLimit,
        _ => Readiness::Ready,
    })
}

/// The options of a seek as they are typed.
pub(crate) fn terms_text(seek: &SeekRow) -> String {
    let mut words: Vec<String> = seek.options.split_whitespace().map(str::to_owned).collect();
    if !seek.rated {
        words.push("--unrated".to_owned());
    }
    let limits = [("nagtime", seek.nag_ms), ("forfeittime", seek.forfeit_ms), ("totaltime", seek.total_ms)];
    for (name, millis) in limits {
        words.extend(millis.map(|millis| format!("--{name}={}", millis as f64 / 86_400_000.0)));
    }
    words.join(" ")
}

/// A board is over: its players may have room for those they look for.
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
        if let (Some(game), Some(user)) = (app.offered_game(&board.row.game), tx.user(seat.user_id).await?) {
            pair(tx, app, game, &user, now).await?;
        }
    }
    Ok(())
}

/// Starts a board with each of those who look for the same as this user, the one who has looked longest first, as
/// long as they want more. Returns the boards.
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
        if !is_sought || readiness(tx, app, name, user).await? != Readiness::Ready {
            break;
        }
        let Some(other) = tx.user(other.user_id).await? else { continue };
        if readiness(tx, app, name, &other).await? == Readiness::Ready {
            let players = [user.clone(), other];
            let started = start_sought(tx, app, game, &own, players, Cause::Pairing, now);
            boards.push(Box::pin(started).await?);
        }
    }
    Ok(boards)
}

/// Starts a board with the terms of a seek; lots are drawn for the first seat.
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
