//! `chat`: remarks to the players and subscribers of a board.

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError, Standing};
use crate::commands::authorize::authorize_on_board;
use crate::commands::policy::{Policy, Spends};
use crate::commands::prepare::check_rate;
use crate::config::Config;
use crate::play::boards::answer_with_board;
use crate::replies::{Answer, BoardFacts, Heading, Spared};
use crate::requests::Ready;
use knotpost_model::{Millis, Rate, RemarkKind, UserKey};
use knotpost_storage::{StoreError, WriteTx};

const HOUR_MS: i64 = 3_600_000;
/// Chats mailed to a reader per hour, in shares of one sender.
const OTHERS: i64 = 2;

/// Counted per board.
pub(in crate::commands) fn policy(game: &str, board: u32) -> Policy {
    Policy::spends(Spends::ShareOfUserAt(Rate::Chat, format!("{} {board}", game.to_lowercase())))
}

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: &str,
    number: u32,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let (board, user) = authorize_on_board(tx, app, ready, game, number).await?;
    if matches!(board.standing(), Standing::Over(_))
        && board.seat_of(user.id).is_none()
        && !tx.subscribers(board.row.id).await?.iter().any(|(key, _)| *key == user.id.0)
    {
        let words = "this board is over: only its players and who subscribed to it speak here now";
        return Err(Refusal::new(Code::NotAllowed, words).about(board).into());
    }
    if ready.body.trim().is_empty() {
        let refusal = Refusal::new(Code::WrongArguments, "there is no text to pass on")
            .hint("Write what you want to say into the body, below the command.");
        return Err(refusal.about(board).into());
    }
    if let Err(refusal) = check_rate(ready) {
        return Err(refusal.about(board).into());
    }
    let spared = find_spared(tx, &app.config, &board, user.id, now).await?;
    let (key, ply) = (board.row.id, board.row.ply);
    let Some(remark) = tx.say(key, ply, user.id, RemarkKind::Chat, &ready.body, now).await? else {
        let words = "your words were not passed on: you and a player here do not hear each other";
        return Err(Refusal::new(Code::NotAllowed, words).about(board).into());
    };
    let facts = BoardFacts { remark: Some(remark), spared, ..BoardFacts::plain(Heading::Chat) };
    answer_with_board(tx, app, &board, facts, now).await
}

/// Readers not mailed at once. An outsider's chat reaches a reader by mail once an hour, others' as often as
/// one user may speak on a board; the rest waits for the daily mail.
async fn find_spared(
    tx: &mut WriteTx,
    config: &Config,
    board: &Board,
    speaker: UserKey,
    now: Millis,
) -> Result<Spared, StoreError> {
    let limits = &config.limits;
    let by_outsider = board.seat_of(speaker).is_none();
    let unheard_by = tx.watchers_who_shun(board.row.id, speaker).await?;
    if !limits.enabled {
        return Ok(Spared { unheard_by, by_outsider, ..Spared::default() });
    }
    let most = i64::from(limits.messages_per_hour) * OTHERS;
    let heard = tx.heard_chats(board.row.id, now.plus(-HOUR_MS)).await?;
    let is_enough = |(_, all, outsiders): &&(i64, i64, i64)| *all >= most || (by_outsider && *outsiders > 0);
    let bundled = heard.iter().filter(is_enough).map(|(user, ..)| UserKey(*user));
    let bundled = bundled.filter(|user| *user != speaker).collect();
    Ok(Spared { unheard_by, by_outsider, bundled, ..Spared::default() })
}
