//! The computer player that gives hints and analyses games: which level it has, and threads that think.

use std::thread;
use std::time::Duration;

use knotpost_bots::{Level, Player, VERSION};
use knotpost_core::thinking::{Thinker, Thought};
use knotpost_rules::{Position, Seed};
use tokio::time::Instant;

/// The level of hints. It needs a few tenths of a second, so that the same question nearly always has the same answer.
const LEVEL: Option<Level> = Level::new(7);
/// The lowest priority.
const NICE: i32 = 19;
/// Turns of a line that are told.
const MOST_TURNS: usize = 8;

/// Asks the computer player of the game. Its chance comes from a seed of zeros, as in `knotpost think` without one, so that
/// everybody can ask the same again; the chance of a board is unknown to it.
#[derive(Clone, Copy, Debug)]
pub struct BotThinker;

/// Lets this thread have what processor time the others leave: whatever a computer player thinks about, moves of people
/// come first. Where the machine does not allow it the thread has the priority of the others.
pub fn lower_priority() {
    let _ = rustix::process::setpriority_process(None, NICE);
}

/// Has a thread of the lowest priority do this; `None` when there is no such thread or it has panicked.
fn quietly<T: Send>(work: impl FnOnce() -> Option<T> + Send) -> Option<T> {
    let lowered = || {
        lower_priority();
        work()
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("thinker".to_owned()).spawn_scoped(scope, lowered).ok()?;
        thread.join().ok().flatten()
    })
}

/// Three digits behind the point.
fn round(value: f32) -> f64 {
    (f64::from(value) * 1000.0).round() / 1000.0
}

impl Thinker for BotThinker {
    fn answer(&self, game: &str, position: &dyn Position, level: u8, most: Duration) -> Option<String> {
        let (bot, level) = (knotpost_bots::find(game)?, Level::new(level)?);
        let begun = Instant::now();
        let mut stop = || begun.elapsed() >= most;
        let answer = quietly(|| bot.think(position, Player::Level(level), &Seed::default(), &mut stop))?;
        Some(answer.turn)
    }

    fn think(&self, game: &str, position: &dyn Position, most: Duration) -> Option<Thought> {
        let (bot, level) = (knotpost_bots::find(game)?, LEVEL?);
        let begun = Instant::now();
        let mut stop = || begun.elapsed() >= most;
        let answer = quietly(|| bot.think(position, Player::Level(level), &Seed::default(), &mut stop))?;
        Some(Thought {
            value: answer.values.iter().map(|value| round(*value)).collect(),
            turn: answer.turn,
            proven: answer.proven,
            line: answer.line.into_iter().take(MOST_TURNS).collect(),
            level: level.number(),
            nodes: answer.nodes,
            depth: answer.depth,
            cut: answer.cut,
            version: VERSION,
        })
    }
}
