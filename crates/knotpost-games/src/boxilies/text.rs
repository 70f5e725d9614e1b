//! The Boxilies position string: `.,.,./.,13b1,./.,.,. 1a,2b|1a,2b,3b 2`.

use super::{
    Boxilies, SEATS, SIZE,
    moves::{Cell, read_turns},
    stones::{Hand, Lie, Stone},
};
use knotpost_rules::{PositionError, Seat};
use std::fmt;

/// The parts of the string, to complete "a position is ...".
const SHAPE: &str = "the rows joined by `/` with their cells joined by `,`, the two hands joined by `|`, and the seat to move, separated by blanks";

impl fmt::Display for Boxilies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells: Vec<String> = Cell::ALL.into_iter().map(|cell| write_cell(self, cell)).collect();
        let rows: Vec<String> = cells.chunks(SIZE).map(|row| row.join(",")).collect();
        let hands = self.hands.map(|hand| hand.to_string()).join("|");
        write!(f, "{} {hands} {}", rows.join("/"), self.next)
    }
}

fn write_cell(game: &Boxilies, cell: Cell) -> String {
    game.stone_at(cell)
        .map_or_else(|| ".".to_owned(), |(owner, lie)| format!("{owner}{}{}", lie.stone(), lie.turns()))
}

/// Reads a position into a game that has just been set up; what was dealt is put aside.
pub(super) fn read(text: &str, game: &mut Boxilies) -> Result<(), PositionError> {
    let parts: Vec<&str> = text.split(' ').collect();
    let &[rows, hands, seat] = parts.as_slice() else {
        return Err(PositionError::Parts { expected: SHAPE });
    };
    read_rows(rows, game)?;
    game.hands = read_hands(hands)?;
    game.next = read_seat(seat).ok_or(PositionError::Seat { seats: SEATS })?;
    Ok(())
}

fn read_rows(text: &str, game: &mut Boxilies) -> Result<(), PositionError> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != SIZE {
        return Err(PositionError::Rows { expected: SIZE, found: rows.len() });
    }
    for ((row, text), cells) in (1..).zip(rows).zip(Cell::ALL.chunks(SIZE)) {
        let found = text.split(',').count();
        if found != SIZE {
            return Err(PositionError::Width { row, expected: SIZE, found });
        }
        for (cell, text) in cells.iter().zip(text.split(',')).filter(|(_, text)| *text != ".") {
            let (owner, lie) = read_stone(text).ok_or_else(|| refuse_cell(*cell, text))?;
            game.lay(*cell, lie, owner);
        }
    }
    Ok(())
}

/// Owner, stone and turns, in their only spelling: `13b1`.
fn read_stone(text: &str) -> Option<(Seat, Lie)> {
    let owner = read_seat(text.get(..1)?)?;
    let stone = read_name(text.get(1..3)?)?;
    let turns = read_turns(text.get(3..)?)?;
    let lie = Lie::new(stone, turns);
    (lie.turns() == turns).then_some((owner, lie))
}

/// A stone by its name as it is printed; in moves capitals are fine, here they are not.
fn read_name(name: &str) -> Option<Stone> {
    Stone::from_name(name).filter(|stone| stone.name() == name)
}

fn refuse_cell(cell: Cell, text: &str) -> PositionError {
    let shown = knotpost_rules::echo(text);
    PositionError::Special(format!(
        "`{shown}` on {cell} is neither `.` nor owner, stone in lower case and fewest turns, such as 13b1"
    ))
}

fn read_hands(text: &str) -> Result<[Hand; SEATS], PositionError> {
    let read = |text: &str| match text {
        "-" => Some(Hand::default()),
        names => Hand::from_names(names).filter(|hand| hand.to_string() == names),
    };
    let hands: Option<Vec<Hand>> = text.split('|').map(read).collect();
    hands.and_then(|hands| hands.try_into().ok()).ok_or_else(|| {
        PositionError::Special(
            "the hands are two lists of at most five stones joined by `|`, stones joined by `,`, `-` for none"
                .to_owned(),
        )
    })
}

fn read_seat(text: &str) -> Option<Seat> {
    ["1", "2"].iter().position(|digit| *digit == text).and_then(Seat::from_index)
}
