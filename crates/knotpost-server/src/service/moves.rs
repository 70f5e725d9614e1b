//! `move`: the checks in their order, the turn, and what was said with it.

use knotpost_commands::Action;
use knotpost_rules::{Ability, Rejected, Turn};

use super::Prepared;
use super::boards::{answer_with_board, find_board, find_game};
use super::execute::authorize_on;
use super::post::{BoardFacts, Heading, Note};
use super::settle::settle;
use super::{Answer, Board, Code, Refusal, ServiceError, Standing, resignation};
use crate::app::App;
use crate::domain::{Millis, RemarkKey, RemarkKind, SeatState};
use crate::store::{StoreError, Tx, UserRow};

/// How many legal moves an answer lists.
const MOST_LEGAL_MOVES: usize = 60;

/// The words of a `move`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning<'a> {
    pub(super) game: Option<&'a str>,
    pub(super) board: u32,
    pub(super) userid: &'a str,
    pub(super) action: &'a Action,
    pub(super) number: Option<u32>,
}

/// `move`: in the order of the checks, so that the first thing wrong is what the player is told.
pub(super) async fn act(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    turning: Turning<'_>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = match turning.game {
        Some(game) => find_game(app, game)?.meta().name,
        None => guess_game(tx, app, turning).await?,
    };
    if matches!(turning.action, Action::Resign) {
        return resignation::resign(tx, app, prepared, game, turning.board, now).await;
    }
    let board = find_board(tx, app, game, turning.board).await?;
    let (mut board, user) = authorize_on(tx, prepared, board).await?;
    let turn = match turning.action {
        Action::Move(text) => Turn::Move(text),
        Action::Pass => Turn::Pass,
        Action::Swap => Turn::Swap,
        other => return Err(unsupported_action(other, board).into()),
    };
    let board_seat = check_turn(&board, &user, turning.number).and_then(|()| check_sight(app, prepared, &board));
    if let Err(refusal) = board_seat {
        return Err(refusal.about(board).into());
    }
    if let Err(refusal) = check_ability(&board, turn) {
        return Err(refusal.about(board).into());
    }
    if let Err(error) = board.play(turn, false, now) {
        return Err(illegal(&error, turn, board, &user.userid).into());
    }
    if matches!(turn, Turn::Swap) {
        exchange_users(tx, &mut board).await?;
    }
    let ply = board.entries.len();
    settle(tx, &mut board, ply - 1, now).await?;
    let mut facts = BoardFacts::plain(Heading::Summary);
    if matches!(turn, Turn::Swap) {
        facts.notes.push(Note::Swapped { by: user.userid.clone() });
    }
    facts.remark = comment(tx, &board, ply, &user, prepared, now).await?;
    answer_with_board(tx, app, &board, facts, now).await
}

/// Keeps what was said with a move; `None` when nothing was.
pub(super) async fn comment(
    tx: &mut Tx,
    board: &Board,
    ply: usize,
    user: &UserRow,
    prepared: &Prepared,
    now: Millis,
) -> Result<Option<RemarkKey>, StoreError> {
    if prepared.body.trim().is_empty() {
        return Ok(None);
    }
    let said =
        tx.insert_remark(board.row.id, ply as i64, Some(user.id), RemarkKind::Comment, &prepared.body, now);
    said.await.map(Some)
}

/// After a swap the colours stay and the players change places.
async fn exchange_users(tx: &mut Tx, board: &mut Board) -> Result<(), StoreError> {
    if let [one, other, ..] = board.seats.as_slice() {
        tx.exchange_users(board.row.id, one, other).await?;
    }
    board.exchange_users();
    Ok(())
}

async fn guess_game(tx: &mut Tx, app: &App, turning: Turning<'_>) -> Result<&'static str, ServiceError> {
    let user = tx.find_user(turning.userid).await?;
    let games = match &user {
        Some(user) => tx.games_with_board(turning.board, user.id).await?,
        None => Vec::new(),
    };
    match games.as_slice() {
        [game] => Ok(find_game(app, game)?.meta().name),
        [] => Err(Refusal::new(Code::NoSuchBoard, format!("you play on no board {}", turning.board))
            .hint("Write the game first: GAME move BOARD USERID PASSWORD MOVE")
            .into()),
        several => {
            let candidates: Vec<String> =
                several.iter().map(|game| format!("{game} {}", turning.board)).collect();
            Err(Refusal::new(Code::NoSuchBoard, format!("you play on several boards {}", turning.board))
                .hint(format!("Write the game first; you may mean: {}", candidates.join(", ")))
                .into())
        }
    }
}

/// Over, playing here, number, turn: in this order.
pub(super) fn check_turn(board: &Board, user: &UserRow, number: Option<u32>) -> Result<(), Refusal> {
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

/// Whoever answers a board mail moves on the board that it showed, or not at all.
pub(super) fn check_sight(app: &App, prepared: &Prepared, board: &Board) -> Result<(), Refusal> {
    if prepared.pass().is_none_or(|pass| pass.sight.is_present(app, board)) {
        return Ok(());
    }
    let message = "the board has changed since the mail that you answered; this is how it is now";
    Err(Refusal::new(Code::WrongMoveNumber, message).hint("Answer the latest mail about this board."))
}

/// Over and playing here.
pub(super) fn check_plays(board: &Board, user: &UserRow) -> Result<(), Refusal> {
    if matches!(board.standing(), Standing::Over(_)) {
        return Err(game_over(board));
    }
    let seat = board.seat_of(user.id);
    if seat.is_none_or(|seat| seat.state != SeatState::Playing) {
        let players: Vec<&str> = board.seats.iter().map(|seat| seat.userid.as_str()).collect();
        let message =
            format!("{} does not play on {} board {}", user.userid, board.title(), board.row.number);
        return Err(Refusal::new(Code::NotAPlayer, message).hint(format!("Players: {}", players.join(", "))));
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

fn unsupported_action(action: &Action, board: Board) -> Refusal {
    let word = match action {
        Action::Propose => "propose",
        Action::Undo => "undo",
        Action::Accept => "accept",
        _ => "reject",
    };
    Refusal::new(Code::NotSupported, format!("`{word}` is not in this version of the server yet"))
        .about(board)
}

fn illegal(error: &Rejected, turn: Turn<'_>, board: Board, userid: &str) -> Refusal {
    let code = if matches!(turn, Turn::Swap) { Code::SwapTooLate } else { Code::IllegalMove };
    let mut refusal = Refusal::new(code, error.to_string());
    let (label, legal) = match board.position.steps("") {
        Ok(Some(steps)) => ("A move can begin with", steps.next),
        _ => ("Legal moves", board.position.legal_moves()),
    };
    if !legal.is_empty() {
        let shown: Vec<&str> = legal.iter().take(MOST_LEGAL_MOVES).map(String::as_str).collect();
        let more = legal.len().saturating_sub(shown.len());
        let tail = if more > 0 { format!(" … and {more} more") } else { String::new() };
        refusal = refusal.hint(format!("{label}: {}{tail}", shown.join(" ")));
    }
    if let Some(play) = board.position.example_move() {
        refusal = refusal.hint(format!(
            "For example: {} move {} {userid} PASSWORD {play}",
            board.row.game, board.row.number
        ));
    }
    refusal.about(board)
}
