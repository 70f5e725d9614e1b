//! The server's computer players: users without address and password.
//!
//! The caller chooses the move, outside any transaction. The turn is leased meanwhile, so several servers can
//! share the work; a lease expires by itself. A move is made only if the board is unchanged.

use knotpost_platform::clock::Clock;
use std::sync::Arc;
use std::time::Duration;

use knotpost_rules::Turn;

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError, Standing};
use crate::config::{Config, Pace};
use crate::play::moves;
use knotpost_model::computer_player::{LEVELS, level_of, userid_of};
use knotpost_model::{BoardKey, BoardRef, Millis};
use knotpost_storage::{BotTurn, Store, StoreError, UserRow, WriteTx};

const HOUR_MS: i64 = 3_600_000;
/// One person may use this fraction of the processor time of computer players.
const SHARES: i64 = 8;
/// Levels with long searches.
const HARD: [u8; 2] = [7, 8];
pub(crate) const MOST_HARD: i64 = 6;
/// Limit for boards started by others, who do not prove to be that person.
pub(crate) const MOST_HARD_OF_OTHERS: i64 = 2;
/// Expected delay as a multiple of one search: others may come first.
const PATIENCE: i64 = 5;
/// Minimum pause in milliseconds at the human pace.
const SHORTEST_PAUSE_MS: i64 = 20_000;
/// Range of the pause above the minimum.
const PAUSE_SPREAD_MS: i64 = 220_000;

/// Creates missing accounts of computer players. Returns their userids that are taken by people.
pub async fn enlist(store: &Store, clock: &dyn Clock) -> Result<Vec<String>, StoreError> {
    let now = clock.now();
    let work = store.write(async move |tx| {
        let mut taken = Vec::new();
        for level in 1..=LEVELS {
            let userid = userid_of(level);
            match tx.find_user(&userid).await? {
                Some(user) if user.is_computer_player() => {}
                Some(_) => taken.push(userid),
                None => {
                    tx.insert_bot(&userid, now).await?;
                }
            }
        }
        Ok(taken)
    });
    work.await
}

pub async fn view_taken(store: &Store) -> Result<Vec<String>, StoreError> {
    let mut tx = store.read().await?;
    let mut taken = Vec::new();
    for level in 1..=LEVELS {
        let user = tx.find_user(&userid_of(level)).await?;
        taken.extend(user.filter(|user| !user.is_computer_player()).map(|user| user.userid));
    }
    Ok(taken)
}

/// Leases a turn for `lease_ms`; `false`: another server has it.
pub async fn lease(
    store: &Store,
    clock: &dyn Clock,
    turn: &BotTurn,
    lease_ms: i64,
) -> Result<bool, StoreError> {
    let (board, now) = (turn.board, clock.now());
    let person = turn.person;
    let work = store.write_queue(async move |tx| {
        let is_leased = tx.lease_bot_turn(board, now.plus(lease_ms), now).await?;
        if is_leased {
            tx.note_bot_share(person, 0, now, horizon(now)).await?;
        }
        Ok(is_leased)
    });
    work.await
}

/// Charges the processor time of a move to its person's hourly share.
pub async fn charge(app: &App, turn: &BotTurn, used: Duration) -> Result<(), StoreError> {
    let used = i64::try_from(used.as_millis()).unwrap_or(i64::MAX);
    let share_ms = (i64::from(app.config.bots.hour_cpu_s) * 1000 / SHARES).max(1);
    let (person, now) = (turn.person, app.clock.now());
    // Time until it is refunded.
    let used_ms = used.saturating_mul(HOUR_MS) / share_ms;
    let work =
        app.store.write_queue(async move |tx| tx.note_bot_share(person, used_ms, now, horizon(now)).await);
    work.await
}

pub(crate) fn has_share(turn: &BotTurn, now: Millis) -> bool {
    turn.used_until <= now.plus(HOUR_MS) || turn.used_until > horizon(now)
}

/// Latest possible refund; a later one was stored by a clock ahead.
fn horizon(now: Millis) -> Millis {
    now.plus(24 * HOUR_MS)
}

/// Refuses a further board against the highest levels to people with `most` of them.
pub(crate) async fn check_hard_boards(
    tx: &mut WriteTx,
    users: impl Iterator<Item = &UserRow> + Clone + Send,
    most: i64,
) -> Result<(), ServiceError> {
    let hard = HARD.map(userid_of);
    let is_hard = |user: &UserRow| user.is_computer_player() && hard.contains(&user.userid.to_lowercase());
    if !users.clone().any(is_hard) {
        return Ok(());
    }
    for user in users.filter(|user| !user.is_computer_player()) {
        if tx.count_boards_against(user.id, &hard).await? >= most {
            let message = format!(
                "{} plays on {most} boards against computer players of levels 7 and 8, which take long to think; no \
                 board was made",
                user.userid
            );
            let hint = "Play against a lower level, or when one of these boards has ended.";
            return Err(Refusal::new(Code::NotAllowed, message).hint(hint).into());
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Within this number of seconds.
    Within(i64),
    At(Millis),
    /// Overdue: the computer players are busy.
    Late,
}

/// Name of the computer player to move and its expected time; `None`: none is to move.
pub fn expect_move(clock: &dyn Clock, config: &Config, board: &Board) -> Option<(String, Expected)> {
    let Standing::ToMove(next) = board.standing() else { return None };
    let seat = board.seats.iter().find(|seat| seat.seat == i64::from(next.number()))?;
    level_of(&seat.userid)?;
    if !config.bots.enabled || board.row.paused_at.is_some() {
        return None;
    }
    let since = board.row.last_move_at.map_or(board.row.started_at, Millis);
    let patience = (i64::from(config.bots.move_ms) / 1000).max(1) * PATIENCE;
    let (now, pace) = (clock.now(), config.bots.pace);
    let due = due(since, board.row.id, pace, now);
    let expected = match pace {
        _ if now.0 > due.0 + patience * 1000 => Expected::Late,
        Pace::Quick => Expected::Within(patience),
        Pace::Human => Expected::At(due),
    };
    Some((seat.userid.clone(), expected))
}

/// Due time of a move. The pause at the human pace varies from turn to turn, but is the same on every server.
pub(crate) fn due_at(turn: &BotTurn, pace: Pace, now: Millis) -> Millis {
    due(turn.since, turn.board, pace, now)
}

/// Spreads neighbouring numbers over all numbers.
fn scatter(number: i64) -> i64 {
    number.wrapping_mul(-0x61C8_8646_80B5_83EB) >> 20
}

fn due(since: Millis, board: BoardKey, pace: Pace, now: Millis) -> Millis {
    match pace {
        // Changed under a clock ahead: do not wait for it.
        _ if since > now => now,
        Pace::Quick => since,
        Pace::Human => since.plus(SHORTEST_PAUSE_MS + scatter(since.0 ^ board.0).rem_euclid(PAUSE_SPREAD_MS)),
    }
}

pub async fn find_board(app: &App, turn: &BotTurn) -> Result<Option<Board>, StoreError> {
    let number = u32::try_from(turn.number).unwrap_or_default();
    let mut tx = app.store.query().await?;
    let board = Board::load(&mut tx, &app.games, &turn.game, number).await?;
    Ok(board.filter(|board| is_turn_of(board, turn)))
}

fn is_turn_of(board: &Board, turn: &BotTurn) -> bool {
    let Standing::ToMove(next) = board.standing() else { return false };
    let is_same = board.row.ply == turn.ply && board.row.position == turn.position;
    let seat = board.seats.iter().find(|seat| seat.seat == i64::from(next.number()));
    is_same && board.row.paused_at.is_none() && seat.is_some_and(|seat| seat.user_id == turn.user)
}

/// Makes the chosen move and ends the lease; `false`: the board has changed, no move was made.
pub async fn make_turn(app: &Arc<App>, turn: &BotTurn, decided: &str) -> Result<bool, StoreError> {
    let (made, decided) = (turn.clone(), decided.to_owned());
    let work = app.write(async move |tx, app| {
        make(tx, app, &made, &decided, app.clock.now()).await.map_err(|error| match error {
            ServiceError::Store(error) => error,
            ServiceError::Refused(refusal) => StoreError::Corrupt(refusal.message),
        })
    });
    let is_made = work.await?;
    if is_made {
        app.signals.outbox.notify_one();
        let number = u32::try_from(turn.number).ok();
        let board = number.map(|number| BoardRef { game: turn.game.clone(), number });
        app.signals.tell_boards(board.as_slice());
    }
    Ok(is_made)
}

async fn make(
    tx: &mut WriteTx,
    app: &App,
    turn: &BotTurn,
    decided: &str,
    now: Millis,
) -> Result<bool, ServiceError> {
    tx.end_bot_lease(turn.board).await?;
    let number = u32::try_from(turn.number).unwrap_or_default();
    let board = Board::load(tx, &app.games, &turn.game, number).await?;
    let user = tx.user(turn.user).await?;
    let (Some(board), Some(user)) = (board.filter(|board| is_turn_of(board, turn)), user) else {
        return Ok(false);
    };
    moves::make(tx, app, board, &user, Turn::from_word(decided), "", now).await?;
    Ok(true)
}

/// Ends a lease without a move; the turn is due again.
pub async fn give_back(store: &Store, turn: &BotTurn) -> Result<(), StoreError> {
    let board = turn.board;
    store.write_queue(async move |tx| tx.end_bot_lease(board).await).await
}

/// Postpones a turn by holding its lease.
pub async fn set_aside(app: &App, turn: &BotTurn, for_ms: i64) -> Result<(), StoreError> {
    let (board, now) = (turn.board, app.clock.now());
    let work = app.store.write_queue(async move |tx| {
        tx.end_bot_lease(board).await?;
        tx.lease_bot_turn(board, now.plus(for_ms), now).await.map(drop)
    });
    work.await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_as_of_people_lie_between_a_third_of_a_minute_and_four() {
        let turn = |board: i64| BotTurn {
            board: board.into(),
            game: "osbox".to_owned(),
            number: 101,
            ply: 3,
            position: String::new(),
            user: 2.into(),
            userid: userid_of(4),
            since: Millis(1000),
            person: 3.into(),
            served: Millis(0),
            used_until: Millis(0),
        };
        let now = Millis(1000);
        for board in [i64::MIN, -1, 0, 7, 219_999, i64::MAX] {
            let pause = due_at(&turn(board), Pace::Human, now).0 - 1000;
            assert!((20_000..240_000).contains(&pause), "{board}: {pause}");
            assert_eq!(due_at(&turn(board), Pace::Quick, now), Millis(1000));
            assert_eq!(due_at(&turn(board), Pace::Human, Millis(999)), Millis(999), "the clock was ahead");
        }
    }
}
