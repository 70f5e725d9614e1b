//! `queue`: makes the first move if on turn and stores the rest; `none` clears the queue.

use knotpost_commands::{Action, QueuedMove};

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError};
use crate::commands::authorize::authorize_on_board;
use crate::mailing::post::post_to_player;
use crate::play::moves::{Turning, check_answer, check_turn};
use crate::play::queue::{forget, told};
use crate::replies::Answer;
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::{QueuedMoveRow, UserRow, WriteTx};

const MOST_MOVES: usize = 100;

#[derive(Clone, Copy, Debug)]
pub(in crate::commands) struct Queueing<'a> {
    pub(in crate::commands) game: &'a str,
    pub(in crate::commands) board: u32,
    pub(in crate::commands) userid: &'a str,
    pub(in crate::commands) moves: &'a [QueuedMove],
    pub(in crate::commands) number: Option<u32>,
}

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    wanted: Queueing<'_>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let Queueing { game, board: number_of_board, userid, moves, number } = wanted;
    let (board, user) = authorize_on_board(tx, app, ready, game, number_of_board).await?;
    let mut board = check_answer(tx, ready, board, &user).await?;
    if moves.len() > MOST_MOVES {
        let refusal = Refusal::new(Code::WrongArguments, format!("a queue takes at most {MOST_MOVES} moves"));
        return Err(refusal.about(board).into());
    }
    let seat = board.seat_of(user.id).map_or(1, |seat| seat.seat);
    if moves.is_empty() {
        forget(tx, &mut board, Some(seat)).await?;
        return finish(tx, app, &board, &user, &[], now).await;
    }
    let on_turn = check_turn(&board, &user, None).is_ok();
    if on_turn && let Some((first @ QueuedMove { condition: None, .. }, rest)) = moves.split_first() {
        tx.save_queue(board.row.id, seat, &rows(rest, None, board.next_number()), now).await?;
        let turning =
            Turning { game: Some(game), board: number_of_board, userid, action: &first.action, number };
        return Box::pin(crate::commands::boards::moves::run(tx, app, ready, turning, now)).await;
    }
    if on_turn {
        let refusal = Refusal::new(Code::WrongArguments, "it is your turn: the first move waits for nothing")
            .hint("Write the move without `if:` before it.");
        return Err(refusal.about(board).into());
    }
    if let Err(refusal) = check_number(&board, number) {
        return Err(refusal.about(board).into());
    }
    check_notation(&mut board, moves)?;
    let mut kept = rows(moves, number, board.entries.len() as i64);
    let before = tx.queued_moves(board.row.id, seat).await?;
    // Unchanged moves keep their place and time: a reply to them may have been made, and others may still be
    // to move.
    for (row, old) in kept.iter_mut().zip(&before).take_while(|(row, old)| is_same(row, old)) {
        row.ply = old.ply;
    }
    tx.save_queue(board.row.id, seat, &kept, now).await?;
    finish(tx, app, &board, &user, &kept, now).await
}

fn is_same(row: &QueuedMoveRow, old: &QueuedMoveRow) -> bool {
    (&row.condition, &row.text, row.number) == (&old.condition, &old.text, old.number)
}

/// Tells the player what waits now.
async fn finish(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    user: &UserRow,
    kept: &[QueuedMoveRow],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let reply = told(board, kept, None);
    post_to_player(tx, app, &reply, board, user, None, now).await?;
    Ok(Answer::to_registered(reply).about(board.name()))
}

/// Refuses a number at which the player will not be to move; with two players, every second one.
fn check_number(board: &Board, number: Option<u32>) -> Result<(), Refusal> {
    let (Some(number), next) = (number, board.next_number()) else { return Ok(()) };
    let distance = i64::from(number) - next;
    if distance > 0 && (board.seats.len() > 2 || distance % 2 == 1) {
        return Ok(());
    }
    let message = if distance < 0 {
        format!("move {number} has been made; the next move here is number {next}")
    } else {
        format!("move {number} is not yours to make")
    };
    Err(Refusal::new(Code::WrongMoveNumber, message)
        .hint(format!("The next move is number {next}, and it is somebody else's.")))
}

/// Rejects invalid notation now instead of at its turn.
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

/// Queue rows after `ply` moves; `number` belongs to the first.
fn rows(moves: &[QueuedMove], number: Option<u32>, ply: i64) -> Vec<QueuedMoveRow> {
    let row = |(place, queued): (i64, &QueuedMove)| QueuedMoveRow {
        place,
        condition: queued.condition.clone(),
        text: queued.action.as_str().to_owned(),
        number: number.filter(|_| place == 1).map(i64::from),
        ply,
    };
    (1..).zip(moves).map(row).collect()
}
