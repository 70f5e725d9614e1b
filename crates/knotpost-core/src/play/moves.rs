//! `move`: its checks in order, the turn, and its remark.

use knotpost_commands::Action;
use knotpost_rules::{Ability, Rejected, Turn};

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError, Standing};
use crate::play::after_turn::finish_turn;
use crate::play::boards::answer_with_words;
use crate::play::{legal_list, queue};
use crate::replies::sheet::Spoken;
use crate::replies::{Answer, BoardFacts, Heading, Note};
use crate::requests::Ready;
use crate::requests::board_reply::check_sight;
use knotpost_model::{Millis, RemarkKind, SeatState};
use knotpost_storage::{ReadTx, StoreError, UserRow, WriteTx};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Turning<'a> {
    pub(crate) game: Option<&'a str>,
    pub(crate) board: u32,
    pub(crate) userid: &'a str,
    pub(crate) action: &'a Action,
    pub(crate) number: Option<u32>,
}

/// Makes a turn that the player may take now, with what they say to it, and notifies all readers.
pub(crate) async fn make(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    user: &UserRow,
    turn: Turn<'_>,
    said: &str,
    now: Millis,
) -> Result<Answer, ServiceError> {
    if let Err(error) = board.play(turn, false, now) {
        return Err(illegal(&error, turn, board).into());
    }
    if matches!(turn, Turn::Swap) {
        queue::drop_all(tx, app, &mut board, queue::SWAPPED, now).await?;
        exchange_users(tx, &mut board).await?;
    }
    let ply = board.entries.len();
    finish_turn(tx, app, &mut board, ply - 1, now).await?;
    let mut facts = BoardFacts { made: board.entries.len() + 1 - ply, ..BoardFacts::plain(Heading::Summary) };
    if matches!(turn, Turn::Swap) {
        facts.notes.push(Note::Swapped { by: user.userid.clone() });
    }
    keep_comment(tx, &board, (ply, user, said), &mut facts, now).await?;
    let spoken = facts.remark.map(|_| Spoken { who: user.userid.clone(), text: said.to_owned() });
    answer_with_words(tx, app, &board, facts, spoken, now).await
}

/// Stores what a user says with an action, or notes for them that nobody hears it.
pub(crate) async fn keep_comment(
    tx: &mut WriteTx,
    board: &Board,
    (ply, user, said): (usize, &UserRow, &str),
    facts: &mut BoardFacts,
    now: Millis,
) -> Result<(), StoreError> {
    if said.trim().is_empty() {
        return Ok(());
    }
    facts.remark = tx.say(board.row.id, ply as i64, user.id, RemarkKind::Comment, said, now).await?;
    if facts.remark.is_none() {
        facts.notes.push(Note::Unheard { userid: user.userid.clone() });
    }
    Ok(())
}

/// After a swap, colours stay and the players exchange seats.
pub(crate) async fn exchange_users(tx: &mut WriteTx, board: &mut Board) -> Result<(), StoreError> {
    if let [one, other, ..] = board.seats.as_slice() {
        tx.exchange_users(board.row.id, one, other).await?;
    }
    board.exchange_users();
    Ok(())
}

/// Checks that the user may take a turn of that kind now. Legality shows when it is played.
pub(crate) fn check_turn_on(
    board: Board,
    user: &UserRow,
    turn: Turn<'_>,
    number: Option<u32>,
) -> Result<Board, ServiceError> {
    match check_turn(&board, user, number).and_then(|()| check_ability(&board, turn)) {
        Ok(()) => Ok(board),
        Err(refusal) => Err(refusal.about(board).into()),
    }
}

/// Checks that the user may act on the board: not over, playing, board as last seen.
pub(crate) async fn check_answer(
    tx: &mut ReadTx,
    ready: &Ready,
    board: Board,
    user: &UserRow,
) -> Result<Board, ServiceError> {
    match check_plays(&board, user) {
        Ok(()) => check_sight(tx, ready, board).await,
        Err(refusal) => Err(refusal.about(board).into()),
    }
}

/// Checks in order: not over, playing, move number, turn.
pub(crate) fn check_turn(board: &Board, user: &UserRow, number: Option<u32>) -> Result<(), Refusal> {
    check_plays(board, user)?;
    if let Some(number) = number
        && i64::from(number) != board.next_number()
    {
        let message = format!("the next move here is number {}, not {number}", board.next_number());
        return Err(Refusal::new(Code::WrongMoveNumber, message));
    }
    let Standing::ToMove(next) = board.standing() else { return Err(game_over(board)) };
    let mover = board.userid_at(i64::from(next.number()));
    if board.seat_of(user.id).is_none_or(|seat| seat.seat != i64::from(next.number())) {
        return Err(Refusal::new(Code::NotYourTurn, format!("it is {mover}'s turn, not yours"))
            .hint(format!("`{} show {}` shows the board at any time.", board.row.game, board.row.number)));
    }
    Ok(())
}

pub(crate) fn check_plays(board: &Board, user: &UserRow) -> Result<(), Refusal> {
    if matches!(board.standing(), Standing::Over(_)) {
        return Err(game_over(board));
    }
    let seat = board.seat_of(user.id);
    if seat.is_none_or(|seat| seat.state != SeatState::Playing) {
        let players: Vec<&str> = board.seats.iter().map(|seat| seat.userid.as_str()).collect();
        let message =
            format!("`{}` does not play on {} board {}", user.userid, board.title(), board.row.number);
        return Err(Refusal::new(Code::NotAPlayer, message).hint(format!("Players: {}", players.join(", "))));
    }
    if board.row.paused_at.is_some() {
        let message = format!("{} board {} is paused by an administrator", board.title(), board.row.number);
        return Err(Refusal::new(Code::Conflict, message)
            .hint("No time is counted meanwhile, and all players are told when it goes on."));
    }
    Ok(())
}

fn game_over(board: &Board) -> Refusal {
    Refusal::new(Code::GameOver, format!("{} board {} is over", board.title(), board.row.number))
}

fn check_ability(board: &Board, turn: Turn<'_>) -> Result<(), Refusal> {
    let abilities = board.game.meta().abilities;
    let missing = match turn {
        Turn::Pass if !abilities.has(Ability::Pass) => "passing",
        Turn::Swap if !abilities.has(Ability::Swap) => "a change of sides",
        _ => return Ok(()),
    };
    Err(Refusal::new(Code::NotSupported, format!("{} has no {missing}", board.title())))
}

pub(crate) fn illegal(error: &Rejected, turn: Turn<'_>, board: Board) -> Refusal {
    let code = if matches!(turn, Turn::Swap) { Code::SwapTooLate } else { Code::IllegalMove };
    let mut refusal = Refusal::new(code, error.to_string());
    let (label, legal) = match board.position.steps("") {
        Ok(Some(steps)) => ("A move can begin with", steps.next),
        _ => ("Legal moves", board.position.legal_moves()),
    };
    if !legal.is_empty() {
        refusal = refusal.hint(format!("{label}: {}", legal_list::describe(legal)));
    }
    if let Some(play) = board.position.example_move() {
        // Its syntax stands below the board shown with the refusal.
        refusal = refusal.hint(format!("For example: {play}"));
    }
    refusal.about(board)
}
