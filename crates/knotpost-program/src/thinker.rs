//! The computer player that gives hints and analyses games: its level and threads.

use std::time::Duration;

use knotpost_bots::{Answer, Bot, FindBot, Level, Player, VERSION};
use knotpost_core::thinking::{Thinker, Thought};
use knotpost_platform::background::in_background;
use knotpost_rules::{Position, Seed};
use rustix::time::{ClockId, clock_gettime};
use thread_priority::{
    NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id,
};
use tokio::time::Instant;

/// Needs a few tenths of a second, so that the same question nearly always has the same answer.
const LEVEL: Option<Level> = Level::new(7);
/// The lowest priority, so that moves of people come first.
const NICE: i32 = 19;
/// Longest duration of a search, as a multiple of its processor time.
const PATIENCE: u32 = 5;
const MOST_TURNS: usize = 8;

/// Draws chance from a seed of zeros, as `knotpost think` without one, so that everybody can repeat a hint; the chance
/// of a board is unknown to it.
#[derive(Clone, Copy, Debug)]
pub struct BotThinker(pub FindBot);

/// Lets this thread run only on an otherwise idle processor, which the lowest priority alone does not promise. For
/// turns that nobody waits for on a connection.
pub fn run_when_idle() {
    let _ = rustix::process::setpriority_process(None, NICE);
    let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy);
}

pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Decides on a thread of the lowest priority; `None` if nothing can be done, or after a panic. `most` is processor
/// time, so that the search ends alike on a busy machine; since somebody waits, it has a limit of real time too.
fn decide(
    bot: &dyn Bot,
    position: &dyn Position,
    level: Level,
    seed: &Seed,
    most: Duration,
) -> Option<Answer> {
    let begun = Instant::now();
    let search = || {
        let mut stop = || processor_time() >= most || begun.elapsed() >= PATIENCE * most;
        bot.think(position, Player::Level(level), seed, &mut stop)
    };
    in_background(NICE, search).flatten()
}

/// Rounds to three decimal places.
fn round(value: f32) -> f64 {
    (f64::from(value) * 1000.0).round() / 1000.0
}

impl Thinker for BotThinker {
    fn decide(
        &self,
        (game, position): (&str, &dyn Position),
        (level, seed): (u8, &Seed),
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<String> {
        let player = Player::Level(Level::new(level)?);
        (self.0)(game)?.think(position, player, seed, is_over).map(|answer| answer.turn)
    }

    fn answer(
        &self,
        (game, position): (&str, &dyn Position),
        (level, seed): (u8, &Seed),
        most: Duration,
    ) -> Option<String> {
        let (bot, level) = ((self.0)(game)?, Level::new(level)?);
        let answer = decide(bot, position, level, seed, most)?;
        Some(answer.turn)
    }

    fn think(&self, game: &str, position: &dyn Position, most: Duration) -> Option<Thought> {
        let (bot, level) = ((self.0)(game)?, LEVEL?);
        let answer = decide(bot, position, level, &Seed::default(), most)?;
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

#[cfg(test)]
mod tests {
    use thread_priority::thread_schedule_policy;

    use super::*;

    #[test]
    fn a_thread_runs_when_the_processor_is_idle() {
        let changed = std::thread::spawn(|| {
            run_when_idle();
            thread_schedule_policy().unwrap()
        });
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        assert_eq!(changed.join().unwrap(), idle);
    }
}
