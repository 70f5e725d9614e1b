//! Moves kept for later: queueing them, and playing them when their turn has come.

use knotpost_commands::{Action, Command, QueuedMove};
use knotpost_rules::Turn;

use super::Prepared;
use super::board::Standing;
use super::boards::{find_board, find_game};
use super::execute::authorize_on;
use super::moves::{self, check_plays, check_turn, exchange_users};
use super::post::post_to_user;
use super::{Answer, Board, Code, Refusal, Reply, ServiceError};
use crate::app::App;
use crate::domain::{Millis, MoveKind};
use crate::store::{QueuedMoveRow, StoreError, Tx};

/// Moves that a seat may keep.
const MOST_MOVES: usize = 100;

/// `queue`: on turn the first move is made and the others are kept, otherwise all are kept.
pub(super) async fn act(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    command: &Command,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let Command::Queue { game, board: number_of_board, who, moves, number } = command else {
        return Err(Refusal::new(Code::UnknownCommand, "this is no `queue`").into());
    };
    let game = find_game(app, game)?.meta().name;
    let board = find_board(tx, app, game, *number_of_board).await?;
    let (mut board, user) = authorize_on(tx, prepared, board).await?;
    if let Err(refusal) = check_plays(&board, &user) {
        return Err(refusal.about(board).into());
    }
    if moves.len() > MOST_MOVES {
        let refusal = Refusal::new(Code::WrongArguments, format!("a queue takes at most {MOST_MOVES} moves"));
        return Err(refusal.about(board).into());
    }
    let seat = board.seat_of(user.id).map_or(1, |seat| seat.seat);
    let on_turn = check_turn(&board, &user, None).is_ok();
    if on_turn && let Some((first @ QueuedMove { condition: None, .. }, rest)) = moves.split_first() {
        tx.save_queue(board.row.id, seat, &rows(rest), now).await?;
        let turning = moves::Turning {
            game: Some(game),
            board: *number_of_board,
            userid: &who.userid,
            action: &first.action,
            number: *number,
        };
        return moves::act(tx, app, prepared, turning, now).await;
    }
    if on_turn {
        let refusal = Refusal::new(Code::WrongArguments, "it is your turn: the first move waits for nothing")
            .hint("Write the move without `if:` before it.");
        return Err(refusal.about(board).into());
    }
    if let Some(number) = number
        && i64::from(*number) < board.next_number()
    {
        let message = format!("the next move here is number {}, not {number}", board.next_number());
        return Err(Refusal::new(Code::WrongMoveNumber, message).about(board).into());
    }
    check_notation(&mut board, moves)?;
    let kept = rows(moves);
    tx.save_queue(board.row.id, seat, &kept, now).await?;
    // The board's row is touched too: a move made at the same moment must see this.
    tx.update_board(&board.row).await?;
    let reply = told(&board, &kept, None);
    post_to_user(tx, app, &reply, user.id, now).await?;
    Ok(Answer::to_registered(reply).about(board.name()))
}

/// What is no move of the game at all is told at once, not when its turn comes.
fn check_notation(board: &mut Board, moves: &[QueuedMove]) -> Result<(), ServiceError> {
    for queued in moves {
        if let Action::Move(text) = &queued.action
            && !board.position.is_legal_syntax(text)
        {
            let message = format!("`{text}` is no move of {}", board.title());
            return Err(Refusal::new(Code::IllegalMove, message).about_game(board.game.meta().name).into());
        }
    }
    Ok(())
}

fn rows(moves: &[QueuedMove]) -> Vec<QueuedMoveRow> {
    let row = |(place, queued): (i64, &QueuedMove)| QueuedMoveRow {
        place,
        condition: queued.condition.clone(),
        text: queued.action.as_str().to_owned(),
    };
    (1..).zip(moves).map(row).collect()
}

fn told(board: &Board, rows: &[QueuedMoveRow], dropped: Option<String>) -> Reply {
    let word = |row: &QueuedMoveRow| match &row.condition {
        Some(condition) => format!("if:{condition} {}", row.text),
        None => row.text.clone(),
    };
    let (title, number) = (board.title().to_owned(), board.row.number as u32);
    Reply::Queue { title, number, moves: rows.iter().map(word).collect(), dropped }
}

/// Forgets the queue of a seat, or all queues of a board.
pub(super) async fn forget(tx: &mut Tx, board: &mut Board, seat: Option<i64>) -> Result<(), StoreError> {
    tx.delete_queue(board.row.id, seat).await?;
    for row in board.seats.iter_mut().filter(|row| seat.is_none_or(|seat| row.seat == seat)) {
        row.queued = false;
    }
    Ok(())
}

/// Plays what the seat to move has queued. `false`: it has nothing to play, so the board waits.
pub(super) async fn play_next(
    tx: &mut Tx,
    app: &App,
    board: &mut Board,
    now: Millis,
) -> Result<bool, ServiceError> {
    let Standing::ToMove(next) = board.standing() else {
        if board.seats.iter().any(|seat| seat.queued) {
            forget(tx, board, None).await?;
        }
        return Ok(false);
    };
    let seat = i64::from(next.number());
    let Some(row) = board.seats.iter().find(|row| row.seat == seat && row.queued).cloned() else {
        return Ok(false);
    };
    let queue = tx.queued_moves(board.row.id, seat).await?;
    let Some(first) = queue.first() else { return Ok(false) };
    let problem = if condition_holds(app, board, seat, first)? {
        board.play(Turn::from_word(&first.text), false, now).err().map(|error| error.to_string())
    } else {
        let condition = first.condition.as_deref().unwrap_or_default();
        Some(format!("nobody answered `{condition}`"))
    };
    if let Some(problem) = problem {
        let reply = told(board, &queue, Some(problem));
        forget(tx, board, Some(seat)).await?;
        post_to_user(tx, app, &reply, row.user_id, now).await?;
        return Ok(false);
    }
    tx.delete_queued(board.row.id, seat, first.place).await?;
    if board.entries.last().is_some_and(|entry| entry.row.kind == MoveKind::Swap) {
        exchange_users(tx, board).await?;
        forget(tx, board, None).await?;
    } else if queue.len() == 1 {
        forget(tx, board, Some(seat)).await?;
    }
    Ok(true)
}

/// Whether the next move of another seat after the own last one was the expected one, however spelt.
fn condition_holds(app: &App, board: &Board, seat: i64, row: &QueuedMoveRow) -> Result<bool, StoreError> {
    let Some(expected) = &row.condition else { return Ok(true) };
    let own = board.entries.iter().rposition(|entry| entry.row.seat == seat).map_or(0, |index| index + 1);
    let Some(entry) = board.entries.get(own) else { return Ok(false) };
    let mut before = board.at(app, own)?;
    let played = before.position.play(Turn::from_word(expected));
    Ok(played.is_ok_and(|played| played.canonical == entry.row.text))
}
