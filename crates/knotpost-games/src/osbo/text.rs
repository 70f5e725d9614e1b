//! The Osbo position string: `e5:o;e5:o bt 1`.

use super::{
    Dice, Osbo,
    design::{Bounds, Design},
    dice::Roll,
    moves::Cell,
};
use knotpost_rules::{
    Game, PositionError, Seat,
    knot::{Face, Place},
};
use std::fmt;

/// The parts of the string, to complete "a position is ...".
const SHAPE: &str = "the designs joined by `;`, the roll or `-`, and the seat to move, separated by blanks";

impl fmt::Display for Osbo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let designs: Vec<String> = self.designs().iter().map(write_design).collect();
        write!(f, "{} {} {}", designs.join(";"), write_dice(self), self.next)
    }
}

/// The roll; `-` when over and `?` while it is not rolled.
fn write_dice(game: &Osbo) -> String {
    match game.dice {
        _ if game.is_over() => "-".to_owned(),
        Dice::Hidden => "?".to_owned(),
        Dice::Rolled(roll, _) => roll.to_string(),
    }
}

fn write_design(design: &Design) -> String {
    let bounds = design.dice_bounds();
    let letter = |column, row| design.face(Place::new(row, column)).map_or('.', Face::letter);
    let row = |row| (bounds.left..=bounds.right).map(|column| letter(column, row)).collect::<String>();
    let rows = (bounds.top..=bounds.bottom).map(row).collect::<Vec<_>>().join("/");
    format!("{}:{rows}", Cell::at(Place::new(bounds.top, bounds.left), design.grid()))
}

/// Reads a position into a game that has just been set up and has drawn nothing.
pub(super) fn read(text: &str, game: &mut Osbo) -> Result<(), PositionError> {
    let parts: Vec<&str> = text.split(' ').collect();
    let &[designs, roll, seat] = parts.as_slice() else {
        return Err(PositionError::Parts { expected: SHAPE });
    };
    let (seats, size) = (game.rules.seats, game.rules.size);
    let designs: Vec<&str> = designs.split(';').collect();
    if designs.len() != seats {
        let found = designs.len();
        return Err(special(format!("there are {found} designs for {seats} seats")));
    }
    for ((number, text), design) in (1..).zip(designs).zip(&mut game.designs) {
        *design = read_design(text, size, number)?;
    }
    match roll {
        "-" if game.is_over() => {}
        "-" => return Err(special("the roll is missing: a design has open edges left".to_owned())),
        _ if game.is_over() => {
            return Err(special("the roll is `-` when no design has an open edge left".to_owned()));
        }
        "?" => game.draws = None,
        _ => game.take_roll(Roll::parse(roll, seats).ok_or_else(|| {
            special(format!("the roll is {seats} of the letters b c s t x in alphabetical order"))
        })?),
    }
    let one_digit = seat.len() == 1;
    let seat = seat.parse().ok().and_then(Seat::new).filter(|seat| one_digit && seat.index() < seats);
    game.next = seat.ok_or(PositionError::Seat { seats })?;
    Ok(())
}

fn special(clause: String) -> PositionError {
    PositionError::Special(clause)
}

/// Reads `e6:e/o/e/m`; the box of the rows must be tight.
fn read_design(text: &str, size: u8, number: u8) -> Result<Design, PositionError> {
    let wrong = |clause: &str| special(format!("design {number} {clause}"));
    let grid = 2 * size - 1;
    let (corner, rows) = text.split_once(':').ok_or_else(|| wrong("is a cell, `:` and rows of dice"))?;
    let lower = !corner.bytes().any(|byte| byte.is_ascii_uppercase());
    let corner = Cell::parse(corner).filter(|_| lower).and_then(|cell| cell.place(grid));
    let corner = corner.ok_or_else(|| wrong("does not begin with a cell of the grid"))?;
    let rows: Vec<&str> = rows.split('/').collect();
    let width = rows.first().map_or(0, |row| row.chars().count());
    if rows.len() > usize::from(size) || width > usize::from(size) {
        return Err(wrong(&format!("does not fit its {size} x {size} window")));
    }
    let mut dice = Vec::new();
    for (row, cells) in (0..size).zip(&rows) {
        let shown = usize::from(row) + 1;
        let found = cells.chars().count();
        if found != width {
            return Err(PositionError::Width { row: shown, expected: width, found });
        }
        for (column, cell) in (0..size).zip(cells.chars()).filter(|(_, cell)| *cell != '.') {
            let face = Face::from_letter(cell).filter(|face| face.letter() == cell);
            let face = face.ok_or(PositionError::Cell { row: shown, found: cell })?;
            let (row, column) = (corner.row() + row, corner.column() + column);
            if row > grid || column > grid {
                return Err(wrong("runs off the grid"));
            }
            dice.push((Place::new(row, column), Some(face)));
        }
    }
    if dice.is_empty() {
        return Err(wrong("has no dice"));
    }
    let design = Design::of(size, dice);
    let Bounds { top, left, .. } = design.dice_bounds();
    let tight = (top, left) == (corner.row(), corner.column())
        && usize::from(design.dice_bounds().height()) == rows.len()
        && usize::from(design.dice_bounds().width()) == width;
    if !tight {
        return Err(wrong("is not printed in the smallest box around its dice"));
    }
    if !design.fits() {
        return Err(wrong(&format!("points out of its {size} x {size} window")));
    }
    Ok(design)
}
