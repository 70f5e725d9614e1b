//! Sample: say in a sentence what it is, who found it and when, and whose names of houses these are.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Key, Meta, Part, PositionError, Scores, Seat, SyntaxError,
    kit::{self, Board, End, Grid, Names, Place, Play, Refusal, Rules, Spelt, other},
    view::{Figure, Look, Piece, Shape},
};
use std::{fmt, ops::ControlFlow, str::FromStr};

/// A game of Sample.
pub type Sample = Play<Seeds>;

/// The seeds in the houses, those of a seat from its `a` on in the order in which they are sown, and what each seat has
/// taken off.
#[derive(Clone, Debug)]
pub struct Seeds {
    houses: [u8; 2 * ROW],
    taken: [u8; 2],
}

/// Houses of a seat.
const ROW: usize = 6;
/// Seeds in a house at the start.
const FULL: u8 = 4;

const PARTS: &str = "the seeds of both rows, each joined by `,` and `/` between them, the seat to move, and what each has taken off";

static META: Meta = Meta {
    name: "sample",
    title: "Sample",
    aliases: &[],
    kind: GameKind::Sowing,
    weight: 1,
    length: 40,
    rules_version: 1,
    players: 2..=2,
    options: &[],
    presets: &[],
    trial: "",
    abilities: Abilities::of(&[Ability::Undo]),
    seat_names: &[&["South", "North"]],
    credit: "the author, and the year",
    contact: None,
    summary: "what to strive for, in a few words",
    help: || kit::write_help::<Sample>(include_str!("help.txt")),
    lessons: "",
    puzzles: "",
};

/// A house of the seat to move, by its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct House(u8);

impl fmt::Display for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        char::from(self.0).fmt(f)
    }
}

impl FromStr for House {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        match text.to_ascii_lowercase().as_bytes() {
            [letter @ b'a'..=b'f'] => Ok(Self(*letter)),
            _ => Err(SyntaxError::new(text, "a house, a to f")),
        }
    }
}

impl Spelt for House {
    type Step = Self;

    fn parts(&self) -> Vec<Part> {
        vec![Part::spot("", self)]
    }

    fn tell(&self) -> String {
        format!("A move is a house of yours, a to f: {self} sows its seeds.")
    }

    fn marks(&self) -> (Vec<Place>, bool) {
        (Vec::new(), false)
    }
}

/// The place of a house among all.
fn place(seat: Seat, House(letter): House) -> usize {
    ROW * seat.index() + usize::from(letter - b'a')
}

impl Seeds {
    fn row(&self, seat: Seat) -> &[u8] {
        let (first, second) = self.houses.split_at(ROW);
        if seat == Seat::FIRST { first } else { second }
    }

    fn count(&self, place: usize) -> u8 {
        self.houses.get(place).copied().unwrap_or(0)
    }

    /// The end of the game, if there is one: a seat without seeds, and nobody has won.
    fn judge(&self) -> Option<End> {
        let is_empty = |seat| self.row(seat).iter().all(|seeds| *seeds == 0);
        let ends = is_empty(Seat::FIRST) || is_empty(other(Seat::FIRST));
        ends.then_some(End { winner: None, reason: "empty" })
    }
}

/// Numbers that are printed as they are read.
fn read_numbers<const N: usize>(text: &str, between: char) -> Option<[u8; N]> {
    let number = |word: &str| word.parse::<u8>().ok().filter(|number| number.to_string() == word);
    let numbers: Option<Vec<u8>> = text.split(between).map(number).collect();
    numbers?.try_into().ok()
}

fn write_numbers(numbers: &[u8], between: &str) -> String {
    numbers.iter().map(u8::to_string).collect::<Vec<_>>().join(between)
}

impl Rules for Seeds {
    const META: &'static Meta = &META;
    const ROLES: [&'static str; 2] = ["the lower row", "the upper row"];
    const OWNERS: [&'static str; 4] = ["", "North", "", "South"];

    type Move = House;

    fn setup(_: &GameOptions) -> (Self, Board) {
        let names = Names { from_below: true, ..Names::default() };
        let board = Board::new(Grid::new(Shape::Houses, ROW, 2, names), false);
        (Self { houses: [FULL; 2 * ROW], taken: [0; 2] }, board)
    }

    fn write(&self, _: &Board) -> (String, String) {
        let rows = [Seat::FIRST, other(Seat::FIRST)].map(|seat| write_numbers(self.row(seat), ","));
        (rows.join("/"), write_numbers(&self.taken, "-"))
    }

    fn read_parts(&mut self, _: &mut Board, rows: &str, rest: &str) -> Result<(), PositionError> {
        let both = rows.split_once('/').and_then(|(first, second)| {
            Some([read_numbers::<ROW>(first, ',')?, read_numbers::<ROW>(second, ',')?].concat())
        });
        let (houses, taken) =
            both.zip(read_numbers::<2>(rest, '-')).ok_or(PositionError::Parts { expected: PARTS })?;
        let all: u32 = houses.iter().chain(&taken).map(|number| u32::from(*number)).sum();
        if all != 2 * ROW as u32 * u32::from(FULL) {
            return Err(PositionError::Special(format!("there are {all} seeds")));
        }
        (self.houses, self.taken) = (houses.try_into().unwrap_or(self.houses), taken);
        Ok(())
    }

    fn take_up(&mut self, _: &Board) -> Option<End> {
        self.judge()
    }

    /// The first seed is taken off, the others are sown one by one.
    fn play(&mut self, board: &mut Board, mv: House) -> Result<Option<End>, Refusal> {
        let (seat, from) = (board.two.next, place(board.two.next, mv));
        let seeds = self.count(from);
        if seeds == 0 {
            return Err(Refusal::Rule(format!("house {mv} is empty")));
        }
        let last = from + usize::from(seeds) - 1;
        if let Some(taken) = self.taken.get_mut(seat.index()) {
            *taken += 1;
        }
        for sown in std::iter::once(from).chain(from + 1..=last) {
            if let Some(house) = self.houses.get_mut(sown % (2 * ROW)) {
                *house = if sown == from { 0 } else { *house + 1 };
            }
        }
        Ok(self.judge())
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(House) -> ControlFlow<()>) {
        let is_full = |house: &House| self.count(place(board.two.next, *house)) > 0;
        let _ = (b'a'..=b'f').map(House).filter(is_full).try_for_each(visit);
    }

    fn add_to_key(&self, key: Key) -> Key {
        self.houses.iter().chain(&self.taken).fold(key, |key, number| key.with(u64::from(*number)))
    }

    fn piece(&self, board: &Board, cell: usize) -> Piece {
        let Place { letter, number } = board.grid.name(cell);
        let owner = Seat::new(number);
        let seeds = owner.map_or(0, |seat| self.count(place(seat, House(letter))));
        Piece::Token { sign: '.', owner, look: Look { figure: Figure::Seeds(seeds), ..Look::default() } }
    }

    fn scores(&self, _: &Board) -> Scores {
        Scores::Points(self.taken.map(u32::from).to_vec())
    }

    /// The houses of the seat to move alone are pointed at.
    fn spot(&self, board: &Board, cell: usize) -> String {
        let Place { letter, number } = board.grid.name(cell);
        if number == board.two.next.number() { char::from(letter).to_string() } else { String::new() }
    }

    fn marks(&self, before: &Board, _: &Board, House(letter): &House) -> (Vec<Place>, bool) {
        (vec![Place { letter: *letter, number: before.two.next.number() }], false)
    }
}
