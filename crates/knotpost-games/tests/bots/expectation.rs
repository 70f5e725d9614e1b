//! What positions of Osbo for two are worth when both players play best from there: every turn is tried, and every roll
//! with its probability. A slow solver that shares nothing with the searches.

use knotpost_games::osbo::{Osbo, OsboMove};
use knotpost_rules::{Game, GameOptions, Outcome, Seat, Seed};
use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
};

/// The kinds of dice in the order of their letters, and on how many of six faces each is.
const KINDS: [(char, f64); 5] = [('b', 1.0), ('c', 2.0), ('s', 1.0), ('t', 1.0), ('x', 1.0)];
const FACES: f64 = 6.0;
/// The sum of all probabilities, less what rounding may take from it.
const CERTAIN: f64 = 1.0 - 1e-9;

/// The chances to win of the turns of a position, a tie being half a win, for the seat on turn.
#[derive(Debug)]
pub(crate) struct Judged {
    /// Of the best turn.
    pub(crate) best: f64,
    /// Of the turn that is asked about.
    pub(crate) played: f64,
    /// Of a turn by chance, each position that a turn can lead to as likely as the others.
    pub(crate) mean: f64,
}

/// A solver of games with the same options.
pub(crate) struct Expectation<'a> {
    options: &'a GameOptions,
    /// The chance of the first seat before the roll, by the key of the position.
    known: HashMap<u64, f64>,
    /// How many positions may be looked at for a turn, rolls not counted; what is known already costs nothing.
    most: u64,
    left: u64,
}

/// What the rolls of a position come to.
struct Rolls {
    /// The sum over all rolls of their probability times the chance of the first seat, without those that are passed.
    sum: f64,
    /// The probability of a roll with which the turn is passed.
    passing: f64,
    /// The position after that.
    passed: Option<Osbo>,
}

impl<'a> Expectation<'a> {
    pub(crate) fn new(options: &'a GameOptions, most: u64) -> Self {
        Self { options, known: HashMap::new(), most, left: 0 }
    }

    /// The worth of a turn in a position that has its roll; `None` when that takes too many positions, or when the turn
    /// is not legal.
    pub(crate) fn judge(&mut self, game: &Osbo, played: &OsboMove) -> Option<Judged> {
        self.left = self.most;
        let mut sealed = game.clone();
        sealed.seal_chance();
        let mut after = sealed.clone();
        after.play(played).ok()?;
        let mut turns = Vec::new();
        for after in list_afters(&sealed) {
            turns.push((after.key(), self.chance_of(sealed.next_seat(), &after)?));
        }
        let (_, played) = *turns.iter().find(|(key, _)| *key == after.key())?;
        let best = turns.iter().map(|(_, chance)| *chance).fold(0.0, f64::max);
        let mean = turns.iter().map(|(_, chance)| chance).sum::<f64>() / turns.len() as f64;
        Some(Judged { best, played, mean })
    }

    /// The chance of the seat whose turn leads to this position.
    fn chance_of(&mut self, seat: Seat, after: &Osbo) -> Option<f64> {
        let first = self.solve(after)?;
        Some(if seat == Seat::FIRST { first } else { 1.0 - first })
    }

    /// The chance of the best turn for the seat on turn.
    fn find_best(&mut self, sealed: &Osbo) -> Option<f64> {
        let mut best = 0.0;
        for after in list_afters(sealed) {
            best = f64::max(best, self.chance_of(sealed.next_seat(), &after)?);
            if best >= CERTAIN {
                break;
            }
        }
        Some(best)
    }

    /// The chance of the first seat in a position whose dice are not rolled.
    fn solve(&mut self, game: &Osbo) -> Option<f64> {
        if game.is_over() {
            return Some(first_share(&game.result_by_scores()));
        }
        if let Some(known) = self.known.get(&game.key()) {
            return Some(*known);
        }
        self.left = self.left.checked_sub(1)?;
        let here = self.try_rolls(game)?;
        let Some(passed) = here.passed else {
            self.known.insert(game.key(), here.sum);
            return Some(here.sum);
        };
        // Who passes may get the turn back by a pass: two equations in two unknowns.
        let there = self.try_rolls(&passed)?;
        let ends = 1.0 - here.passing * there.passing;
        self.known.insert(passed.key(), (there.sum + there.passing * here.sum) / ends);
        let chance = (here.sum + here.passing * there.sum) / ends;
        self.known.insert(game.key(), chance);
        Some(chance)
    }

    fn try_rolls(&mut self, game: &Osbo) -> Option<Rolls> {
        let first = game.next_seat() == Seat::FIRST;
        let mut rolls = Rolls { sum: 0.0, passing: 0.0, passed: None };
        let text = game.to_string();
        for (letters, probability) in list_rolls() {
            let mut rolled = self.roll(&text, &letters);
            if rolled.must_pass() {
                rolls.passing += probability;
                rolled.pass().expect("the turn is passed");
                rolls.passed = Some(rolled);
                continue;
            }
            let best = self.find_best(&rolled)?;
            rolls.sum += probability * if first { best } else { 1.0 - best };
        }
        Some(rolls)
    }

    /// The position with these dice, and no knowledge of others.
    fn roll(&self, text: &str, letters: &str) -> Osbo {
        let text = text.replace('?', letters);
        let mut rolled =
            Osbo::parse_position(self.options, 2, &Seed::default(), &text).expect("a position string");
        rolled.seal_chance();
        rolled
    }
}

/// The rolls of two dice, each with its probability.
fn list_rolls() -> impl Iterator<Item = (String, f64)> {
    (0..KINDS.len()).flat_map(|one| (one..KINDS.len()).map(move |other| (one, other))).map(|(one, other)| {
        let ((first, faces), (second, more)) = (KINDS[one], KINDS[other]);
        let orders = if one == other { 1.0 } else { 2.0 };
        (format!("{first}{second}"), orders * faces * more / (FACES * FACES))
    })
}

/// The positions that the turns of a position lead to, each once.
fn list_afters(sealed: &Osbo) -> Vec<Osbo> {
    let (mut seen, mut afters, mut begun) = (HashSet::new(), Vec::new(), vec![None]);
    while let Some(start) = begun.pop() {
        if let Some(turn) = start.filter(|turn| sealed.is_complete(turn)) {
            let mut after = sealed.clone();
            after.play(&turn).expect("a turn of legal steps");
            if seen.insert(after.key()) {
                afters.push(after);
            }
            continue;
        }
        let visited = sealed.each_step(start.as_ref(), &mut |step| {
            begun.push(Some(Osbo::join(start.as_ref(), step)));
            ControlFlow::Continue(())
        });
        visited.expect("the dice are rolled");
    }
    afters
}

fn first_share(outcome: &Outcome) -> f64 {
    match outcome.winners().as_slice() {
        [winner] => f64::from(u8::from(*winner == Seat::FIRST)),
        _ => 0.5,
    }
}
