//! The spellings of moves: from square to square, as UCI writes them, and standard algebraic notation.

use super::table::{BECOMES, LETTERS, Ply, Table, name_square, read_square};
use knotpost_rules::{
    Part, Seat, SyntaxError,
    kit::{Place, Spelt, other},
    view::Chessman,
};
use std::{fmt, ops::ControlFlow, str::FromStr};

/// Signs behind a move that say how good it is or what it does.
const TAIL: [char; 4] = ['#', '+', '!', '?'];

fn letter(man: Chessman) -> char {
    LETTERS.into_iter().find(|(kind, _)| *kind == man).map_or('?', |(_, letter)| letter)
}

fn place(square: u8) -> Place {
    Place { letter: b'a' + square % 8, number: 8 - square / 8 }
}

impl fmt::Display for Ply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", name_square(self.from), name_square(self.to))?;
        self.becomes.map_or(Ok(()), |man| write!(f, "={}", letter(man)))
    }
}

/// Splits off what a pawn becomes: `=q`, `=Q`, or the letter alone behind a digit.
fn split_promotion(text: &str) -> (&str, Option<Chessman>) {
    let man = |sign: char| BECOMES.into_iter().find(|man| letter(*man) == sign.to_ascii_lowercase());
    let mut signs = text.chars();
    let Some(becomes) = signs.next_back().and_then(man) else { return (text, None) };
    let rest = signs.as_str();
    match rest.strip_suffix('=') {
        Some(rest) => (rest, Some(becomes)),
        None if rest.ends_with(|sign: char| sign.is_ascii_digit()) => (rest, Some(becomes)),
        None => (text, None),
    }
}

impl FromStr for Ply {
    type Err = SyntaxError;

    /// Reads `e2-e4`, `e2e4`, `e4xd5`, `e7-e8=q` and `e7e8q`, in either case. `B1c3`, a bishop of the first row, is read
    /// where the position is known.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let error = || {
            let expected = "from square to square, such as e2-e4, or Nf3, with the file or row of the piece where two can go there";
            SyntaxError::new(text, expected)
        };
        let (way, becomes) = split_promotion(text.trim_end_matches(TAIL));
        let squares = match (way.as_bytes(), way.split_once(['-', 'x', 'X'])) {
            ([b'B', b'1'..=b'8', b'a'..=b'h' | b'x', ..], _) => None,
            (_, Some((from, to))) => Some((from, to)),
            (_, None) => way.split_at_checked(2),
        };
        let ply = squares
            .and_then(|(from, to)| Some(Self { from: read_square(from)?, to: read_square(to)?, becomes }));
        ply.ok_or_else(error)
    }
}

impl Spelt for Ply {
    type Step = Self;

    fn parts(&self) -> Vec<Part> {
        let becomes = self.becomes.map(|man| Part::word(&format!("={}", letter(man))));
        let [from, to] = [self.from, self.to].map(place);
        [Part::from("", &from), Part::to("-", &to)].into_iter().chain(becomes).collect()
    }

    fn tell(&self) -> String {
        let [from, to] = [self.from, self.to].map(name_square);
        format!("A move says from where to where: {self} moves the man on {from} to {to}.")
    }

    fn marks(&self) -> (Vec<Place>, bool) {
        ([self.from, self.to].map(place).to_vec(), true)
    }
}

/// A move in standard algebraic notation: `Nf3`, `exd5`, `O-O`, `e8=Q+`.
pub(super) fn write_san(table: &Table, side: Seat, ply: Ply) -> String {
    let Some((man, _)) = table.man(ply.from) else { return ply.to_string() };
    let mut after = *table;
    after.make(ply, side);
    let tail = match (after.is_check(other(side)), after.has_move(other(side))) {
        (true, false) => "#",
        (true, true) => "+",
        _ => "",
    };
    let capture = if table.is_capture(ply) { "x" } else { "" };
    let to = name_square(ply.to);
    let words = match man {
        Chessman::King if ply.from.abs_diff(ply.to) == 2 => {
            if ply.to > ply.from {
                "O-O".to_owned()
            } else {
                "O-O-O".to_owned()
            }
        }
        Chessman::Pawn => {
            let from = name_square(ply.from);
            let file = from.get(..1).filter(|_| !capture.is_empty()).unwrap_or_default();
            let becomes =
                ply.becomes.map_or_else(String::new, |man| format!("={}", letter(man).to_ascii_uppercase()));
            format!("{file}{capture}{to}{becomes}")
        }
        man => {
            let from = tell_apart(table, side, (man, ply));
            format!("{}{from}{capture}{to}", letter(man).to_ascii_uppercase())
        }
    };
    words + tail
}

/// As much of the square that a man leaves as tells it from others that could go there: its file, else its row, else both.
fn tell_apart(table: &Table, side: Seat, (man, ply): (Chessman, Ply)) -> String {
    let kin = |other: &Ply| {
        other.to == ply.to
            && other.from != ply.from
            && table.man(other.from).is_some_and(|(kind, _)| kind == man)
    };
    let others: Vec<Ply> = table.legal(side).into_iter().filter(kin).collect();
    let square = name_square(ply.from);
    let (file, row) = square.split_at(1);
    if others.is_empty() {
        String::new()
    } else if others.iter().all(|other| other.from % 8 != ply.from % 8) {
        file.to_owned()
    } else if others.iter().all(|other| other.from / 8 != ply.from / 8) {
        row.to_owned()
    } else {
        square
    }
}

/// A move in algebraic notation, long or short, taken apart.
struct San {
    man: Chessman,
    file: Option<u8>,
    row: Option<u8>,
    to: u8,
    becomes: Option<Chessman>,
}

impl San {
    /// Takes apart `Nf3`, `Nbd2`, `Ng1xf3`, `exd5`, `e8=Q`.
    fn read(text: &str) -> Option<Self> {
        let (way, becomes) = split_promotion(text.trim_end_matches(TAIL));
        let first = way.chars().next()?;
        let man = LETTERS.into_iter().find(|(_, letter)| *letter == first.to_ascii_lowercase());
        // A small b is a file.
        let man = man.filter(|(man, _)| *man != Chessman::Pawn && first != 'b');
        let (man, rest) = match man {
            Some((man, _)) => (man, way.get(1..)?),
            None => (Chessman::Pawn, way),
        };
        let (from, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let from = from.trim_end_matches(['x', 'X', '-']);
        let (mut file, mut row) = (None, None);
        for sign in from.bytes() {
            match sign.to_ascii_lowercase() {
                sign @ b'a'..=b'h' if file.is_none() && row.is_none() => file = Some(sign - b'a'),
                sign @ b'1'..=b'8' if row.is_none() => row = Some(b'8' - sign),
                _ => return None,
            }
        }
        Some(Self { man, file, row, to: read_square(to)?, becomes })
    }

    fn fits(&self, table: &Table, ply: Ply) -> bool {
        ply.to == self.to
            && table.man(ply.from).is_some_and(|(man, _)| man == self.man)
            && self.file.is_none_or(|file| file == ply.from % 8)
            && self.row.is_none_or(|row| row == ply.from / 8)
            && (self.becomes.is_none() || self.becomes == ply.becomes)
    }
}

/// The direction of castling: `O-O`, `0-0-0`, in either case.
fn read_castling(text: &str) -> Option<bool> {
    match text.trim_end_matches(TAIL).to_ascii_lowercase().replace('0', "o").as_str() {
        "o-o" => Some(true),
        "o-o-o" => Some(false),
        _ => None,
    }
}

/// True if some position may read the text.
pub(super) fn may_read(text: &str) -> bool {
    read_castling(text).is_some() || San::read(text).is_some()
}

/// Reads algebraic notation. A move that the pieces cannot make is read as one that is refused with the reason; of two that
/// fit none is.
pub(super) fn read_san(table: &Table, side: Seat, text: &str) -> Option<Ply> {
    if let Some(is_short) = read_castling(text) {
        let from = if side == Seat::FIRST { 60 } else { 4 };
        return Some(Ply { from, to: if is_short { from + 2 } else { from - 2 }, becomes: None });
    }
    let san = San::read(text)?;
    let mut fitting: Vec<Ply> = table.legal(side).into_iter().filter(|ply| san.fits(table, *ply)).collect();
    if san.becomes.is_none() {
        // Without its piece a promotion is refused later.
        for ply in &mut fitting {
            ply.becomes = None;
        }
        fitting.dedup();
    }
    match fitting.as_slice() {
        [only] => return Some(*only),
        [] => {}
        _ => return None,
    }
    let as_bishop = text.strip_prefix('b').map(|rest| format!("B{rest}"));
    if let Some(text) = as_bishop.filter(|text| text.len() > 2) {
        return read_san(table, side, &text);
    }
    let as_squares = text.strip_prefix('B').and_then(|rest| format!("b{rest}").parse().ok());
    as_squares.or_else(|| {
        let mut own = super::table::squares(table.kind(san.man) & table.of(side));
        let kin = own.find(|from| {
            san.file.is_none_or(|file| file == from % 8) && san.row.is_none_or(|row| row == from / 8)
        });
        kin.map(|from| Ply { from, to: san.to, becomes: san.becomes })
    })
}

/// True if `visit` of the legal moves finds this one.
pub(super) fn is_legal(table: &Table, side: Seat, ply: Ply) -> bool {
    let find =
        &mut |legal: Ply| if legal == ply { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    table.each_pseudo(side, find).is_break() && table.is_safe(ply, side)
}
