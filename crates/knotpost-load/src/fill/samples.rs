//! Games of random moves. Boards are copies of them, each used many times with different players.

use anyhow::Context as _;
use knotpost_rules::{AnyGame, GivenOption, Registry, Seed, Status, Turn};

use crate::dice::Dice;

/// The games played, with their share of the boards in percent.
const KINDS: [(&str, &str, u64); 6] = [
    ("osbox", "-size=3", 30),
    ("osbox", "-size=4", 10),
    ("osbo", "-size=3", 10),
    ("obsidio", "-size=5", 15),
    ("boxilies", "", 30),
    ("osbox", "-size=2", 5),
];
/// Different games of each kind.
const EACH: usize = 24;
/// The most turns of a sample; a longer game is played again.
const LONGEST: usize = 60;

/// A turn as it is stored.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) seat: i64,
    pub(super) kind: &'static str,
    pub(super) text: String,
    pub(super) auto: bool,
}

/// A game of two, over or not.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) game: &'static str,
    pub(super) options: String,
    pub(super) rules: i64,
    pub(super) seed: Seed,
    pub(super) turns: Vec<Made>,
    pub(super) position: String,
    pub(super) scores: String,
    /// The seat to move, while it is not over.
    pub(super) next: Option<i64>,
    /// Winning seats and reason, when it is over.
    pub(super) result: Option<(String, &'static str)>,
}

/// Samples of all kinds.
#[derive(Debug)]
pub(super) struct Samples {
    finished: Vec<Vec<Sample>>,
    running: Vec<Vec<Sample>>,
}

impl Samples {
    /// The same dice make the same samples.
    pub(super) fn draw(dice: &mut Dice) -> anyhow::Result<Self> {
        let registry = Registry::standard();
        let (mut finished, mut running) = (Vec::new(), Vec::new());
        for (name, words, _) in KINDS {
            let game = registry.find(name).with_context(|| format!("no game {name}"))?;
            let whole: Vec<_> =
                (0..EACH).map(|_| play(game, words, usize::MAX, dice)).collect::<Result<_, _>>()?;
            let shortest = whole.iter().map(|sample| sample.turns.len()).min().unwrap_or(0);
            let parts = (0..EACH).map(|part| play(game, words, part % shortest.max(1), dice));
            running.push(parts.collect::<Result<Vec<_>, _>>()?);
            finished.push(whole);
        }
        Ok(Self { finished, running })
    }

    /// A random sample.
    pub(super) fn pick(&self, is_running: bool, dice: &mut Dice) -> anyhow::Result<&Sample> {
        let (mut left, mut kind) = (dice.below(100), 0);
        for (index, (_, _, share)) in KINDS.iter().enumerate() {
            kind = index;
            if left < *share {
                break;
            }
            left -= share;
        }
        let kinds = if is_running { &self.running } else { &self.finished };
        kinds.get(kind).and_then(|samples| dice.pick(samples)).context("there are no samples")
    }
}

/// Plays until the game is over or the limit of turns is reached.
fn play(game: &dyn AnyGame, words: &str, most: usize, dice: &mut Dice) -> anyhow::Result<Sample> {
    let given: Vec<GivenOption> = words.split_whitespace().filter_map(GivenOption::from_word).collect();
    let options = game.parse_options(&given, 2)?;
    for _ in 0..1000 {
        let mut seed = Seed::default();
        for chunk in seed.0.chunks_mut(8) {
            chunk.copy_from_slice(&dice.draw().to_le_bytes());
        }
        let (mut position, mut turns) = (game.setup(&options, 2, &seed), Vec::new());
        while !position.status().is_over() {
            let (moves, forced) = (position.legal_moves(), position.forced());
            // A server makes a forced pass by itself.
            if forced.is_none() && turns.len() >= most.min(LONGEST) {
                break;
            }
            let (turn, auto) = match forced {
                Some(turn) => (turn, true),
                None => (Turn::Move(dice.pick(&moves).context("there is no legal move")?), false),
            };
            let kind = if matches!(turn, Turn::Pass) { "pass" } else { "move" };
            let played = position.play(turn)?;
            turns.push(Made { seat: i64::from(played.seat.number()), kind, text: played.canonical, auto });
        }
        let (next, result) = match position.status() {
            Status::ToAct(seat) => (Some(i64::from(seat.number())), None),
            Status::Over(outcome) => {
                let winners: Vec<String> = outcome.winners().iter().map(ToString::to_string).collect();
                (None, Some((winners.join(","), outcome.reason)))
            }
        };
        if result.is_some() == (most == usize::MAX) {
            let meta = game.meta();
            let (position, scores) = (position.position(), position.scores().to_string());
            let (options, rules) = (options.to_string(), i64::from(meta.rules_version));
            return Ok(Sample {
                game: meta.name,
                options,
                rules,
                seed,
                turns,
                position,
                scores,
                next,
                result,
            });
        }
    }
    anyhow::bail!("no game of {} {words} ends in time", game.meta().name)
}
