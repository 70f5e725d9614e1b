//! The Obsidio position string: `...../.*.*./..x../.*.*./..... 2 c3`.

use super::{
    Obsidio,
    grid::{Cells, Shade, Square},
    rules::SECOND,
};
use knotpost_rules::{PositionError, Seat};
use std::fmt;

/// The parts of the string, to complete "a position is ...".
const SHAPE: &str =
    "the rows joined by `/`, the seat to move and the square of the last token or `-`, separated by blanks";

impl fmt::Display for Obsidio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |row| (0..self.size).map(|column| sign(self, Square::new(column, row))).collect::<String>();
        let rows = (0..self.size).rev().map(row).collect::<Vec<_>>().join("/");
        let origin = self.origin.map_or_else(|| "-".to_owned(), |square| square.to_string());
        write!(f, "{rows} {} {origin}", self.next)
    }
}

/// The contents of a cell as one character.
pub(super) fn sign(game: &Obsidio, square: Square) -> char {
    let holder = |pick: fn(&super::Side) -> Cells| match [game.side(Seat::FIRST), game.side(SECOND)].map(pick)
    {
        [first, _] if first.contains(square) => Some(Seat::FIRST),
        [_, second] if second.contains(square) => Some(SECOND),
        _ => None,
    };
    match square.shade() {
        Shade::Target => holder(|side| side.claimed).map_or('*', |seat| letters(seat).1),
        _ => holder(|side| side.influence).map_or('.', |seat| letters(seat).0),
    }
}

/// The letters of a seat's tokens and claimed targets.
fn letters(seat: Seat) -> (char, char) {
    if seat == Seat::FIRST { ('x', 'X') } else { ('o', 'O') }
}

/// Reads a position into a game that has just been set up.
pub(super) fn read(text: &str, game: &mut Obsidio) -> Result<(), PositionError> {
    let parts: Vec<&str> = text.split(' ').collect();
    let &[rows, seat, origin] = parts.as_slice() else {
        return Err(PositionError::Parts { expected: SHAPE });
    };
    read_rows(rows, game)?;
    game.next = match seat {
        "1" => Seat::FIRST,
        "2" => SECOND,
        _ => return Err(PositionError::Seat { seats: 2 }),
    };
    game.origin = read_origin(origin, game.size)?;
    Ok(())
}

/// A square of the board in lower case, or `-`.
fn read_origin(text: &str, size: u8) -> Result<Option<Square>, PositionError> {
    if text == "-" {
        return Ok(None);
    }
    let square = text.parse::<Square>().ok();
    let square = square.filter(|square| square.column() < size && square.row() < size);
    let last = Square::new(size - 1, size - 1);
    let refusal =
        || PositionError::Special(format!("the last token is on a square from a1 to {last}, or `-`"));
    square.filter(|square| square.to_string() == text).map(Some).ok_or_else(refusal)
}

fn read_rows(text: &str, game: &mut Obsidio) -> Result<(), PositionError> {
    let size = usize::from(game.size);
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != size {
        return Err(PositionError::Rows { expected: size, found: rows.len() });
    }
    for (row, (cells, shown)) in (0..game.size).rev().zip(rows.into_iter().zip(1..)) {
        let found = cells.chars().count();
        if found != size {
            return Err(PositionError::Width { row: shown, expected: size, found });
        }
        for (column, sign) in (0..game.size).zip(cells.chars()) {
            read_cell(Square::new(column, row), sign, shown, game)?;
        }
    }
    Ok(())
}

/// Puts what the sign says on an empty cell or target.
fn read_cell(square: Square, sign: char, row: usize, game: &mut Obsidio) -> Result<(), PositionError> {
    let is_target = square.shade() == Shade::Target;
    match (sign, is_target) {
        ('.', false) | ('*', true) => {}
        ('x' | 'o', false) => {
            let seat = if sign == 'x' { Seat::FIRST } else { SECOND };
            game.side_mut(seat).influence |= Cells::only(square);
            game.empty -= Cells::only(square);
        }
        ('X' | 'O', true) => {
            let seat = if sign == 'X' { Seat::FIRST } else { SECOND };
            game.side_mut(seat).claimed |= Cells::only(square);
        }
        ('.' | 'x' | 'o', true) => {
            let clause = format!("{square} is a target and holds `*`, `X` or `O`, not `{sign}`");
            return Err(PositionError::Special(clause));
        }
        ('*' | 'X' | 'O', false) => {
            let clause = format!("{square} is not a target and holds `.`, `x` or `o`, not `{sign}`");
            return Err(PositionError::Special(clause));
        }
        _ => return Err(PositionError::Cell { row, found: sign }),
    }
    Ok(())
}
