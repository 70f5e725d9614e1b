//! Chess, by the laws of the FIDE as far as they concern the board. From India by way of Persia, in this form since about
//! 1500.

mod notation;
mod pgn;
mod table;
#[cfg(test)]
mod tests;

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Key, Meta, PositionError, Seat,
    kit::{self, Board, End, Grid, Names, Past, Play, Refusal, Rules, other},
    record::Format,
    view::{Chessman, Figure, Look, Piece, Shape},
};
use std::ops::ControlFlow;
pub use table::Ply;
use table::{BECOMES, Table};

/// A game of Chess.
pub type Chess = Play<Men>;

/// The board with its men, and the positions since the last capture or move of a pawn.
#[derive(Clone, Debug)]
pub struct Men {
    table: Table,
    past: Past,
}

static META: Meta = Meta {
    name: "chess",
    title: "Chess",
    aliases: &[],
    kind: GameKind::Chess,
    weight: 3,
    length: 80,
    rules_version: 1,
    players: 2..=2,
    options: &[],
    presets: &[],
    trial: "",
    abilities: Abilities::of(&[Ability::Undo, Ability::Draw, Ability::History]),
    seat_names: &[&["White", "Black"]],
    credit: "traditional, in this form since about 1500",
    contact: None,
    summary: "mate the king of the other side",
    help: || kit::write_help::<Chess>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

/// Quiet moves of both sides that are a tie.
const QUIET: u16 = 100;
/// Times that a position may be on the board: the last of them is a tie.
const REPEATS: usize = 3;

impl Men {
    /// The end of the game before a turn of this side, if there is one.
    fn judge(&self, next: Seat, times: usize) -> Option<End> {
        let tie = |reason| Some(End { winner: None, reason });
        if !self.table.has_move(next) {
            return if self.table.is_check(next) {
                Some(End::win(other(next), "checkmate"))
            } else {
                tie("stalemate")
            };
        }
        match times {
            REPEATS.. => tie("repetition"),
            _ if self.table.quiet >= QUIET => tie("fifty"),
            _ if self.table.is_bare() => tie("material"),
            _ => None,
        }
    }

    /// The rule that a move breaks.
    fn refuse(&self, side: Seat, mv: Ply) -> Refusal {
        let name = table::name_square;
        let Some((man, owner)) = self.table.man(mv.from).filter(|(_, owner)| *owner == side) else {
            return Refusal::Rule(format!("there is no man of yours on {}", name(mv.from)));
        };
        let becomes = BECOMES.map(|man| Ply { becomes: Some(man), ..mv });
        if mv.becomes.is_none() && notation::is_legal(&self.table, side, becomes[0]) {
            let [queen, rook, bishop, knight] = becomes.map(|ply| ply.to_string());
            let words = format!("say what the pawn becomes: {queen}, {rook}, {bishop} or {knight}");
            return Refusal::Rule(words);
        }
        let plain = Ply { becomes: None, ..mv };
        if mv.becomes.is_some() && notation::is_legal(&self.table, side, plain) {
            return Refusal::Rule("only a pawn that reaches the last row becomes another man".to_owned());
        }
        let mut can_go = false;
        let _ = self.table.each_pseudo(side, &mut |ply| {
            can_go |= ply == mv;
            ControlFlow::Continue(())
        });
        let (word, from, to) = (man.word(), name(mv.from), name(mv.to));
        let is_castling = man == Chessman::King && mv.from / 8 == mv.to / 8 && mv.from.abs_diff(mv.to) == 2;
        Refusal::Rule(match (can_go, self.table.is_check(owner)) {
            (true, true) => format!("after {mv} your king would still be in check"),
            (true, false) => format!("after {mv} your king would be in check"),
            _ if is_castling => "you cannot castle on this side now".to_owned(),
            _ => format!("the {word} on {from} cannot go to {to}"),
        })
    }
}

impl Rules for Men {
    const META: &'static Meta = &META;
    const ROLES: [&'static str; 2] = ["capital letters", "small letters"];
    const SEATS: [&'static str; 2] = ["w", "b"];
    const CHEQUERED: bool = true;
    const FORMATS: &'static [Format] = &[pgn::PGN];

    type Move = Ply;

    fn setup(_: &GameOptions) -> (Self, Board) {
        let grid = Grid::new(Shape::Square, 8, 8, Names { from_below: true, ..Names::default() });
        let mut men = Self { table: Table::start(), past: Past::default() };
        men.past.add(men.table.key(Seat::FIRST).finish());
        (men, Board::new(grid, false))
    }

    fn write(&self, _: &Board) -> (String, String) {
        let text = self.table.to_string();
        let (rows, rest) = text.split_once(" ? ").unwrap_or((&text, ""));
        (rows.to_owned(), rest.to_owned())
    }

    fn read_parts(&mut self, board: &mut Board, rows: &str, rest: &str) -> Result<(), PositionError> {
        self.table = Table::read(rows, rest, board.two.next)?;
        Ok(())
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        self.past.clear();
        let times = self.past.add(self.table.key(board.two.next).finish());
        self.judge(board.two.next, times)
    }

    fn play(&mut self, board: &mut Board, mv: Ply) -> Result<Option<End>, Refusal> {
        let side = board.two.next;
        if !notation::is_legal(&self.table, side, mv) {
            return Err(self.refuse(side, mv));
        }
        if self.table.make(mv, side) {
            self.past.clear();
        }
        let times = self.past.add(self.table.key(other(side)).finish());
        Ok(self.judge(other(side), times))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Ply) -> ControlFlow<()>) {
        let _ = self.table.each_legal(board.two.next, visit);
    }

    /// Draws among the moves that men can make until one is legal.
    fn pick(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<Ply> {
        let mut moves = Vec::with_capacity(48);
        let _ = self.table.each_pseudo(board.two.next, &mut |ply| {
            moves.push(ply);
            ControlFlow::Continue(())
        });
        while !moves.is_empty() {
            let at = below(moves.len() as u32) as usize;
            let ply = moves.swap_remove(at);
            if self.table.is_safe(ply, board.two.next) {
                return Some(ply);
            }
        }
        None
    }

    fn read(&self, board: &Board, text: &str) -> Option<Ply> {
        notation::read_san(&self.table, board.two.next, text)
    }

    fn may_read(text: &str) -> bool {
        notation::may_read(text)
    }

    fn list(&self, board: &Board, mv: &Ply) -> String {
        notation::write_san(&self.table, board.two.next, *mv)
    }

    fn add_to_key(&self, key: Key) -> Key {
        self.past.add_to_key(self.table.add_to(key))
    }

    fn piece(&self, board: &Board, cell: usize) -> Piece {
        let (row, column) = board.grid.row_and_column(cell);
        let found = self.table.man((8 * row + column) as u8);
        found.map_or(Piece::Empty, |(man, side)| Piece::Token {
            sign: table::sign((man, side)).unwrap_or('?'),
            owner: Some(side),
            look: Look { figure: Figure::Chess(man), ..Look::default() },
        })
    }

    fn estimate(&self, _: &Board) -> i32 {
        self.table.worth()
    }
}
