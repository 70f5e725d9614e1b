//! Boxilies: place stones with arrows on a 3 x 3 board and capture the neighbours that are weaker where they touch.
//! Where the rules are published no author is named.
//!
//! A hand keeps the order in which it was dealt or given. In a position where the seat to move has nothing to place
//! the game is over like on a full board; no game from the start gets there.

mod bot;
mod help;
mod moves;
mod rules;
mod stones;
mod text;
mod view;

pub use bot::BOT;
pub use moves::{BoxiliesIllegal, BoxiliesMove, Cell};
pub use stones::{Hand, Lie, Stone};

use knotpost_rules::{
    Forbidden, Game, GameOptions, Key, Meta, Outcome, PositionError, Scores, Seat, Seats, Seed, SwapRight,
    lead,
};
use rules::META;

/// Seats at a board.
const SEATS: usize = 2;
/// Rows and columns.
const SIZE: usize = 3;
/// All cells of the board.
const FULL: u16 = (1 << 9) - 1;

/// A game of Boxilies in progress.
#[derive(Clone, Debug)]
pub struct Boxilies {
    /// The directions of the stones; `None` where there is none.
    lies: [Option<Lie>; 9],
    /// The cells each seat owns, a bit each.
    owned: [u16; SEATS],
    hands: [Hand; SEATS],
    next: Seat,
    swap: SwapRight,
    retired: Seats,
}

impl Boxilies {
    /// The stones that the seat to move may place.
    pub fn hand(&self) -> Hand {
        let [first, second] = self.hands;
        if self.next == Seat::FIRST { first } else { second }
    }

    /// True if a cell is empty.
    pub const fn is_empty(&self, cell: Cell) -> bool {
        self.occupied() >> cell.index() & 1 == 0
    }

    const fn occupied(&self) -> u16 {
        let [first, second] = self.owned;
        first | second
    }

    const fn is_full(&self) -> bool {
        self.occupied() == FULL
    }

    /// Owner and lie of the stone on a cell.
    fn stone_at(&self, cell: Cell) -> Option<(Seat, Lie)> {
        let lie = self.lies.get(cell.index()).copied().flatten()?;
        let owner = self.owned.iter().position(|cells| cells >> cell.index() & 1 == 1)?;
        Seat::from_index(owner).map(|seat| (seat, lie))
    }

    /// Lays a stone on an empty cell.
    fn lay(&mut self, cell: Cell, lie: Lie, owner: Seat) {
        if let (Some(slot), Some(cells)) =
            (self.lies.get_mut(cell.index()), self.owned.get_mut(owner.index()))
        {
            *slot = Some(lie);
            *cells |= 1 << cell.index();
        }
    }

    /// The stone's place in the mover's hand, or the rule by which it may not go there.
    fn check(&self, mv: BoxiliesMove) -> Result<usize, BoxiliesIllegal> {
        let (hand, stone) = (self.hand(), mv.lie.stone());
        if self.is_full() {
            return Err(BoxiliesIllegal::Full);
        }
        if hand.is_empty() {
            return Err(BoxiliesIllegal::NoStones { seat: rules::seat_name(self.next) });
        }
        let missing = || BoxiliesIllegal::NotInHand { stone, seat: rules::seat_name(self.next), hand };
        let index = hand.find(stone).ok_or_else(missing)?;
        if self.is_empty(mv.cell) { Ok(index) } else { Err(BoxiliesIllegal::Taken { cell: mv.cell }) }
    }

    /// The neighbours with fewer arrows towards this stone than it has towards them, whoever owns them.
    fn weaker_neighbours(&self, mv: BoxiliesMove) -> u16 {
        let (row, column) = (mv.cell.index() / SIZE, mv.cell.index() % SIZE);
        let [north, east, south, west] = mv.lie.arrows();
        let beats = |inside: bool, step: isize, ours: u8, facing: usize| {
            let at = mv.cell.index().wrapping_add_signed(step);
            let theirs = self.lies.get(at).filter(|_| inside).copied().flatten();
            match theirs.and_then(|lie| lie.arrows().get(facing).copied()) {
                Some(arrows) if ours > arrows => 1 << at,
                _ => 0,
            }
        };
        beats(row > 0, -3, north, 2)
            | beats(column < 2, 1, east, 3)
            | beats(row < 2, 3, south, 0)
            | beats(column > 0, -1, west, 1)
    }

    /// Returns the mover the cells of captured stones.
    const fn capture(&mut self, mover: Seat, cells: u16) {
        let [first, second] = &mut self.owned;
        let (ours, theirs) = if mover.index() == 0 { (first, second) } else { (second, first) };
        *ours |= cells;
        *theirs &= !cells;
    }

    /// Passes the turn on unless the other seat has retired.
    fn advance(&mut self) {
        let other = Seat::from_index(SEATS - 1 - self.next.index());
        self.next = other.filter(|seat| !self.retired.contains(*seat)).unwrap_or(self.next);
    }

    fn moves(&self) -> impl Iterator<Item = BoxiliesMove> {
        let hand = if self.is_full() { Hand::default() } else { self.hand() };
        let different =
            move |(index, stone): (usize, Stone)| (hand.find(stone) == Some(index)).then_some(stone);
        let lies = |stone: Stone| (0..stone.ways()).map(move |turns| Lie::new(stone, turns));
        let empty = |lie| {
            let cells = Cell::ALL.into_iter().filter(|cell| self.is_empty(*cell));
            cells.map(move |cell| BoxiliesMove { lie, cell })
        };
        hand.stones().enumerate().filter_map(different).flat_map(lies).flat_map(empty)
    }
}

impl Game for Boxilies {
    const META: &'static Meta = &META;

    type Move = BoxiliesMove;
    type Step = BoxiliesMove;
    type Illegal = BoxiliesIllegal;

    fn setup(options: &GameOptions, _: usize, seed: &Seed) -> Self {
        Self {
            lies: [None; 9],
            owned: [0; SEATS],
            hands: rules::deal(options, seed),
            next: Seat::FIRST,
            swap: rules::swap_right(options),
            retired: Seats::NONE,
        }
    }

    fn read_position(&mut self, text: &str) -> Result<(), PositionError> {
        if self.swap == SwapRight::Later {
            self.swap = SwapRight::Gone;
        }
        text::read(text, self)
    }

    fn is_over(&self) -> bool {
        self.is_full() || self.hand().is_empty()
    }

    fn next_seat(&self) -> Seat {
        self.next
    }

    /// A stone wins no points: its owner changes too often for a sum of gains.
    fn play(&mut self, mv: &BoxiliesMove) -> Result<u32, BoxiliesIllegal> {
        let index = self.check(*mv)?;
        let mover = self.next;
        if let Some(hand) = self.hands.get_mut(mover.index()) {
            hand.remove(index);
        }
        self.capture(mover, self.weaker_neighbours(*mv));
        self.lay(mv.cell, mv.lie, mover);
        self.swap = self.swap.after_move();
        self.advance();
        Ok(0)
    }

    /// Stones and hands keep their seats: the players change places, and the second seat moves on.
    fn swap(&mut self) -> Result<(), Forbidden> {
        self.swap = self.swap.used(self.next)?;
        Ok(())
    }

    fn may_swap(&self) -> bool {
        self.swap.is_for(self.next)
    }

    fn retire(&mut self, seat: Seat) {
        self.retired = self.retired.with(seat);
        if self.next == seat {
            self.advance();
        }
    }

    fn legal_moves(&self) -> Vec<BoxiliesMove> {
        self.moves().collect()
    }

    fn example_move(&self) -> Option<BoxiliesMove> {
        self.moves().next()
    }

    /// A stone of the hand, a cell and a turn, each move as likely as any other.
    fn pick(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<BoxiliesMove> {
        let count = self.moves().count() as u32;
        if count == 0 {
            return None;
        }
        self.moves().nth(below(count) as usize)
    }

    fn key(&self) -> u64 {
        let lie = |key: Key, lie: &Option<Lie>| key.with(lie.map_or(0, |lie| 1 + u64::from(lie.index())));
        let stones = self.lies.iter().fold(Key::EMPTY, lie);
        let owned = self.owned.iter().fold(stones, |key, cells| key.with(u64::from(*cells)));
        let hands = self.hands.iter().fold(owned, |key, hand| key.with(hand.bits()));
        hands.with(self.swap as u64).with_seats(self.next, self.retired).finish()
    }

    fn estimate(&self, seat: Seat) -> i32 {
        lead(&self.owned.map(u16::count_ones), seat)
    }

    fn scores(&self) -> Scores {
        Scores::Points(self.owned.iter().map(|cells| cells.count_ones()).collect())
    }

    fn result_by_scores(&self) -> Outcome {
        let standing = |(index, cells): (usize, &u16)| {
            let active = Seat::from_index(index).is_some_and(|seat| !self.retired.contains(seat));
            (active, cells.count_ones())
        };
        let [first, second] = &self.owned;
        Outcome::rank(&[(0, first), (1, second)].map(standing), "score")
    }
}
