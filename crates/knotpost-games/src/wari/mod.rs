//! Wari: sow seeds around the board and capture by twos and threes. Traditional, from West Africa, where most names of it are
//! at home; played by the rules of abapa. The word wari and the letters of the houses are those of pbmserv.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Key, Meta, Part, PositionError, Scores, Seat, SyntaxError,
    kit::{self, Board, End, Grid, Names, Past, Place, Play, Refusal, Rules, Spelt, other},
    view::{Figure, Look, Piece, Shape},
};
use std::{cmp::Ordering, fmt, ops::ControlFlow, str::FromStr};

/// A game of Wari.
pub type Wari = Play<Seeds>;

/// The seeds in the houses, those of a seat from its `a` on in the order in which they are sown; what each seat has taken;
/// the positions since the last capture.
#[derive(Clone, Debug)]
pub struct Seeds {
    houses: [u8; HOUSES],
    taken: [u8; 2],
    past: Past,
}

/// Houses of a seat.
const ROW: usize = 6;
/// All houses.
const HOUSES: usize = 2 * ROW;
/// Seeds in a house at the start.
const FULL: u8 = 4;
/// Seeds of a seat that are a tie; one more wins.
const HALF: u8 = ROW as u8 * FULL;

const PARTS: &str = "the seeds of both rows, each joined by `,` and `/` between them, the seat to move, and what each has taken, joined by `-`";

static META: Meta = Meta {
    name: "wari",
    title: "Wari",
    aliases: &["oware"],
    kind: GameKind::Sowing,
    weight: 2,
    length: 60,
    rules_version: 1,
    players: 2..=2,
    options: &[],
    presets: &[],
    trial: "",
    abilities: Abilities::of(&[Ability::Undo, Ability::History]),
    seat_names: &[&["South", "North"]],
    credit: "traditional, from West Africa",
    contact: None,
    summary: "sow seeds and capture twos and threes",
    help: || kit::write_help::<Wari>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
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

/// The owner of a house.
fn owner(place: usize) -> Seat {
    if place % HOUSES < ROW { Seat::FIRST } else { other(Seat::FIRST) }
}

/// The houses after sowing from a full one, and the house of the last seed.
fn sow(mut houses: [u8; HOUSES], from: usize) -> ([u8; HOUSES], usize) {
    let (mut seeds, mut last) = (houses.get_mut(from).map_or(0, std::mem::take), from);
    while seeds > 0 {
        last = (last + 1) % HOUSES;
        if let Some(house) = houses.get_mut(last).filter(|_| last != from) {
            *house += 1;
            seeds -= 1;
        }
    }
    (houses, last)
}

fn row(houses: &[u8; HOUSES], seat: Seat) -> &[u8] {
    let (first, second) = houses.split_at(ROW);
    if seat == Seat::FIRST { first } else { second }
}

fn is_bare(houses: &[u8; HOUSES], seat: Seat) -> bool {
    row(houses, seat).iter().all(|seeds| *seeds == 0)
}

/// Takes the seeds that the last one captures, unless these are all that the other side has; returns how many.
fn capture(houses: &mut [u8; HOUSES], seat: Seat, last: usize) -> u8 {
    let mut after = *houses;
    let mut taken = 0;
    let mut places = (0..=last).rev().take_while(|place| owner(*place) != seat);
    while let Some(house) = places.next().and_then(|place| after.get_mut(place)) {
        if !matches!(*house, 2 | 3) {
            break;
        }
        taken += std::mem::take(house);
    }
    if taken == 0 || is_bare(&after, other(seat)) {
        return 0;
    }
    *houses = after;
    taken
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

impl Seeds {
    fn count(&self, place: usize) -> u8 {
        self.houses.get(place).copied().unwrap_or(0)
    }

    /// The rule that forbids a move, if there is one.
    fn refuse(&self, seat: Seat, mv: House) -> Option<String> {
        let from = place(seat, mv);
        if self.count(from) == 0 {
            return Some(format!("house {mv} is empty"));
        }
        let enemy = other(seat);
        let starves = is_bare(&self.houses, enemy) && is_bare(&sow(self.houses, from).0, enemy);
        starves.then(|| format!("{mv} leaves the other side without seeds, and it has none to play with"))
    }

    fn has_move(&self, seat: Seat) -> bool {
        (b'a'..=b'f').any(|letter| self.refuse(seat, House(letter)).is_none())
    }

    /// Gives each seat the seeds of its own row.
    fn keep_rows(&mut self) {
        for seat in [Seat::FIRST, other(Seat::FIRST)] {
            let rest: u8 = row(&self.houses, seat).iter().sum();
            if let Some(taken) = self.taken.get_mut(seat.index()) {
                *taken += rest;
            }
        }
        self.houses = [0; HOUSES];
    }

    /// The end of the game by what has been taken.
    fn judge(&self) -> Option<End> {
        let [first, second] = self.taken;
        match first.cmp(&second) {
            Ordering::Greater if first > HALF => Some(End::win(Seat::FIRST, "score")),
            Ordering::Less if second > HALF => Some(End::win(other(Seat::FIRST), "score")),
            Ordering::Equal if first == HALF => Some(End { winner: None, reason: "score" }),
            _ => None,
        }
    }

    fn key_of(&self, next: Seat) -> u64 {
        let seeds = |numbers: &[u8]| numbers.iter().fold(0_u64, |sum, number| sum << 6 | u64::from(*number));
        let [first, second] = [Seat::FIRST, other(Seat::FIRST)].map(|seat| seeds(row(&self.houses, seat)));
        Key::EMPTY.with(first).with(second).with(u64::from(next.number())).finish()
    }
}

impl Rules for Seeds {
    const META: &'static Meta = &META;
    const ROLES: [&'static str; 2] = ["the lower row", "the upper row"];
    const OWNERS: [&'static str; 4] = ["", "North", "", "South"];

    type Move = House;

    fn setup(_: &GameOptions) -> (Self, Board) {
        let names = Names { from_below: true, ..Names::default() };
        let board = Board::new(Grid::new(Shape::Houses, ROW, 2, names), false);
        let mut seeds = Self { houses: [FULL; HOUSES], taken: [0; 2], past: Past::default() };
        seeds.past.add(seeds.key_of(Seat::FIRST));
        (seeds, board)
    }

    fn write(&self, _: &Board) -> (String, String) {
        let rows = [Seat::FIRST, other(Seat::FIRST)].map(|seat| write_numbers(row(&self.houses, seat), ","));
        (rows.join("/"), write_numbers(&self.taken, "-"))
    }

    fn read_parts(&mut self, _: &mut Board, rows: &str, rest: &str) -> Result<(), PositionError> {
        let both = rows.split_once('/').and_then(|(first, second)| {
            Some([read_numbers::<ROW>(first, ',')?, read_numbers::<ROW>(second, ',')?].concat())
        });
        let (houses, taken) =
            both.zip(read_numbers::<2>(rest, '-')).ok_or(PositionError::Parts { expected: PARTS })?;
        let all: u32 = houses.iter().chain(&taken).map(|number| u32::from(*number)).sum();
        if all != 2 * u32::from(HALF) {
            return Err(PositionError::Special(format!("there are {all} seeds instead of {}", 2 * HALF)));
        }
        (self.houses, self.taken) = (houses.try_into().unwrap_or(self.houses), taken);
        Ok(())
    }

    /// A seat that cannot move, or cannot feed the other, ends the game.
    fn take_up(&mut self, board: &Board) -> Option<End> {
        self.past.clear();
        self.past.add(self.key_of(board.two.next));
        if self.judge().is_none() && !self.has_move(board.two.next) {
            self.keep_rows();
        }
        self.judge()
    }

    fn play(&mut self, board: &mut Board, mv: House) -> Result<Option<End>, Refusal> {
        let seat = board.two.next;
        if let Some(rule) = self.refuse(seat, mv) {
            return Err(Refusal::Rule(rule));
        }
        let (houses, last) = sow(self.houses, place(seat, mv));
        self.houses = houses;
        let taken = capture(&mut self.houses, seat, last);
        if let Some(sum) = self.taken.get_mut(seat.index()).filter(|_| taken > 0) {
            *sum += taken;
            self.past.clear();
        }
        let count = self.past.add(self.key_of(other(seat)));
        if self.judge().is_none() && (count > 1 || !self.has_move(other(seat))) {
            self.keep_rows();
        }
        Ok(self.judge())
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(House) -> ControlFlow<()>) {
        let may_play = |house: &House| self.refuse(board.two.next, *house).is_none();
        let _ = (b'a'..=b'f').map(House).filter(may_play).try_for_each(visit);
    }

    fn add_to_key(&self, key: Key) -> Key {
        let key = self.houses.iter().chain(&self.taken).fold(key, |key, number| key.with(u64::from(*number)));
        self.past.add_to_key(key)
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

    fn marks(&self, before: &Board, _: &Board, &House(letter): &House) -> (Vec<Place>, bool) {
        (vec![Place { letter, number: before.two.next.number() }], false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_rules::{Game, Seed};

    crate::tests::game_tests!(super::Wari, "wari");

    fn after(position: &str, mv: &str) -> String {
        let options = GameOptions::defaults(META.options);
        let mut game = Wari::parse_position(&options, 2, &Seed::default(), position).unwrap();
        game.play(&mv.parse().unwrap()).map_or_else(|refusal| refusal.to_string(), |_| game.to_string())
    }

    #[test]
    fn sentences_of_the_rules() {
        let cases = [
            ("one after the other", "4,4,4,4,4,4/4,4,4,4,4,4 1 0-0", "c", "4,4,0,5,5,5/5,4,4,4,4,4 2 0-0"),
            (
                "its own house is left out",
                "0,0,0,0,0,13/1,1,1,1,1,1 1 15-14",
                "f",
                "1,1,1,1,1,0/0,0,2,2,2,2 2 21-14",
            ),
            (
                "twos and threes behind each other",
                "0,0,0,0,1,3/0,1,2,4,0,0 1 20-17",
                "f",
                "0,0,0,0,1,0/1,0,0,4,0,0 2 25-17",
            ),
            ("not behind a gap", "0,0,0,0,1,3/2,0,1,4,0,0 1 20-17", "f", "0,0,0,0,1,0/3,1,0,4,0,0 2 22-17"),
            (
                "nothing where all would go",
                "0,0,0,0,1,2/1,1,0,0,0,0 1 22-21",
                "f",
                "0,0,0,0,1,0/2,2,0,0,0,0 2 22-21",
            ),
            (
                "others must be fed",
                "1,0,0,0,1,1/0,0,0,0,0,0 1 22-23",
                "e",
                "e leaves the other side without seeds, and it has none to play with",
            ),
            ("who is fed goes on", "1,0,0,0,1,1/0,0,0,0,0,0 1 22-23", "f", "1,0,0,0,1,0/1,0,0,0,0,0 2 22-23"),
            (
                "the end where nobody can be fed",
                "1,0,0,0,0,0/0,0,0,0,0,1 2 23-23",
                "f",
                "0,0,0,0,0,0/0,0,0,0,0,0 1 25-23",
            ),
            ("empty houses", "0,1,0,0,0,1/0,0,0,0,0,1 1 23-22", "a", "house a is empty"),
        ];
        for (rule, before, mv, expected) in cases {
            assert_eq!(after(before, mv), expected, "{rule}");
        }
    }
}
