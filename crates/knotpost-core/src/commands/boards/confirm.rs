//! `confirm`: makes the submitted move.

use knotpost_rules::Turn;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::commands::authorize::authorize_on_board;
use crate::play::moves;
use crate::play::moves::{check_answer, check_turn_on};
use crate::replies::Answer;
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

/// A new remark replaces the one submitted with the turn.
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: &str,
    number_of_board: u32,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let (board, user) = authorize_on_board(tx, app, ready, game, number_of_board).await?;
    let board = check_answer(tx, ready, board, &user).await?;
    let seat = board.seat_of(user.id).map_or(1, |seat| seat.seat);
    let row = tx.submission(board.row.id, seat).await?;
    let Some(row) = row.filter(|row| row.ply == board.entries.len() as i64) else {
        let message =
            format!("nothing of yours waits to be confirmed on {} board {}", board.title(), number_of_board);
        let refusal = Refusal::new(Code::NothingSubmitted, message)
            .hint("What was submitted is void as soon as the board changes.")
            .hint(format!("To submit a move: {game} submit {number_of_board} {} PASSWORD MOVE", user.userid));
        return Err(refusal.about(board).into());
    };
    let turn = Turn::from_word(&row.text);
    let board = check_turn_on(board, &user, turn, None)?;
    tx.delete_submissions(board.row.id).await?;
    let said = if ready.body.trim().is_empty() { row.comment.as_str() } else { ready.body.as_str() };
    moves::make(tx, app, board, &user, turn, said, now).await
}
