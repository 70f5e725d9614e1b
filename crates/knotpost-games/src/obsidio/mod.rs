//! Obsidio: place tokens in sight of the last one and claim the targets you surround. Rules by Phil Leduc, 2025.
//!
//! Decided here where the published rules are silent:
//! - the origin of sight is the last token of anybody, of a pair the second, of several claims the last one;
//! - an origin that sees an empty cell binds the first token of a turn, whatever shade the player chooses;
//! - the second light token may not touch the first; without a place for it the turn is the one light token;
//! - a turn goes by only when there is neither an empty cell nor a claim, and that leaves the origin alone;
//! - seats are colours: `swap` exchanges their players, who are not known here, and the same seat moves on.

mod bot;
mod check;
mod grid;
mod help;
mod moves;
mod rules;
mod text;
mod view;

pub use bot::BOT;
pub use grid::{Cells, NoSquare, Shade, Square};
pub use moves::{ObsidioIllegal, ObsidioMove, SeveralSquares};

use knotpost_rules::{
    Forbidden, Game, GameOptions, Key, Meta, Outcome, PositionError, Scores, Seat, Seats, Seed, SwapRight,
    lead,
};
use rules::{LARGEST, META, SECOND, SIZE};
use std::ops::ControlFlow;

/// A game of Obsidio in progress.
#[derive(Clone, Debug)]
pub struct Obsidio {
    size: u8,
    /// Cells of this board that are no targets and hold no token.
    empty: Cells,
    targets: Cells,
    sides: [Side; 2],
    next: Seat,
    /// The cell of the last token.
    origin: Option<Square>,
    /// Set by the claim that ends the game.
    win: Option<Win>,
    swap: SwapRight,
    retired: Seats,
}

/// A seat's share of the board.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    influence: Cells,
    claimed: Cells,
}

/// The estimate's value of a claimed target.
const CLAIMED: u32 = 60;
/// For one that can be claimed.
const CLAIMABLE: u32 = 40;
/// For one with fewer than four tokens around it, by their number.
const PROMISES: [u32; 4] = [0, 2, 6, 16];

/// The ways to win a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Win {
    seat: Seat,
    reason: &'static str,
}

impl Obsidio {
    /// The seat's tokens and targets.
    const fn side(&self, seat: Seat) -> &Side {
        let [first, second] = &self.sides;
        if seat.number() == Seat::FIRST.number() { first } else { second }
    }

    const fn side_mut(&mut self, seat: Seat) -> &mut Side {
        let [first, second] = &mut self.sides;
        if seat.number() == Seat::FIRST.number() { first } else { second }
    }

    /// The winner: the owner of more than half of the targets, or of the one claimed last when there are no more.
    fn find_win(&self) -> Option<Win> {
        let [first, second] = self.sides.map(|side| side.claimed);
        let all = self.targets.len();
        if 2 * first.len() > all {
            return Some(Win { seat: Seat::FIRST, reason: "majority" });
        }
        if 2 * second.len() > all {
            return Some(Win { seat: SECOND, reason: "majority" });
        }
        if first.len() + second.len() < all {
            return None;
        }
        let seat = match self.origin {
            Some(origin) if first.contains(origin) => Seat::FIRST,
            Some(origin) if second.contains(origin) => SECOND,
            // Only in a position that no game reaches the last claim is unknown: then it was that of the seat before.
            _ => other(self.next),
        };
        Some(Win { seat, reason: "last-claim" })
    }

    /// Cells for the first token of a turn: what the origin sees, or any empty cell when that is nothing. None
    /// when the game is over.
    pub fn first_cells(&self) -> Cells {
        if self.win.is_some() {
            return Cells::NONE;
        }
        match self.seen_from_origin() {
            Cells::NONE => self.empty,
            seen => seen,
        }
    }

    /// The empty cells in sight of the last token.
    fn seen_from_origin(&self) -> Cells {
        self.origin.map_or(Cells::NONE, |origin| self.empty.seen_from(origin))
    }

    /// Cells for the second token after a first one on this light cell.
    pub fn second_cells(&self, first: Square) -> Cells {
        const LIGHT: Cells = Cells::all(LARGEST, Shade::Light);
        (self.empty.seen_from(first) & LIGHT) - Cells::around(first)
    }

    /// The targets the seat to move may claim; none when the game is over.
    pub fn claimable(&self) -> Cells {
        if self.win.is_some() {
            return Cells::NONE;
        }
        self.side(self.next).influence.crowded_targets() & self.unclaimed()
    }

    fn unclaimed(&self) -> Cells {
        let [first, second] = self.sides.map(|side| side.claimed);
        self.targets - (first | second)
    }

    /// The value of an unclaimed target to a side by its tokens around it: nothing when there is no space for four.
    fn promise_of(&self, side: Side, target: Square) -> u32 {
        let around = Cells::around(target);
        let tokens = (around & side.influence).len();
        let space = (around & self.empty).len();
        if tokens + space < 4 {
            return 0;
        }
        PROMISES.get(tokens as usize).copied().unwrap_or(CLAIMABLE)
    }

    /// Passes the turn on, unless the other seat has retired.
    fn advance(&mut self) {
        let following = other(self.next);
        if !self.retired.contains(following) {
            self.next = following;
        }
    }
}

/// The opponent's seat.
fn other(seat: Seat) -> Seat {
    if seat == Seat::FIRST { SECOND } else { Seat::FIRST }
}

impl Game for Obsidio {
    const META: &'static Meta = &META;

    type Move = ObsidioMove;
    type Step = Square;
    type Illegal = ObsidioIllegal;

    fn setup(options: &GameOptions, _: usize, _: &Seed) -> Self {
        let size = SIZE.of(options);
        Self {
            size,
            empty: Cells::all(size, Shade::Dark) | Cells::all(size, Shade::Light),
            targets: Cells::all(size, Shade::Target),
            sides: [Side::default(); 2],
            next: Seat::FIRST,
            origin: None,
            win: None,
            swap: SwapRight::Later,
            retired: Seats::NONE,
        }
    }

    fn read_position(&mut self, text: &str) -> Result<(), PositionError> {
        self.swap = SwapRight::Gone;
        text::read(text, self)?;
        self.win = self.find_win();
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.win.is_some()
    }

    fn next_seat(&self) -> Seat {
        self.next
    }

    fn play(&mut self, mv: &ObsidioMove) -> Result<u32, ObsidioIllegal> {
        self.check(mv.squares())?;
        let mut named = Cells::NONE;
        for square in mv.squares() {
            named |= Cells::only(*square);
        }
        let claims = named & self.targets;
        let tokens = named - claims;
        let side = self.side_mut(self.next);
        side.claimed |= claims;
        side.influence |= tokens;
        self.empty -= tokens;
        self.origin = mv.squares().last().copied();
        self.swap = self.swap.after_move();
        self.advance();
        if claims.is_empty() {
            return Ok(0);
        }
        self.win = self.find_win();
        Ok(claims.len())
    }

    fn pass(&mut self) -> Result<(), Forbidden> {
        if self.win.is_some() {
            return Err(Forbidden::NotNow("the game is over"));
        }
        if !self.must_pass() {
            return Err(Forbidden::NotNow("nobody may pass who can place a token or claim a target"));
        }
        self.swap = SwapRight::Gone;
        self.advance();
        Ok(())
    }

    fn swap(&mut self) -> Result<(), Forbidden> {
        let right = if self.win.is_some() { SwapRight::Gone } else { self.swap };
        self.swap = right.used(self.next)?;
        Ok(())
    }

    fn must_pass(&self) -> bool {
        self.empty.is_empty() && self.win.is_none() && self.claimable().is_empty()
    }

    fn may_swap(&self) -> bool {
        self.swap.is_for(self.next) && self.win.is_none()
    }

    fn retire(&mut self, seat: Seat) {
        self.retired = self.retired.with(seat);
        if self.next == seat {
            self.advance();
        }
    }

    /// Every turn that places tokens, and each possible claim by itself.
    fn legal_moves(&self) -> Vec<ObsidioMove> {
        let mut moves = Vec::new();
        for first in self.first_cells().iter() {
            let seconds = if first.shade() == Shade::Light { self.second_cells(first) } else { Cells::NONE };
            if seconds.is_empty() {
                moves.push(ObsidioMove::single(first));
            }
            moves.extend(seconds.iter().map(|second| ObsidioMove::pair(first, second)));
        }
        moves.extend(self.claimable().iter().map(ObsidioMove::single));
        moves
    }

    /// A first token or claim; after a light token the second one, after a claim another one. More than one claim is
    /// never due.
    fn each_step(
        &self,
        begun: Option<&ObsidioMove>,
        visit: &mut dyn FnMut(Square) -> ControlFlow<()>,
    ) -> Result<(), ObsidioIllegal> {
        let Some(begun) = begun else {
            let _ = self.first_cells().iter().chain(self.claimable().iter()).try_for_each(visit);
            return Ok(());
        };
        let next = match *begun.squares() {
            [first] if first.shade() == Shade::Light && self.first_cells().contains(first) => {
                self.second_cells(first)
            }
            _ => Cells::NONE,
        };
        if !next.is_empty() {
            let _ = next.iter().try_for_each(visit);
            return Ok(());
        }
        self.check(begun.squares())?;
        if begun.squares().first().is_some_and(|first| first.shade() == Shade::Target) {
            let mut others = self.claimable().iter().filter(|square| !begun.squares().contains(square));
            let _ = others.try_for_each(visit);
        }
        Ok(())
    }

    fn join(begun: Option<&ObsidioMove>, step: Square) -> ObsidioMove {
        begun.map_or_else(|| step.into(), |begun| begun.with(step))
    }

    fn is_complete(&self, begun: &ObsidioMove) -> bool {
        self.check(begun.squares()).is_ok()
    }

    fn example_move(&self) -> Option<ObsidioMove> {
        let first = self.first_cells().first().or_else(|| self.claimable().first())?;
        let second = (first.shade() == Shade::Light).then(|| self.second_cells(first).first()).flatten();
        Some(second.map_or_else(|| ObsidioMove::single(first), |second| ObsidioMove::pair(first, second)))
    }

    fn key(&self) -> u64 {
        let sets = self.sides.iter().flat_map(|side| [side.influence, side.claimed]);
        let cells = sets.fold(Key::EMPTY, |key, cells| cells.add_to(key));
        let origin = self
            .origin
            .map_or(0, |square| 1 << 16 | u64::from(square.column()) << 8 | u64::from(square.row()));
        cells.with(origin << 8 | self.swap as u64).with_seats(self.next, self.retired).finish()
    }

    /// Every target that can be claimed, else a token or two anywhere.
    fn pick_likely(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<ObsidioMove> {
        let claims = self.claimable();
        if !claims.is_empty() {
            let mut each = claims.iter();
            let first = each.next().map(ObsidioMove::single)?;
            return Some(each.fold(first, ObsidioMove::with));
        }
        let first = self.first_cells().by_chance(below)?;
        let seconds = if first.shade() == Shade::Light { self.second_cells(first) } else { Cells::NONE };
        let pair = seconds.by_chance(below).map(|second| ObsidioMove::pair(first, second));
        Some(pair.unwrap_or_else(|| ObsidioMove::single(first)))
    }

    /// Claimed targets, and how near each side is to four tokens around the others.
    fn estimate(&self, seat: Seat) -> i32 {
        let standing = |side: &Side| {
            let open = self.unclaimed().iter();
            let near = open.map(|target| self.promise_of(*side, target)).sum::<u32>();
            CLAIMED * side.claimed.len() + near
        };
        lead(&[standing(&self.sides[0]), standing(&self.sides[1])], seat)
    }

    fn scores(&self) -> Scores {
        Scores::Points(self.sides.iter().map(|side| side.claimed.len()).collect())
    }

    fn result_by_scores(&self) -> Outcome {
        match self.win {
            Some(win) => Outcome::rank(&[Seat::FIRST, SECOND].map(|seat| seat == win.seat), win.reason),
            None => Outcome::rank(&self.sides.map(|side| side.claimed.len()), "targets"),
        }
    }
}
