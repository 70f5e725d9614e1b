//! Obsidio: place tokens in sight of the last one and claim the targets you surround. Rules by Phil Leduc, 2025.
//!
//! Decided here where the published rules are silent:
//! - the origin of sight is the last token of anybody, of a pair the second, of several claims the last one;
//! - an origin that sees an empty cell binds the first token of a turn, whatever shade the player chooses;
//! - the second light token may not touch the first; without a place for it the turn is the one light token;
//! - a turn goes by only when there is neither an empty cell nor a claim, and that leaves the origin alone;
//! - seats are colours: `swap` exchanges who plays them, which is not known here, and the same seat moves on.

mod check;
mod grid;
mod help;
mod moves;
mod rules;
mod text;
mod view;

pub use grid::{Cells, NoSquare, Shade, Square};
pub use moves::{ObsidioIllegal, ObsidioMove};

use crate::{
    choice::Part,
    error::PositionError,
    game::{Forbidden, Game},
    help::HelpPage,
    meta::Meta,
    options::GameOptions,
    seat::{Seat, Seats},
    seed::Seed,
    turn::{Outcome, Scores, Status},
    view::{View, Viewer},
};
use rules::{META, SECOND, SIZES};

/// A game of Obsidio in progress.
#[derive(Clone, Debug)]
pub struct Obsidio {
    size: u8,
    /// Cells of this board that are no targets and hold no token.
    empty: Cells,
    targets: Cells,
    sides: [Side; 2],
    next: Seat,
    /// Where the last token went.
    origin: Option<Square>,
    /// Set by the claim that ends the game.
    win: Option<Win>,
    swap: SwapRight,
    retired: Seats,
}

/// What a seat has on the board.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    influence: Cells,
    claimed: Cells,
}

/// Whether the second seat may still swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SwapRight {
    /// The first move is still to come.
    Later,
    /// It is the answer to the first move.
    Now,
    /// Used or let go, or the game began from a position.
    Gone,
}

/// How a game was won.
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

    /// Who has won: the owner of more than half of the targets, or of the one claimed last when there are no more.
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
            // Only a position that no game reaches hides who claimed last: then it was the seat before this one.
            _ => other(self.next),
        };
        Some(Win { seat, reason: "last-claim" })
    }

    /// Where the first token of a turn may go: what the origin sees, or any empty cell when that is nothing. Nowhere
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

    /// Where the second token may go after a first one on this light cell.
    pub fn second_cells(&self, first: Square) -> Cells {
        const LIGHT: Cells = Cells::all(SIZES.1 as u8, Shade::Light);
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
    type Move = ObsidioMove;
    type Illegal = ObsidioIllegal;

    fn meta() -> &'static Meta {
        &META
    }

    fn help() -> HelpPage {
        help::write()
    }

    fn setup(options: &GameOptions, _: usize, _: &Seed) -> Self {
        let size = options.number("size").clamp(SIZES.0, SIZES.1) as u8;
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

    fn parse_position(
        options: &GameOptions,
        players: usize,
        seed: &Seed,
        text: &str,
    ) -> Result<Self, PositionError> {
        let mut game = Self::setup(options, players, seed);
        game.swap = SwapRight::Gone;
        text::read(text, &mut game)?;
        game.win = game.find_win();
        Ok(game)
    }

    fn position(&self) -> String {
        text::write(self)
    }

    fn status(&self) -> Status {
        if self.win.is_some() { Status::Over(self.result_by_scores()) } else { Status::ToAct(self.next) }
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
        self.swap = if self.swap == SwapRight::Later { SwapRight::Now } else { SwapRight::Gone };
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
        if !self.may_swap() {
            return Err(Forbidden::NotNow(
                "only the second player may swap, and only instead of the first move",
            ));
        }
        self.swap = SwapRight::Gone;
        Ok(())
    }

    fn must_pass(&self) -> bool {
        self.empty.is_empty() && self.win.is_none() && self.claimable().is_empty()
    }

    fn may_swap(&self) -> bool {
        self.swap == SwapRight::Now && self.next == SECOND && self.win.is_none()
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

    fn parts(mv: &ObsidioMove) -> Vec<Part> {
        let squares = mv.squares().iter().enumerate();
        squares.map(|(place, square)| Part::spot(if place == 0 { "" } else { "," }, square)).collect()
    }

    fn extensions(&self, begun: &ObsidioMove) -> Vec<ObsidioMove> {
        let targets = self.claimable();
        if !begun.squares().iter().all(|square| targets.contains(*square)) {
            return Vec::new();
        }
        let others = targets.iter().filter(|square| !begun.squares().contains(square));
        others.filter_map(|square| format!("{begun},{square}").parse().ok()).collect()
    }

    fn example_move(&self) -> Option<ObsidioMove> {
        let first = self.first_cells().first().or_else(|| self.claimable().first())?;
        let second = (first.shade() == Shade::Light).then(|| self.second_cells(first).first()).flatten();
        Some(second.map_or_else(|| ObsidioMove::single(first), |second| ObsidioMove::pair(first, second)))
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

    fn view(&self, _: Viewer) -> View {
        view::draw(self)
    }
}
