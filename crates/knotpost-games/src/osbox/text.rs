//! The Osbox position string: `..a./be../..nb/..c. 1 0-0`.

use super::{Osbox, place_at};
use knotpost_rules::{PositionError, Seat, knot::Face};
use std::fmt;

/// The parts of the string, to complete "a position is ...".
const SHAPE: &str =
    "the rows joined by `/`, the seat to move and the scores joined by `-`, separated by blanks";

impl fmt::Display for Osbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.rules.size;
        let row = |row| (0..size).map(|column| letter(self, row, column)).collect::<String>();
        let rows = (0..size).map(row).collect::<Vec<_>>().join("/");
        let points =
            self.points.iter().take(self.rules.seats).map(u32::to_string).collect::<Vec<_>>().join("-");
        write!(f, "{rows} {} {points}", self.next)
    }
}

fn letter(game: &Osbox, row: u8, column: u8) -> char {
    game.dice.face(place_at(row, column)).map_or('.', Face::letter)
}

/// Reads a position into a game that has just been set up.
pub(super) fn read(text: &str, game: &mut Osbox) -> Result<(), PositionError> {
    let parts: Vec<&str> = text.split(' ').collect();
    let &[rows, seat, points] = parts.as_slice() else {
        return Err(PositionError::Parts { expected: SHAPE });
    };
    read_rows(rows, game)?;
    let seats = game.rules.seats;
    let seat = read_number(seat).and_then(|number| Seat::new(u8::try_from(number).ok()?));
    game.next = seat.filter(|seat| seat.index() < seats).ok_or(PositionError::Seat { seats })?;
    let numbers: Option<Vec<u32>> = points.split('-').map(read_number).collect();
    let numbers = numbers.filter(|numbers| numbers.len() == seats).ok_or(PositionError::Scores { seats })?;
    for (points, number) in game.points.iter_mut().zip(numbers) {
        *points = number;
    }
    Ok(())
}

fn read_rows(text: &str, game: &mut Osbox) -> Result<(), PositionError> {
    let size = usize::from(game.rules.size);
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != size {
        return Err(PositionError::Rows { expected: size, found: rows.len() });
    }
    for (row, cells) in (0..game.rules.size).zip(rows) {
        let shown = usize::from(row) + 1;
        let found = cells.chars().count();
        if found != size {
            return Err(PositionError::Width { row: shown, expected: size, found });
        }
        for (column, cell) in (0..game.rules.size).zip(cells.chars()) {
            if cell == '.' {
                continue;
            }
            let face = Face::from_letter(cell).filter(|face| face.letter() == cell);
            let face = face.ok_or(PositionError::Cell { row: shown, found: cell })?;
            game.dice.put(place_at(row, column), face);
            game.count += 1;
        }
    }
    Ok(())
}

/// A number in its only spelling: no sign, no leading zero.
fn read_number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number: &u32| number.to_string() == text)
}
