//! The chessboard: men as bits of squares, the moves of each, and positions in Forsyth-Edwards notation. Squares are
//! numbered row by row from a8.

use knotpost_rules::{
    Key, PositionError, Seat,
    kit::other,
    view::Chessman::{self, Bishop, King, Knight, Pawn, Queen, Rook},
};
use std::{fmt, ops::ControlFlow};

/// A move: squares, and the man that a pawn on the last row becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ply {
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) becomes: Option<Chessman>,
}

/// Everything that a position is but the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Squares of each kind of man, of both sides.
    kinds: [u64; 6],
    sides: [u64; 2],
    /// Rights to castle, see [`RIGHTS`].
    rights: u8,
    /// The square that a pawn has just passed, where one of the other side may take it.
    passed: Option<u8>,
    /// Moves in a row without a capture or a pawn's move.
    pub(super) quiet: u16,
    /// The number of the move, of both sides together.
    pub(super) number: u16,
}

/// The kinds that a pawn may become.
pub(super) const BECOMES: [Chessman; 4] = [Queen, Rook, Bishop, Knight];
/// Kinds by their letters.
pub(super) const LETTERS: [(Chessman, char); 6] =
    [(Pawn, 'p'), (Knight, 'n'), (Bishop, 'b'), (Rook, 'r'), (Queen, 'q'), (King, 'k')];

/// The second side.
pub(super) const BLACK: Seat = match Seat::new(2) {
    Some(seat) => seat,
    None => Seat::FIRST,
};

/// A right to castle.
struct Right {
    sign: char,
    bit: u8,
    side: Seat,
    king: u8,
    to: u8,
    rook: u8,
    rook_to: u8,
    /// Squares between king and rook.
    between: u64,
}

const RIGHTS: [Right; 4] = [
    Right { sign: 'K', bit: 1, side: Seat::FIRST, king: 60, to: 62, rook: 63, rook_to: 61, between: 3 << 61 },
    Right { sign: 'Q', bit: 2, side: Seat::FIRST, king: 60, to: 58, rook: 56, rook_to: 59, between: 7 << 57 },
    Right { sign: 'k', bit: 4, side: BLACK, king: 4, to: 6, rook: 7, rook_to: 5, between: 3 << 5 },
    Right { sign: 'q', bit: 8, side: BLACK, king: 4, to: 2, rook: 0, rook_to: 3, between: 7 << 1 },
];

type Steps = [(i8, i8); 4];
const STRAIGHT: Steps = [(-1, 0), (0, 1), (1, 0), (0, -1)];
const DIAGONAL: Steps = [(-1, -1), (-1, 1), (1, 1), (1, -1)];
const KNIGHTS: [u64; 64] = leaps([(-2, -1), (-2, 1), (-1, 2), (1, 2), (2, 1), (2, -1), (1, -2), (-1, -2)]);
const KINGS: [u64; 64] = leaps([(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)]);
/// Squares that a white and a black pawn attack.
const PAWNS: [[u64; 64]; 2] = [leaps([(-1, -1), (-1, 1)]), leaps([(1, -1), (1, 1)])];
const LAST_ROWS: u64 = 0xff00_0000_0000_00ff;
const LIGHT: u64 = 0xaa55_aa55_aa55_aa55;

const fn leaps<const N: usize>(steps: [(i8, i8); N]) -> [u64; 64] {
    let mut all = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut step = 0;
        while step < N {
            if let Some(to) = shift(square as u8, steps[step]) {
                all[square] |= 1 << to;
            }
            step += 1;
        }
        square += 1;
    }
    all
}

const fn shift(square: u8, (down, right): (i8, i8)) -> Option<u8> {
    let (row, column) = ((square / 8) as i8 + down, (square % 8) as i8 + right);
    if row < 0 || row > 7 || column < 0 || column > 7 { None } else { Some((8 * row + column) as u8) }
}

const fn bit(square: u8) -> u64 {
    1 << (square % 64)
}

/// The squares of a set.
pub(super) fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = (set != 0).then_some(set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(square)
    })
}

fn entry(table: &[u64; 64], square: u8) -> u64 {
    table.get(usize::from(square)).copied().unwrap_or(0)
}

fn pawn_attacks(square: u8, side: Seat) -> u64 {
    PAWNS.get(side.index()).map_or(0, |table| entry(table, square))
}

/// The squares up to the first man in each direction, its own included.
fn slide(square: u8, taken: u64, steps: Steps) -> u64 {
    let mut reached = 0;
    for step in steps {
        let mut at = square;
        while let Some(next) = shift(at, step) {
            reached |= bit(next);
            if taken & bit(next) != 0 {
                break;
            }
            at = next;
        }
    }
    reached
}

impl Table {
    pub(super) fn start() -> Self {
        let text = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        Self::read(text, "KQkq - 0 1", Seat::FIRST).unwrap_or(Self::EMPTY)
    }

    const EMPTY: Self = Self { kinds: [0; 6], sides: [0; 2], rights: 0, passed: None, quiet: 0, number: 1 };

    pub(super) fn of(&self, side: Seat) -> u64 {
        self.sides.get(side.index()).copied().unwrap_or(0)
    }

    pub(super) fn kind(&self, man: Chessman) -> u64 {
        self.kinds.get(man as usize).copied().unwrap_or(0)
    }

    fn taken(&self) -> u64 {
        let [white, black] = self.sides;
        white | black
    }

    /// The man on a square, and its side.
    pub(super) fn man(&self, square: u8) -> Option<(Chessman, Seat)> {
        let side = [Seat::FIRST, BLACK].into_iter().find(|side| self.of(*side) & bit(square) != 0)?;
        let man =
            Chessman::ALL.into_iter().map(|(man, _)| man).find(|man| self.kind(*man) & bit(square) != 0)?;
        Some((man, side))
    }

    fn put(&mut self, square: u8, man: Chessman, side: Seat) {
        let (kind, side) = (self.kinds.get_mut(man as usize), self.sides.get_mut(side.index()));
        kind.into_iter().chain(side).for_each(|set| *set |= bit(square));
    }

    fn clear(&mut self, square: u8) {
        self.kinds.iter_mut().chain(&mut self.sides).for_each(|set| *set &= !bit(square));
    }

    fn is_attacked(&self, square: u8, by: Seat) -> bool {
        let (men, taken) = (self.of(by), self.taken());
        let straight = self.kind(Rook) | self.kind(Queen);
        let diagonal = self.kind(Bishop) | self.kind(Queen);
        men & (entry(&KNIGHTS, square) & self.kind(Knight)
            | entry(&KINGS, square) & self.kind(King)
            | pawn_attacks(square, other(by)) & self.kind(Pawn))
            != 0
            || men & straight != 0 && slide(square, taken, STRAIGHT) & men & straight != 0
            || men & diagonal != 0 && slide(square, taken, DIAGONAL) & men & diagonal != 0
    }

    pub(super) fn is_check(&self, side: Seat) -> bool {
        squares(self.kind(King) & self.of(side)).any(|king| self.is_attacked(king, other(side)))
    }

    /// The squares to which a man goes, as long as its king is left out of account; without castling.
    fn targets(&self, man: Chessman, from: u8, side: Seat) -> u64 {
        let (own, taken) = (self.of(side), self.taken());
        match man {
            Pawn => {
                let ahead: i8 = if side == Seat::FIRST { -1 } else { 1 };
                let free = |at: u8| shift(at, (ahead, 0)).filter(|to| taken & bit(*to) == 0);
                let one = free(from);
                let is_first = from / 8 == if side == Seat::FIRST { 6 } else { 1 };
                let two = one.filter(|_| is_first).and_then(free);
                let enemies = self.of(other(side)) | self.passed.map_or(0, bit);
                pawn_attacks(from, side) & enemies | one.map_or(0, bit) | two.map_or(0, bit)
            }
            Knight => entry(&KNIGHTS, from) & !own,
            Bishop => slide(from, taken, DIAGONAL) & !own,
            Rook => slide(from, taken, STRAIGHT) & !own,
            Queen => (slide(from, taken, DIAGONAL) | slide(from, taken, STRAIGHT)) & !own,
            King => entry(&KINGS, from) & !own,
        }
    }

    /// Calls `visit` with every move that men can make, as long as the own king is left out of account.
    pub(super) fn each_pseudo(
        &self,
        side: Seat,
        visit: &mut dyn FnMut(Ply) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (man, _) in Chessman::ALL {
            for from in squares(self.kind(man) & self.of(side)) {
                for to in squares(self.targets(man, from, side)) {
                    if man == Pawn && bit(to) & LAST_ROWS != 0 {
                        BECOMES
                            .into_iter()
                            .try_for_each(|man| visit(Ply { from, to, becomes: Some(man) }))?;
                    } else {
                        visit(Ply { from, to, becomes: None })?;
                    }
                }
            }
        }
        let may_castle = |right: &&Right| {
            let way = [right.king, u8::midpoint(right.king, right.to)];
            right.side == side
                && self.rights & right.bit != 0
                && self.taken() & right.between == 0
                && !way.iter().any(|square| self.is_attacked(*square, other(side)))
        };
        let castlings = RIGHTS.iter().filter(may_castle);
        { castlings }.try_for_each(|right| visit(Ply { from: right.king, to: right.to, becomes: None }))
    }

    /// True if the king of this side is safe after a move of its.
    pub(super) fn is_safe(&self, ply: Ply, side: Seat) -> bool {
        let mut after = *self;
        after.make(ply, side);
        !after.is_check(side)
    }

    /// Calls `visit` with every legal move.
    pub(super) fn each_legal(
        &self,
        side: Seat,
        visit: &mut dyn FnMut(Ply) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.each_pseudo(side, &mut |ply| {
            if self.is_safe(ply, side) { visit(ply) } else { ControlFlow::Continue(()) }
        })
    }

    pub(super) fn legal(&self, side: Seat) -> Vec<Ply> {
        let mut all = Vec::with_capacity(48);
        let _ = self.each_legal(side, &mut |ply| {
            all.push(ply);
            ControlFlow::Continue(())
        });
        all
    }

    pub(super) fn has_move(&self, side: Seat) -> bool {
        self.each_legal(side, &mut |_| ControlFlow::Break(())).is_break()
    }

    pub(super) fn is_capture(&self, ply: Ply) -> bool {
        let is_pawn = self.kind(Pawn) & bit(ply.from) != 0;
        self.taken() & bit(ply.to) != 0 || is_pawn && ply.from % 8 != ply.to % 8
    }

    /// Makes a move, and says whether nothing before it can come back.
    pub(super) fn make(&mut self, ply: Ply, side: Seat) -> bool {
        let Some((man, _)) = self.man(ply.from) else { return false };
        let is_final = man == Pawn || self.is_capture(ply);
        if man == Pawn && Some(ply.to) == self.passed {
            self.clear(8 * (ply.from / 8) + ply.to % 8);
        }
        self.clear(ply.from);
        self.clear(ply.to);
        self.put(ply.to, ply.becomes.unwrap_or(man), side);
        let castled = RIGHTS.iter().find(|right| man == King && (right.king, right.to) == (ply.from, ply.to));
        if let Some(right) = castled.filter(|right| self.rights & right.bit != 0) {
            self.clear(right.rook);
            self.put(right.rook_to, Rook, side);
        }
        for right in RIGHTS
            .iter()
            .filter(|right| [ply.from, ply.to].iter().any(|square| [right.king, right.rook].contains(square)))
        {
            self.rights &= !right.bit;
        }
        let middle = u8::midpoint(ply.from, ply.to);
        let is_double = man == Pawn && ply.from.abs_diff(ply.to) == 16;
        let enemies = self.kind(Pawn) & self.of(other(side));
        self.passed = Some(middle).filter(|_| is_double && pawn_attacks(middle, side) & enemies != 0);
        self.quiet = if is_final { 0 } else { self.quiet.saturating_add(1) };
        self.number = self.number.saturating_add(u16::from(side != Seat::FIRST));
        is_final
    }

    /// True if nobody can ever be mated.
    pub(super) fn is_bare(&self) -> bool {
        let (bishops, knights) = (self.kind(Bishop), self.kind(Knight));
        let others = self.kind(Pawn) | self.kind(Rook) | self.kind(Queen);
        let one_colour = bishops & LIGHT == 0 || bishops & !LIGHT == 0;
        others == 0 && (knights == 0 && one_colour || knights.is_power_of_two() && bishops == 0)
    }

    /// The worth of the men to the first side, in hundredths of a pawn. Squares in the middle count a little, and a bare king
    /// should be driven to the edge.
    pub(super) fn worth(&self) -> i32 {
        const CENTRE: u64 = 0x0000_003c_3c00_0000;
        const RIM: u64 = 0xff81_8181_8181_81ff;
        const WORTH: [i32; 6] = [100, 320, 330, 500, 900, 0];
        let count = |set: u64| set.count_ones() as i32;
        let side = |side: Seat| {
            let men = self.of(side);
            let worth: i32 =
                self.kinds.iter().zip(WORTH).map(|(kind, worth)| worth * count(kind & men)).sum();
            let placed = 8 * count(men & CENTRE) - 4 * count(men & RIM & !self.kind(Rook));
            let ahead = squares(self.kind(Pawn) & men).map(|square| {
                let row = i32::from(square / 8);
                if side == Seat::FIRST { 6 - row } else { row - 1 }
            });
            worth + placed + 3 * ahead.sum::<i32>()
        };
        let driven = |side: Seat| {
            let king = self.kind(King) & self.of(side);
            let few = count(self.of(side)) < 4;
            if few { 30 * count(king & RIM) - 10 * count(king & CENTRE) } else { 0 }
        };
        side(Seat::FIRST) - side(BLACK) + driven(BLACK) - driven(Seat::FIRST)
    }

    /// The square behind a pawn that one of the side to move may take in passing.
    fn takeable(&self, next: Seat) -> Option<u8> {
        let pawns = self.kind(Pawn) & self.of(next);
        self.passed.filter(|square| pawn_attacks(*square, other(next)) & pawns != 0)
    }

    /// A key of what counts where a position comes back.
    pub(super) fn key(&self, next: Seat) -> Key {
        let all = self.kinds.into_iter().chain(self.sides).fold(Key::EMPTY, Key::with);
        let passed = self.takeable(next).map_or(0, |square| u64::from(square) + 1);
        all.with(u64::from(self.rights) << 16 | passed << 8 | u64::from(next.number()))
    }

    /// A key of everything.
    pub(super) fn add_to(&self, key: Key) -> Key {
        let all = self.kinds.into_iter().chain(self.sides).fold(key, Key::with);
        let passed = self.passed.map_or(0, |square| u64::from(square) + 1);
        let counts = u64::from(self.quiet) << 16 | u64::from(self.number);
        all.with(counts << 16 | u64::from(self.rights) << 8 | passed)
    }

    /// Reads the placement and what follows the side to move.
    pub(super) fn read(rows: &str, rest: &str, next: Seat) -> Result<Self, PositionError> {
        let special = |text: &str| PositionError::Special(text.to_owned());
        let mut table = Self::EMPTY;
        let lines: Vec<&str> = rows.split('/').collect();
        if lines.len() != 8 {
            return Err(PositionError::Rows { expected: 8, found: lines.len() });
        }
        for (line, row) in lines.into_iter().zip(0_u8..) {
            let mut column = 0_u8;
            for found in line.chars() {
                let man = LETTERS.into_iter().find(|(_, letter)| *letter == found.to_ascii_lowercase());
                match (found, man) {
                    ('1'..='8', _) => column += found as u8 - b'0',
                    (_, Some((man, _))) if column < 8 => {
                        let side = if found.is_ascii_uppercase() { Seat::FIRST } else { BLACK };
                        table.put(8 * row + column, man, side);
                        column += 1;
                    }
                    _ => return Err(PositionError::Cell { row: usize::from(row) + 1, found }),
                }
                if column > 8 {
                    break;
                }
            }
            if column != 8 {
                let (row, found) = (usize::from(row) + 1, usize::from(column));
                return Err(PositionError::Width { row, expected: 8, found });
            }
        }
        let parts: Vec<&str> = rest.split(' ').collect();
        let [rights, passed, quiet, number] = parts.as_slice() else {
            return Err(PositionError::Parts { expected: "in Forsyth-Edwards notation, of six parts" });
        };
        let of = |right: &&Right| rights.contains(right.sign);
        table.rights = RIGHTS.iter().filter(of).map(|right| right.bit).sum();
        table.passed = if *passed == "-" { None } else { read_square(passed) };
        table.quiet =
            quiet.parse().map_err(|_| special("the fifth part counts moves without capture or pawn"))?;
        table.number = number.parse().map_err(|_| special("the sixth part is the number of the move"))?;
        table.check(next)?;
        let printed = table.to_string();
        let same = printed.split_once(" ? ") == Some((rows, rest));
        if same { Ok(table) } else { Err(special("this is not how the position is written")) }
    }

    /// Refuses what cannot be played on from.
    fn check(&self, next: Seat) -> Result<(), PositionError> {
        let broken = |text: &str| Err(PositionError::Special(text.to_owned()));
        let kings = [Seat::FIRST, BLACK].map(|side| (self.kind(King) & self.of(side)).count_ones());
        let stands = |man: Chessman, square: u8, side: Seat| self.man(square) == Some((man, side));
        let keeps = |right: &Right| {
            self.rights & right.bit == 0
                || stands(King, right.king, right.side) && stands(Rook, right.rook, right.side)
        };
        let ahead = if next == Seat::FIRST { 1 } else { -1 };
        let is_passed = |square: u8| {
            let row = if next == Seat::FIRST { 2 } else { 5 };
            let pawn = shift(square, (ahead, 0)).is_some_and(|pawn| stands(Pawn, pawn, other(next)));
            let behind = shift(square, (-ahead, 0)).map_or(0, bit);
            square / 8 == row && pawn && self.taken() & (bit(square) | behind) == 0
        };
        if kings != [1, 1] {
            return broken("each side has one king");
        }
        if self.kind(Pawn) & LAST_ROWS != 0 {
            return broken("no pawn stands in the first or the last row");
        }
        if !RIGHTS.iter().all(keeps) {
            return broken("castling needs king and rook where they begin");
        }
        if !self.passed.is_none_or(is_passed) {
            return broken("no pawn has just passed the square of the fourth part");
        }
        if self.number == 0 {
            return broken("moves are numbered from 1");
        }
        if self.is_check(other(next)) {
            return broken("the side that is not to move stands in check");
        }
        Ok(())
    }
}

/// Forsyth-Edwards notation with `?` for the side to move.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..8 {
            if row > 0 {
                f.write_str("/")?;
            }
            let mut empty = 0;
            for square in 8 * row..8 * row + 8 {
                let Some(sign) = self.man(square).and_then(sign) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    write!(f, "{empty}")?;
                }
                write!(f, "{sign}")?;
                empty = 0;
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
        }
        let rights: String =
            RIGHTS.iter().filter(|right| self.rights & right.bit != 0).map(|right| right.sign).collect();
        let rights = if rights.is_empty() { "-".to_owned() } else { rights };
        let passed = self.passed.map_or_else(|| "-".to_owned(), name_square);
        write!(f, " ? {rights} {passed} {} {}", self.quiet, self.number)
    }
}

/// The letter of a man, a capital for the first side.
pub(super) fn sign((man, side): (Chessman, Seat)) -> Option<char> {
    let (_, letter) = LETTERS.into_iter().find(|(kind, _)| *kind == man)?;
    Some(if side == Seat::FIRST { letter.to_ascii_uppercase() } else { letter })
}

/// The name of a square.
pub(super) fn name_square(square: u8) -> String {
    format!("{}{}", char::from(b'a' + square % 8), 8 - square / 8)
}

/// The square of a name, in either case.
pub(super) fn read_square(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [letter @ (b'a'..=b'h' | b'A'..=b'H'), digit @ b'1'..=b'8'] => {
            Some(8 * (b'8' - digit) + letter.to_ascii_lowercase() - b'a')
        }
        _ => None,
    }
}
