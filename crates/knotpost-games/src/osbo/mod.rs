//! Osbo: lay rolled knot dice on everybody's designs and grow the longest closed path in your own. Rules and dice by
//! Cameron Browne, 2008.
//!
//! The roll of a turn is drawn when the turn begins, so that the state of the stream is all that a position hides. A seat that is retired on its turn takes its roll with it: the next seat rolls anew.

mod bot;
mod design;
mod dice;
mod help;
mod moves;
mod plan;
mod rules;
mod text;
mod turn;
mod view;

pub use bot::BOT;
pub use moves::{Cell, MisfitReason, OsboIllegal, OsboMove, Placement, SeveralDice};

use design::Design;
use dice::Roll;
use knotpost_rules::{
    Forbidden, Game, GameOptions, Key, Meta, Outcome, PositionError, Scores, Seat, Seats, Seed, rng::Draws,
};
use plan::{Quota, Search};
use rules::{META, Rules, Tips};
use std::ops::ControlFlow;

/// The most seats at a board, and so the most dice in a roll.
const MAX_SEATS: usize = 4;
/// Among how many dice by chance a likely move takes the best one.
const CANDIDATES: u32 = 3;

/// A game of Osbo in progress.
#[derive(Clone, Debug)]
pub struct Osbo {
    rules: Rules,
    /// Those beyond the seats are empty.
    designs: [Design; MAX_SEATS],
    dice: Dice,
    /// The source of rolls; `None` once chance is sealed.
    draws: Option<Draws>,
    next: Seat,
    retired: Seats,
}

/// The dice of the turn.
#[derive(Clone, Copy, Debug)]
enum Dice {
    /// The roll, and how much a turn with it must place.
    Rolled(Roll, Quota),
    /// Not rolled: chance is sealed, or the game is over.
    Hidden,
}

impl Osbo {
    /// The designs in seat order.
    fn designs(&self) -> &[Design] {
        self.designs.get(..self.rules.seats).unwrap_or_default()
    }

    /// A game before its first roll.
    fn begin(options: &GameOptions, players: usize, seed: &Seed) -> Self {
        let rules = Rules::new(options, players);
        let design = |index| {
            if index < rules.seats { Design::new(rules.size) } else { Design::of(rules.size, []) }
        };
        Self {
            rules,
            designs: std::array::from_fn(design),
            dice: Dice::Hidden,
            draws: Some(Draws::new(seed)),
            next: Seat::FIRST,
            retired: Seats::NONE,
        }
    }

    /// Fills tips if they fill themselves, and passes the turn on.
    fn end_turn(&mut self) {
        if self.rules.tips == Tips::Auto {
            self.designs.iter_mut().for_each(Design::fill_tips);
        }
        self.advance();
    }

    /// The turn goes to the next seat that has not retired, with a roll of its own while the game goes on.
    fn advance(&mut self) {
        let seats = self.rules.seats;
        let following = (1..=seats).filter_map(|step| Seat::from_index((self.next.index() + step) % seats));
        self.next = following.into_iter().find(|seat| !self.retired.contains(*seat)).unwrap_or(self.next);
        self.roll_dice();
    }

    fn roll_dice(&mut self) {
        self.dice = Dice::Hidden;
        if self.is_over() {
            return;
        }
        let seats = self.rules.seats;
        if let Some(roll) = self.draws.as_mut().map(|draws| Roll::draw(draws, seats)) {
            self.take_roll(roll);
        }
    }
}

/// One of these, each as likely as the others.
fn choose(among: &[Placement], below: &mut dyn FnMut(u32) -> u32) -> Option<Placement> {
    let index = if among.len() > 1 { below(among.len() as u32) } else { 0 };
    among.get(index as usize).copied()
}

impl Game for Osbo {
    const META: &'static Meta = &META;

    type Move = OsboMove;
    type Step = Placement;
    type Illegal = OsboIllegal;

    fn setup(options: &GameOptions, players: usize, seed: &Seed) -> Self {
        let mut game = Self::begin(options, players, seed);
        game.roll_dice();
        game
    }

    /// The roll of the string comes first, then the stream of the seed from its start.
    fn parse_position(
        options: &GameOptions,
        players: usize,
        seed: &Seed,
        text: &str,
    ) -> Result<Self, PositionError> {
        let mut game = Self::begin(options, players, seed);
        game.read_position(text)?;
        Ok(game)
    }

    fn read_position(&mut self, text: &str) -> Result<(), PositionError> {
        text::read(text, self)
    }

    /// All designs are closed.
    fn is_over(&self) -> bool {
        self.designs.iter().all(Design::is_closed)
    }

    fn next_seat(&self) -> Seat {
        self.next
    }

    fn play(&mut self, mv: &OsboMove) -> Result<u32, OsboIllegal> {
        let (roll, quota) = self.current_roll()?;
        let laid = self.lay(roll, mv.placements())?;
        if let Some(short) = OsboIllegal::of_shortfall(laid.amount(roll), quota) {
            return Err(short);
        }
        for (index, changed) in laid.designs {
            if let Some(design) = self.designs.get_mut(index) {
                *design = changed;
            }
        }
        self.end_turn();
        Ok(0)
    }

    fn pass(&mut self) -> Result<(), Forbidden> {
        if !self.must_pass() {
            return Err(Forbidden::NotNow(match self.current_roll() {
                Ok(_) => "a die can be placed: passing is only for turns in which none can",
                Err(OsboIllegal::Over) => "the game is over: no design has an open edge left",
                Err(_) => "the dice of this turn are not rolled yet",
            }));
        }
        self.end_turn();
        Ok(())
    }

    fn must_pass(&self) -> bool {
        self.current_roll().is_ok_and(|(_, quota)| quota.dice == 0)
    }

    /// The design stays in play and may still win. When the last seat retires, the game is where it was: the caller
    /// ends it.
    fn retire(&mut self, seat: Seat) {
        let retired = self.retired.with(seat);
        if retired.len() >= self.rules.seats {
            return;
        }
        self.retired = retired;
        if self.next == seat {
            self.advance();
        }
    }

    /// A complete turn for each kind of die and each design that it can begin with.
    fn legal_moves(&self) -> Vec<OsboMove> {
        let mut first = Vec::new();
        let visit = |placement| {
            first.push(placement);
            Search::Elsewhere
        };
        let Ok(quota) = self.visit_next(&[], visit) else { return Vec::new() };
        first.into_iter().filter_map(|placement| self.complete(placement.into(), quota)).collect()
    }

    fn example_move(&self) -> Option<OsboMove> {
        let mut first = None;
        let visit = |placement| {
            first = Some(placement);
            Search::Enough
        };
        let quota = self.visit_next(&[], visit).ok()?;
        self.complete(first?.into(), quota)
    }

    fn each_step(
        &self,
        begun: Option<&OsboMove>,
        visit: &mut dyn FnMut(Placement) -> ControlFlow<()>,
    ) -> Result<(), OsboIllegal> {
        let visit = |placement| if visit(placement).is_break() { Search::Enough } else { Search::On };
        match self.visit_next(begun.map_or(&[], OsboMove::placements), visit) {
            Err(OsboIllegal::Over | OsboIllegal::NotRolled) if begun.is_none() => Ok(()),
            visited => visited.map(|_| ()),
        }
    }

    fn join(begun: Option<&OsboMove>, step: Placement) -> OsboMove {
        begun.map_or_else(|| step.into(), |begun| begun.with(step))
    }

    fn is_complete(&self, begun: &OsboMove) -> bool {
        self.current_roll().is_ok_and(|(_, quota)| begun.placements().len() == usize::from(quota.dice))
    }

    fn quota(&self) -> Option<Vec<(&'static str, u32)>> {
        let (dice, designs) = self.current_roll().map_or((0, 0), |(_, quota)| (quota.dice, quota.designs));
        Some(vec![("dice", dice.into()), ("designs", designs.into())])
    }

    /// Die by die, each of those that lead on as likely as any other.
    fn pick(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<OsboMove> {
        self.pick_each(&mut |next| choose(next, below))
    }

    /// Each die is the best of a few by chance: one that opens the own design more, or another one less.
    fn pick_likely(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<OsboMove> {
        let merit = |placement: &Placement| {
            let open = placement.face.sides().count_ones() as i32;
            if placement.design == self.next { open } else { -open }
        };
        self.pick_each(&mut |next| {
            let mut best = choose(next, below)?;
            for _ in 1..CANDIDATES {
                let other = choose(next, below)?;
                if merit(&other) > merit(&best) {
                    best = other;
                }
            }
            Some(best)
        })
    }

    /// A die fills one loose cell. How many tips follow by themselves is not counted.
    fn may_end(&self) -> bool {
        let loose: u32 = self.designs().iter().map(|design| design.loose().len()).sum();
        let dice = self.current_roll().map_or(0, |(_, quota)| u32::from(quota.dice));
        self.rules.tips == Tips::Auto || loose <= dice
    }

    fn roll(&self) -> Option<String> {
        self.current_roll().ok().map(|(roll, _)| roll.to_string())
    }

    fn seal_chance(&mut self) {
        self.draws = None;
    }

    /// A sealed game stays sealed.
    fn reseed(&mut self, seed: &Seed) {
        if let Some(draws) = &mut self.draws {
            *draws = Draws::new(seed);
        }
    }

    fn key(&self) -> u64 {
        let designs = self.designs().iter().fold(Key::EMPTY, |key, design| design.add_to(key));
        let roll = match &self.dice {
            Dice::Rolled(roll, _) => roll.dice().iter().fold(1, |word, kind| word << 8 | *kind as u64),
            Dice::Hidden => 0,
        };
        designs.with(roll).with_seats(self.next, self.retired).finish()
    }

    fn scores(&self) -> Scores {
        Scores::Paths(self.designs().iter().map(Design::path_lengths).collect())
    }

    fn result_by_scores(&self) -> Outcome {
        let standing = |(index, design): (usize, &Design)| {
            let active = Seat::from_index(index).is_some_and(|seat| !self.retired.contains(seat));
            (design.path_lengths(), active)
        };
        Outcome::rank(&self.designs().iter().enumerate().map(standing).collect::<Vec<_>>(), "score")
    }
}
