//! Moves that are sent again: a program that heard no answer asks once more, and a button is pressed twice.

use knotpost_rules::Turn;

use crate::app::App;
use crate::boards::{Board, Standing};
use knotpost_model::MoveKind;
use knotpost_storage::{StoreError, UserRow};

/// Whether this user has made this very turn already, and asks for no new one: it stands under the number that they
/// give, or they give none, are not to move, and it is the last that they made.
///
/// # Errors
/// When the stored moves do not replay.
pub(crate) fn is_repeated(
    app: &App,
    board: &Board,
    user: &UserRow,
    turn: Turn<'_>,
    number: Option<u32>,
) -> Result<bool, StoreError> {
    let Some(seat) = board.seat_of(user.id).map(|seat| seat.seat) else { return Ok(false) };
    let index = match number {
        Some(number) => (number as usize).checked_sub(1),
        None if is_to_move(board, seat) => None,
        None => (0..board.entries.len()).rev().find(|index| board.present_seat(*index) == seat),
    };
    let Some((index, entry)) = index.and_then(|index| Some((index, board.entries.get(index)?))) else {
        return Ok(false);
    };
    if entry.row.auto || board.present_seat(index) != seat {
        return Ok(false);
    }
    match (turn, entry.row.kind) {
        (Turn::Pass, MoveKind::Pass) | (Turn::Swap, MoveKind::Swap) => Ok(true),
        (Turn::Move(text), MoveKind::Move) if text == entry.row.text => Ok(true),
        (Turn::Move(text), MoveKind::Move) => {
            // The same move can be written in several ways; which one it is, the position tells in which it was made.
            let mut before = board.at(app, index)?;
            Ok(before.position.play(Turn::Move(text)).is_ok_and(|played| played.canonical == entry.row.text))
        }
        _ => Ok(false),
    }
}

fn is_to_move(board: &Board, seat: i64) -> bool {
    matches!(board.standing(), Standing::ToMove(next) if i64::from(next.number()) == seat)
}
