//! Measures computer players without the rest of the program: `measure speed`; `measure exact GAME TURNS COUNT` and
//! `measure losses GAME TURNS COUNT` for positions after this number of turns by chance; or
//! `measure GAME [options] A,B[,...] GAMES [TURNS]` with this number of turns by chance at the beginning, 2 unless told;
//! or `measure rote GAME [options] WINNER A[,...] GAMES`: games that WINNER won of each of A, played again by rote.

#[path = "../tests/bots/rote.rs"]
mod rote;

use knotpost_bots::{Chance, Contest, Player, Tally};
use knotpost_rules::{GameOptions, GivenOption, Position, Seed, Status, Turn};
use std::{error::Error, time::Instant};

/// The time between two reports of a match on standard error.
const REPORT_MS: u64 = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.split_first() {
        Some((word, _)) if word == "speed" => speed(),
        Some((word, rest)) if word == "exact" => exact(rest),
        Some((word, rest)) if word == "losses" => losses(rest),
        Some((word, rest)) if word == "rote" => repeat(rest),
        Some((game, rest)) => play(game, rest),
        None => {
            Err("measure speed | exact GAME TURNS COUNT | losses GAME TURNS COUNT | GAME [options] A,B GAMES [TURNS]"
                .into())
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this program measures time")]
fn now() -> Instant {
    Instant::now()
}

/// Nodes a second and the time of a decision, for each game at its start.
fn speed() -> Result<(), Box<dyn Error>> {
    for game in knotpost_games::registry().iter() {
        let name = game.meta().name;
        let options = game.parse_options(&[], 2)?;
        let position = game.setup(&options, 2, &Seed::default());
        let bot = knotpost_games::find_bot(name).ok_or("no such bot")?;
        for player in ["uct:20000", "8"] {
            let start = now();
            let answer = bot.think(position.as_ref(), player.parse()?, &Seed::default(), &mut || false);
            let answer = answer.ok_or("no answer")?;
            let seconds = start.elapsed().as_secs_f64();
            let rate = answer.nodes as f64 / seconds;
            println!("{name} {player}: {rate:.0} nodes/s, {seconds:.2} s, depth {}", answer.depth);
        }
    }
    Ok(())
}

/// A position, and the chance of what is decided there.
type Question = (Box<dyn Position>, Chance);

/// Positions after this number of turns by chance.
fn positions(words: &[String]) -> Result<Vec<Question>, Box<dyn Error>> {
    let [name, turns, count] = words else { return Err("a game, turns and a number of positions".into()) };
    let registry = knotpost_games::registry();
    let game = registry.find(name).ok_or("no such game")?;
    let bot = knotpost_games::find_bot(name).ok_or("no such bot")?;
    let options = game.parse_options(&[], 2)?;
    let mut positions = Vec::new();
    for number in 0..count.parse::<u64>()? {
        let mut chance = Chance::new(&Seed::default(), number);
        let mut position = game.setup(&options, 2, &chance.seed());
        for _ in 0..turns.parse::<u32>()? {
            let turn = bot.think(position.as_ref(), Player::Random, &chance.seed(), &mut || false);
            play_word(position.as_mut(), &turn.ok_or("no answer")?.turn)?;
        }
        positions.push((position, chance));
    }
    Ok(positions)
}

fn play_word(position: &mut dyn Position, word: &str) -> Result<(), Box<dyn Error>> {
    position.play(Turn::from_word(word)).map_err(|error| error.to_string())?;
    Ok(())
}

/// Compares the value of level 8 with an exhaustive search.
fn exact(words: &[String]) -> Result<(), Box<dyn Error>> {
    let positions = positions(words)?;
    let bot = words.first().and_then(|name| knotpost_games::find_bot(name)).ok_or("no such bot")?;
    let (mut equal, mut proven, mut slowest, count) = (0, 0, 0.0_f64, positions.len());
    for (position, mut chance) in positions {
        let start = now();
        let answer = bot.think(position.as_ref(), "8".parse()?, &chance.seed(), &mut || false);
        slowest = slowest.max(start.elapsed().as_secs_f64());
        let answer = answer.ok_or("no answer")?;
        let own = answer.values.get(position.next_seat().index()).copied().unwrap_or_default();
        let value = (solve(position.as_ref()) + 1) as f32 / 2.0;
        proven += u32::from(answer.proven);
        equal += u32::from((own - value).abs() < 1e-6);
    }
    println!("{}: {equal} of {count} equal, {proven} proven, slowest {slowest:.2} s", words.join(" "));
    Ok(())
}

/// How often each level gives away a position that is won for it, in a game without ties. Positions that are lost count
/// for nobody.
fn losses(words: &[String]) -> Result<(), Box<dyn Error>> {
    let mut won = positions(words)?;
    won.retain(|(position, _)| solve(position.as_ref()) == 1);
    let bot = words.first().and_then(|name| knotpost_games::find_bot(name)).ok_or("no such bot")?;
    for level in 1..=8 {
        let mut lost = 0;
        for (position, chance) in &mut won {
            let (mover, mut after) = (position.next_seat(), position.clone_box());
            let player = level.to_string().parse()?;
            let answer = bot.think(position.as_ref(), player, &chance.seed(), &mut || false);
            play_word(after.as_mut(), &answer.ok_or("no answer")?.turn)?;
            let is_won = match after.status() {
                Status::Over(outcome) => outcome.winners().contains(&mover),
                Status::ToAct(_) => solve(after.as_ref()) == -1,
            };
            lost += u32::from(!is_won);
        }
        println!("{} level {level}: {lost} of {} won positions given away", words.join(" "), won.len());
    }
    Ok(())
}

/// The best result for the seat on turn by trying everything: 1 a win, 0 a tie, -1 a loss.
fn solve(position: &dyn Position) -> i32 {
    let mover = position.next_seat();
    let mut best = -1;
    for mv in position.legal_moves() {
        let mut next = position.clone_box();
        if next.play(Turn::Move(&mv)).is_err() {
            continue;
        }
        let value = match next.status() {
            Status::Over(outcome) if outcome.is_tie() => 0,
            Status::Over(outcome) => {
                if outcome.winners().contains(&mover) {
                    1
                } else {
                    -1
                }
            }
            Status::ToAct(seat) if seat == mover => solve(next.as_ref()),
            Status::ToAct(_) => -solve(next.as_ref()),
        };
        best = best.max(value);
        if best == 1 {
            break;
        }
    }
    best
}

/// Scores that the turns of a won game reach against each player when they are played again, from either seat.
fn repeat(words: &[String]) -> Result<(), Box<dyn Error>> {
    let (name, rest) = words.split_first().ok_or("a game")?;
    let registry = knotpost_games::registry();
    let game = registry.find(name).ok_or("no such game")?;
    let (given, plain) = split_options(rest);
    let [winner, players, games] = plain.as_slice() else { return Err("a winner, players, games".into()) };
    let options = game.parse_options(&given, 2)?;
    let ground =
        rote::Ground { game, bot: knotpost_games::find_bot(name).ok_or("no such bot")?, options: &options };
    let (winner, games): (Player, u64) = (winner.parse()?, games.parse()?);
    for player in players.split(',') {
        for seat in 0..2 {
            let Some(learned) = ground.learn(winner, player.parse()?, seat) else {
                println!("{name} {options} {player}: {winner} won no game from seat {}", seat + 1);
                continue;
            };
            let tally = ground.replay(&learned, player.parse()?, games).ok_or("no answer")?;
            println!(
                "{name} {options} {player}: {} turns of {winner} in seat {} scored {} of {games}, {} ties",
                learned.turns.len(),
                seat + 1,
                tally.score()[0],
                tally.ties()
            );
        }
    }
    Ok(())
}

fn split_options(words: &[String]) -> (Vec<GivenOption>, Vec<&String>) {
    let given = words.iter().filter_map(|word| GivenOption::from_word(word)).collect();
    (given, words.iter().filter(|word| GivenOption::from_word(word).is_none()).collect())
}

fn play(name: &str, words: &[String]) -> Result<(), Box<dyn Error>> {
    let registry = knotpost_games::registry();
    let game = registry.find(name).ok_or("no such game")?;
    let (given, plain) = split_options(words);
    let (players, games, random_plies) = match plain.as_slice() {
        [players, games] => (players, games, 2),
        [players, games, turns] => (players, games, turns.parse()?),
        _ => return Err("players and a number of games".into()),
    };
    let players: Vec<Player> = players.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let options: GameOptions = game.parse_options(&given, players.len())?;
    let contest = Contest {
        game,
        bot: knotpost_games::find_bot(name).ok_or("no such bot")?,
        options: &options,
        position: None,
        players: &players,
        random_plies,
        seed: Chance::new(&Seed::default(), 7).seed(),
    };
    let mut tally = Tally::new(players.len());
    let start = now();
    let clock = || start.elapsed().as_millis() as u64;
    let (mut turns, mut reported_at) = (0, 0);
    for number in 0..games.parse()? {
        let played = contest.play(number, &clock).ok_or("a player has no answer")?;
        turns += played.turns.len();
        tally.add(&played);
        // So that a long match which is stopped is not lost.
        if clock() - reported_at >= REPORT_MS {
            reported_at = clock();
            eprintln!("{} of {games} games, {} s: score {:?}", number + 1, clock() / 1000, tally.score());
        }
    }
    let (seconds, seats) = (start.elapsed().as_secs_f64(), players.iter().map(ToString::to_string));
    let seats = seats.collect::<Vec<_>>().join(",");
    let (wins, ties, score, bounds) = (tally.wins(), tally.ties(), tally.score(), tally.bounds());
    println!(
        "{name} {options} {seats}: wins {wins:?} ties {ties} score {score:?} {bounds:.0?}, {turns} turns, {seconds:.0} s"
    );
    Ok(())
}
