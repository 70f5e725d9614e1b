//! Start of a recorded game: rules, players, chance and times.

use jiff::Timestamp;
use knotpost_rules::{Ability, AnyGame, Record, Registry, Seed};

use knotpost_model::Millis;

/// Tolerance in milliseconds for times of other clocks.
const CLOCK_SKEW_MS: i64 = 86_400_000;

pub(super) struct Start {
    pub(super) game: &'static dyn AnyGame,
    pub(super) players: Vec<String>,
    pub(super) seed: [u8; 32],
    pub(super) started: Millis,
    pub(super) ended: Millis,
    pub(super) times: Vec<Millis>,
}

pub(super) fn read_start(registry: &'static Registry, record: &Record, now: Millis) -> Result<Start, String> {
    let name = record.tag("Game").ok_or("[Game] is missing")?;
    let game = registry.find(name).ok_or_else(|| {
        let known: Vec<&str> = registry.iter().map(|game| game.meta().name).collect();
        format!("there is no game `{}`; games are {}", echo(name), known.join(", "))
    })?;
    let meta = game.meta();
    let rules = record.tag("Rules").unwrap_or_default();
    if !rules.is_empty() && rules != meta.rules_version.to_string() {
        return Err(format!(
            "it was played under rules {} of {}; here are rules {}",
            echo(rules),
            meta.title,
            meta.rules_version
        ));
    }
    let players: Vec<String> =
        record.tag("Players").ok_or("[Players] is missing")?.split_whitespace().map(str::to_owned).collect();
    if !meta.players.contains(&players.len()) {
        let (least, most) = (meta.players.start(), meta.players.end());
        return Err(format!(
            "{} is for {least} to {most} players; [Players] names {}",
            meta.title,
            players.len()
        ));
    }
    let seed = match record.tag("Seed") {
        Some(seed) => seed.parse::<Seed>().map_err(|error| format!("[Seed]: {error}"))?,
        None if meta.abilities.has(Ability::Dice) => {
            return Err(
                "[Seed] is missing; without it the chance of this game cannot be played again".to_owned()
            );
        }
        None => Seed::default(),
    };
    let (started, ended, times) = read_times(record, now)?;
    Ok(Start { game, players, seed: seed.0, started, ended, times })
}

fn read_times(record: &Record, now: Millis) -> Result<(Millis, Millis, Vec<Millis>), String> {
    let moment = |name: &str| match record.tag(name) {
        None => Ok(None),
        Some(text) => match text.parse::<Timestamp>() {
            Ok(at) if (0..=now.0 + CLOCK_SKEW_MS).contains(&at.as_millisecond()) => {
                Ok(Some(Millis(at.as_second() * 1000)))
            }
            Ok(_) => Err(format!("[{name}] is in the future, or before 1970")),
            Err(_) => Err(format!("[{name}] is not a time like 2026-11-20T10:00:00Z")),
        },
    };
    let (started, ended) = (moment("Started")?, moment("Ended")?);
    let started = started.or(ended).unwrap_or(Millis(now.0.div_euclid(1000) * 1000));
    let mut times = Vec::new();
    for word in record.tag("Times").unwrap_or_default().split_whitespace() {
        let seconds: u32 = word.parse().map_err(|_| format!("[Times]: `{}` is no number", echo(word)))?;
        times.push(started.plus(i64::from(seconds) * 1000));
    }
    if !times.is_empty() && times.len() != record.moves.len() {
        return Err(format!("[Times] has {} entries for {} moves", times.len(), record.moves.len()));
    }
    if !times.is_sorted() || times.last().is_some_and(|last| last.0 > now.0 + CLOCK_SKEW_MS) {
        return Err("[Times] goes back, or into the future".to_owned());
    }
    let ended = ended.or(times.last().copied()).unwrap_or(started);
    if ended < times.last().copied().unwrap_or(started) {
        return Err("[Ended] is before its last move".to_owned());
    }
    Ok((started, ended, times))
}

/// Shortens and cleans a word of the file for messages.
pub(super) fn echo(word: &str) -> String {
    word.chars().take(40).map(|c| if c.is_control() { '?' } else { c }).collect()
}
