//! Repeated moves: a client retries without an answer, or a button is pressed twice.

use knotpost_rules::Turn;

use crate::boards::{Board, Games};
use knotpost_model::MoveKind;
use knotpost_storage::{StoreError, UserRow};

/// True if the user has already made this turn and asks for no new one: it stands under the given number, or
/// no number is given, they are not to move, and it was their last.
pub(crate) fn is_repeated(
    games: &Games,
    board: &Board,
    user: &UserRow,
    turn: Turn<'_>,
    number: Option<u32>,
) -> Result<bool, StoreError> {
    let Some(seat) = board.seat_of(user.id).map(|seat| seat.seat) else { return Ok(false) };
    let index = match number {
        Some(number) => (number as usize).checked_sub(1),
        None if board.mover().is_some_and(|row| row.seat == seat) => None,
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
            // Notations vary; the position before the move tells whether both mean the same.
            let mut before = board.at(games, index)?;
            Ok(before.position.play(Turn::Move(text)).is_ok_and(|played| played.canonical == entry.row.text))
        }
        _ => Ok(false),
    }
}
