//! Substitution: a computer player takes the seat of an inactive player, if the others agree.
//!
//! Only the player to move can be replaced, after a reminder; those who resigned are out by the rules. Their
//! next move voids the proposal.

use crate::app::App;
use crate::boards::proposals::user_to_move;
use crate::boards::{Board, Code, Refusal, ServiceError};
use crate::config::Config;
use crate::play::notifications::notify_users;
use crate::play::opponents::{Readiness, readiness};
use crate::play::queue;
use crate::play::stand_in::suit;
use crate::replies::{BoardFacts, Heading, Note};
use knotpost_model::computer_player::{level_of, userid_of};
use knotpost_model::rating::shown;
use knotpost_model::{Millis, RemarkKind, SeatState, UserKey};
use knotpost_storage::{ProposalRow, SeatRow, StoreError, UserRow, WriteTx};

pub(crate) async fn check(
    tx: &mut WriteTx,
    config: &Config,
    board: Board,
    proposer: &UserRow,
    now: Millis,
) -> Result<Board, ServiceError> {
    let absent = user_to_move(&board);
    let Some(row) = board.seats.iter().find(|row| Some(row.user_id) == absent) else {
        return Err(Refusal::new(Code::GameOver, "this game is over").about(board).into());
    };
    let refusal = if row.user_id == proposer.id {
        Refusal::new(Code::Conflict, "it is your own turn").hint("A computer player goes on for others only.")
    } else if level_of(&row.userid).is_some() {
        Refusal::new(Code::Conflict, format!("{} is a computer player already", row.userid))
    } else if row.away_until.is_some_and(|until| until > now.0) {
        Refusal::new(Code::Conflict, format!("{} is on vacation", row.userid))
            .hint("No time is counted until they are back.")
    } else if board.row.pairing_id.is_some() {
        Refusal::new(Code::Conflict, "this is a board of a tournament")
            .hint("Whoever entered plays it to its end. When their time is over, you win.")
    } else if board.row.nagged_at.is_none() {
        Refusal::new(Code::Conflict, format!("{} has not been reminded yet", row.userid))
            .hint("A computer player can go on for a player who was reminded and has not moved since.")
    } else if board.row.rated && decides_alone(&board, proposer.id, row.user_id) {
        Refusal::new(Code::Conflict, "this board is rated, and nobody else here could agree")
            .hint("Their time decides it: when it is over, you win.")
    } else if find_player(tx, config, &board, row.user_id).await?.is_none() {
        nobody_there()
    } else {
        return Ok(board);
    };
    Err(refusal.about(board).into())
}

/// True if no other person would be asked. On a rated board the proposer could take a won game away from the
/// absent player.
fn decides_alone(board: &Board, proposer: UserKey, absent: UserKey) -> bool {
    let asked = |row: &&SeatRow| row.state == SeatState::Playing && level_of(&row.userid).is_none();
    !board.seats.iter().filter(asked).any(|row| row.user_id != proposer && row.user_id != absent)
}

fn nobody_there() -> Refusal {
    Refusal::new(Code::NotSupported, "no computer player is there to take the seat")
}

/// Computer player about as strong as a user.
async fn find_player(
    tx: &mut WriteTx,
    config: &Config,
    board: &Board,
    user: UserKey,
) -> Result<Option<UserRow>, StoreError> {
    let game = board.row.game.as_str();
    let level = suit(tx.rating(game, user).await?.map(|row| shown(row.rating)));
    let Some(bot) = tx.find_user(&userid_of(level)).await?.filter(UserRow::is_computer_player) else {
        return Ok(None);
    };
    Ok((readiness(tx, config, game, &bot, &[]).await? == Readiness::Ready).then_some(bot))
}

/// Replaces the player to move, who is told. The board becomes unrated.
pub(crate) async fn seat(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    proposal: &ProposalRow,
    now: Millis,
) -> Result<(Board, Note), ServiceError> {
    let proposer = board.seats.iter().find(|row| row.seat == proposal.seat).map(|row| row.user_id);
    let absent = user_to_move(&board).and_then(|user| board.seat_of(user)).cloned();
    let Some(absent) = absent else {
        return Err(StoreError::Corrupt("a seat is taken over on a board without a turn".to_owned()).into());
    };
    let Some(bot) = find_player(tx, &app.config, &board, absent.user_id).await? else {
        return Err(nobody_there().about(board).into());
    };
    let theirs = |row: &&SeatRow| row.user_id == absent.user_id && row.state == SeatState::Playing;
    let seats: Vec<i64> = board.seats.iter().filter(theirs).map(|row| row.seat).collect();
    for seat in seats {
        queue::forget(tx, &mut board, Some(seat)).await?;
        tx.pass_seat_on(board.row.id, seat, bot.id).await?;
    }
    board.row.rated = false;
    tx.update_board(&board.row).await?;
    tx.delete_proposal(board.row.id).await?;
    let words = format!("{} goes on in the seat of {}.", bot.userid, absent.userid);
    tx.insert_remark(board.row.id, board.row.ply, proposer, RemarkKind::Chat, &words, now).await?;
    let number = board.name().number;
    let Some(mut board) = Board::load(tx, &app.games, &board.row.game, number).await? else {
        return Err(StoreError::Corrupt("a board vanished inside its own transaction".to_owned()).into());
    };
    board.restart_clock(tx, now).await?;
    let note = Note::Substituted { bot: bot.userid, userid: absent.userid };
    let mut facts = BoardFacts::plain(Heading::Summary);
    facts.notes.push(note.clone());
    notify_users(tx, app, &board, &facts, vec![absent.user_id], now).await?;
    Ok((board, note))
}
