//! Osbo: lay rolled knot dice on everybody's designs and grow the longest closed path in your own. Rules and dice by
//! Cameron Browne, 2008.
//!
//! The roll of a turn is drawn when the turn begins, so that a position holds nothing a player may not see yet but
//! the state of the stream. A seat that is retired on its turn takes its roll with it: the next seat rolls anew.

mod design;
mod dice;
mod help;
mod moves;
mod plan;
mod rules;
mod text;
mod turn;
mod view;

pub use moves::{Cell, MisfitReason, OsboIllegal, OsboMove, Placement};

use crate::{
    choice::Part,
    error::PositionError,
    game::{Forbidden, Game},
    help::HelpPage,
    knot::Places,
    meta::Meta,
    options::GameOptions,
    rng::Draws,
    seat::{Seat, Seats},
    seed::Seed,
    turn::{Outcome, Scores, Status, Steps},
    view::{View, Viewer},
};
use design::Design;
use dice::Roll;
use plan::{Quota, Search};
use rules::{META, Rules, Tips};

/// The most seats at a board, and so the most dice in a roll.
const MOST_SEATS: usize = 4;

/// A game of Osbo in progress.
#[derive(Clone, Debug)]
pub struct Osbo {
    rules: Rules,
    /// Those beyond the seats are empty.
    designs: [Design; MOST_SEATS],
    dice: Dice,
    /// Where rolls come from; `None` once chance is sealed.
    draws: Option<Draws>,
    next: Seat,
    retired: Seats,
    /// The dice of the last turn that laid any, for the view; never part of the truth.
    fresh: [Places; MOST_SEATS],
}

/// The dice of the turn.
#[derive(Clone, Copy, Debug)]
enum Dice {
    /// The roll, and what a turn with it owes.
    Rolled(Roll, Quota),
    /// Not rolled: chance is sealed, or the game is over.
    Hidden,
}

impl Osbo {
    /// The designs in seat order.
    fn designs(&self) -> &[Design] {
        self.designs.get(..self.rules.seats).unwrap_or_default()
    }

    /// Whether all designs are closed.
    fn is_over(&self) -> bool {
        self.designs.iter().all(Design::is_closed)
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
            fresh: [Places::default(); MOST_SEATS],
        }
    }

    /// Fills tips if they fill themselves, and passes the turn on.
    fn end_turn(&mut self) {
        if self.rules.tips == Tips::Auto {
            for (design, fresh) in self.designs.iter_mut().zip(&mut self.fresh) {
                fresh.extend(design.fill_tips());
            }
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

impl Game for Osbo {
    type Move = OsboMove;
    type Illegal = OsboIllegal;

    fn meta() -> &'static Meta {
        &META
    }

    fn help() -> HelpPage {
        help::write()
    }

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
        text::read(text, &mut game)?;
        Ok(game)
    }

    fn position(&self) -> String {
        text::write(self)
    }

    fn status(&self) -> Status {
        if self.is_over() { Status::Over(self.result_by_scores()) } else { Status::ToAct(self.next) }
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
        self.fresh = [Places::default(); MOST_SEATS];
        for placement in mv.placements() {
            let place = placement.cell.place(2 * self.rules.size - 1);
            if let (Some(fresh), Some(place)) = (self.fresh.get_mut(placement.design.index()), place) {
                fresh.insert(place);
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
        first.into_iter().filter_map(|placement| self.complete(vec![placement], quota)).collect()
    }

    fn parts(mv: &OsboMove) -> Vec<Part> {
        let parts = mv.placements().iter().enumerate().flat_map(|(place, die)| {
            let comma = if place == 0 { "" } else { "," };
            [Part::face(comma, die.face), Part::spot("", &format!("{}{}", die.design, die.cell))]
        });
        parts.collect()
    }

    fn example_move(&self) -> Option<OsboMove> {
        let mut first = None;
        let visit = |placement| {
            first = Some(placement);
            Search::Enough
        };
        let quota = self.visit_next(&[], visit).ok()?;
        self.complete(vec![first?], quota)
    }

    fn steps(&self, begun: Option<&OsboMove>) -> Option<Result<Steps, OsboIllegal>> {
        let begun = begun.map_or(&[][..], OsboMove::placements);
        let spell = |placement: Placement| {
            OsboMove::new(begun.iter().copied().chain([placement]).collect()).map(|mv| mv.to_string())
        };
        let list = match self.list_next(begun) {
            Ok(list) => list,
            Err(OsboIllegal::Over | OsboIllegal::NotRolled) if begun.is_empty() => (Vec::new(), 0, 0),
            Err(broken) => return Some(Err(broken)),
        };
        let (next, dice, designs) = list;
        let mut next: Vec<String> = next.into_iter().filter_map(spell).collect();
        next.sort_unstable();
        Some(Ok(Steps { next, quota: vec![("dice", dice.into()), ("designs", designs.into())] }))
    }

    fn roll(&self) -> Option<String> {
        self.current_roll().ok().map(|(roll, _)| roll.to_string())
    }

    fn seal_chance(&mut self) {
        self.draws = None;
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

    fn view(&self, _: Viewer) -> View {
        view::draw(self)
    }
}
