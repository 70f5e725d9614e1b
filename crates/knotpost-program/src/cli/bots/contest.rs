//! `knotpost match`: computer players against each other.

use super::{
    Stopwatch,
    flags::Words,
    saved::{SavedGames, Terms},
};
use crate::cli::play::{
    self,
    reply::{ResultLine, Writer},
    request::{Request, RequestError},
};
use knotpost_bots::{Bounds, Contest, FindBot, Game, Player, Tally, VERSION};
use knotpost_rules::Registry;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io,
    process::ExitCode,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

const USAGE: &str = "\
Usage: knotpost match GAME [options] --seats A,B[,C[,D]]

Has computer players play against each other and says how far the first named
is above the others. Seats change from game to game. As many games in a row as
there are seats have the same start and the same chance.

  --seats A,B        who plays: a level from 1 to 8, random, greedy (most gained
                     now), uct:N (plain UCT with N play-outs), nodes:N or
                     time:MS (the search of the game with this limit), or
                     nodes:N:E (with E of a thousand decisions by chance)
  --games N          how many games (default 2)
  --players N        how many seats there are (default: as many as are named)
  --position 'POS'   start every game from a position string
  --random-plies K   begin every game with K turns by chance (default 0)
  --seed HEX         64 hexadecimal digits (default 0...) that all chance comes
                     from: starts, rolls, and what the searches try
  --threads T        play T games at the same time (default 1)
  --resume FILE      keep the games in this file, and go on behind those in it
  --json             one JSON object for each game and a last one for all
";

const MOST_THREADS: u64 = 256;

struct Match {
    players: Vec<Player>,
    games: usize,
    random_plies: usize,
    threads: usize,
    resume: Option<String>,
}

/// A game; the order of the fields is part of the interface.
#[derive(Serialize)]
struct GameLine<'a> {
    game: usize,
    seats: Vec<String>,
    moves: &'a [String],
    result: ResultLine,
}

/// End of a match; the order of the fields is part of the interface.
#[derive(Serialize)]
struct TallyLine<'a> {
    wins: &'a [u32],
    ties: u32,
    score: Vec<f64>,
    elo: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

pub(super) fn execute(words: &[String], registry: &Registry, find_bot: FindBot) -> ExitCode {
    play::answer(words, USAGE, |writer| {
        let (asked, request) = read(words, registry)?;
        hold(&asked, &request, find_bot, writer)
    })
}

fn read<'a>(words: &[String], registry: &'a Registry) -> Result<(Match, Request<'a>), RequestError> {
    let mut words = Words::of(words, "match")?;
    let seats = words.take("--seats")?.ok_or(RequestError::Missing("--seats", "it names the players"))?;
    let players = seats.split(',').map(str::parse).collect::<Result<Vec<Player>, _>>()?;
    let games = words.take_number("--games", 1)?.unwrap_or(2) as usize;
    let random_plies = words.take_number("--random-plies", 0)?.unwrap_or(0) as usize;
    let threads = words.take_number("--threads", 1)?.unwrap_or(1).min(MOST_THREADS) as usize;
    let resume = words.take("--resume")?;
    let named = words.0.iter().any(|word| word.split('=').next() == Some("--players"));
    let mut request = Request::parse(&words.0, registry)?;
    if named && request.players != players.len() {
        return Err(RequestError::SeatCount { named: players.len(), players: request.players });
    }
    if !request.moves.is_empty() {
        return Err(RequestError::Missing("--position", "a match does not begin with moves"));
    }
    request.players = players.len();
    Ok((Match { players, games, random_plies, threads, resume }, request))
}

fn hold(
    asked: &Match,
    request: &Request<'_>,
    find_bot: FindBot,
    writer: &mut Writer,
) -> Result<(), RequestError> {
    let start = request.replay()?;
    if start.outcome().is_some() {
        return Err(RequestError::Over);
    }
    let name = start.meta.name;
    let bot = find_bot(name).ok_or(RequestError::NoBot(name))?;
    let options = request.game.parse_options(&request.options, request.players)?;
    let contest = Contest {
        game: request.game,
        bot,
        options: &options,
        position: request.position.as_deref(),
        players: &asked.players,
        random_plies: asked.random_plies,
        seed: request.seed,
    };
    let (mut saved, before) = open(asked, &contest, name)?;
    let mut tally = Tally::new(asked.players.len());
    let before = before.get(..asked.games).unwrap_or(&before);
    for (number, game) in before.iter().enumerate() {
        tally.add(game);
        report(asked, number, game, writer)?;
    }
    play_all(&contest, asked, before.len(), |number, game| {
        if let Some(saved) = &mut saved {
            saved.add(number, game)?;
        }
        tally.add(game);
        report(asked, number, game, writer)
    })?;
    Ok(conclude(asked, &tally, writer)?)
}

fn open(
    asked: &Match,
    contest: &Contest<'_>,
    name: &str,
) -> Result<(Option<SavedGames>, Vec<Game>), RequestError> {
    let Some(path) = &asked.resume else { return Ok((None, Vec::new())) };
    let terms = Terms {
        game: name,
        options: contest.options.to_string(),
        position: contest.position,
        players: asked.players.iter().map(ToString::to_string).collect(),
        random_plies: asked.random_plies,
        seed: contest.seed.to_string(),
        version: VERSION,
    };
    let (saved, games) = SavedGames::open(path, &terms, contest)?;
    Ok((Some(saved), games))
}

/// Plays on several threads and reports the games in their order.
fn play_all(
    contest: &Contest<'_>,
    asked: &Match,
    first: usize,
    mut report: impl FnMut(usize, &Game) -> io::Result<()>,
) -> Result<(), RequestError> {
    let (next, watch) = (AtomicUsize::new(first), Stopwatch::start());
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..asked.threads.min(asked.games.saturating_sub(first)) {
            let (sender, next, watch) = (sender.clone(), &next, &watch);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    // Nobody takes the games of a match whose output is closed.
                    if number >= asked.games
                        || sender.send((number, contest.play(number, &|| watch.read()))).is_err()
                    {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let (mut waiting, mut done) = (BTreeMap::new(), first);
        let ended = receiver.iter().try_for_each(|(number, game)| {
            waiting.insert(number, game);
            while let Some(game) = waiting.remove(&done) {
                report(done, &game.ok_or(RequestError::Stuck)?)?;
                done += 1;
            }
            Ok(())
        });
        // The threads end with the games they are playing.
        next.store(asked.games, Ordering::Relaxed);
        ended
    })
}

fn report(asked: &Match, number: usize, game: &Game, writer: &mut Writer) -> io::Result<()> {
    let name = |player: &usize| asked.players.get(*player).map_or_else(String::new, ToString::to_string);
    let seats: Vec<String> = game.seats.iter().map(name).collect();
    let placings: Vec<String> = game.outcome.placings.iter().map(ToString::to_string).collect();
    writer.plain(&format!(
        "{}. {}: placings {} after {} turns\n",
        number + 1,
        seats.join(" "),
        placings.join(" "),
        game.turns.len()
    ))?;
    let result = ResultLine::from(&game.outcome);
    writer.json(&GameLine { game: number + 1, seats, moves: &game.turns, result })
}

fn conclude(asked: &Match, tally: &Tally, writer: &mut Writer) -> io::Result<()> {
    let Bounds { elo, low, high } = tally.bounds();
    let tell =
        |bound: Option<f64>| bound.map_or_else(|| "unbounded".to_owned(), |bound| format!("{bound:.0}"));
    let each = asked.players.iter().zip(tally.wins().iter().zip(tally.score()));
    let lines: Vec<String> =
        each.map(|(player, (wins, score))| format!("{player}: {wins} won, {score:.1} points\n")).collect();
    let first = asked.players.first().map_or_else(String::new, ToString::to_string);
    let (games, ties, elo_text) = (asked.games, tally.ties(), tell(elo));
    writer.plain(&format!("\n{}\n{games} games, {ties} tied. ", lines.concat()))?;
    writer.plain(&format!(
        "{first} is {elo_text} Elo above the others ({} to {}).\n",
        tell(low),
        tell(high)
    ))?;
    let round = |number: f64| (number * 10.0).round() / 10.0;
    let score = tally.score().iter().map(|points| (points * 1000.0).round() / 1000.0).collect();
    let (elo, low, high) = (elo.map(round), low.map(round), high.map(round));
    writer.json(&TallyLine { wins: tally.wins(), ties, score, elo, low, high })
}
