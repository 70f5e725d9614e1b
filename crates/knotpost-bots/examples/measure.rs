//! Measures computer players without the rest of the program: `measure speed`, or `measure GAME [options] A,B[,...] GAMES`.

use knotpost_bots::{Chance, Contest, Player, Tally, find};
use knotpost_rules::{GameOptions, GivenOption, Registry, Seed};
use std::{error::Error, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.split_first() {
        Some((word, _)) if word == "speed" => speed(),
        Some((game, rest)) => play(game, rest),
        None => Err("measure speed | measure GAME [options] A,B GAMES".into()),
    }
}

#[expect(clippy::disallowed_methods, reason = "this program measures time")]
fn now() -> Instant {
    Instant::now()
}

/// Nodes a second and the time of a decision, for each game at its start.
fn speed() -> Result<(), Box<dyn Error>> {
    for game in Registry::standard().iter() {
        let name = game.meta().name;
        let options = game.parse_options(&[], 2)?;
        let position = game.setup(&options, 2, &Seed::default());
        let bot = find(name).ok_or("no such bot")?;
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

fn play(name: &str, words: &[String]) -> Result<(), Box<dyn Error>> {
    let registry = Registry::standard();
    let game = registry.find(name).ok_or("no such game")?;
    let given: Vec<_> = words.iter().filter_map(|word| GivenOption::from_word(word)).collect();
    let plain: Vec<_> = words.iter().filter(|word| GivenOption::from_word(word).is_none()).collect();
    let [players, games] = plain.as_slice() else { return Err("players and a number of games".into()) };
    let players: Vec<Player> = players.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let options: GameOptions = game.parse_options(&given, players.len())?;
    let contest = Contest {
        game,
        bot: find(name).ok_or("no such bot")?,
        options: &options,
        position: None,
        players: &players,
        random_plies: 2,
        seed: Chance::new(&Seed::default(), 7).seed(),
    };
    let mut tally = Tally::new(players.len());
    let start = now();
    let clock = || start.elapsed().as_millis() as u64;
    let mut turns = 0;
    for number in 0..games.parse()? {
        let played = contest.play(number, &clock).ok_or("a player has no answer")?;
        turns += played.turns.len();
        tally.add(&played);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name} {options} {}: wins {:?} ties {} score {:?} {:?} {turns} turns {seconds:.0} s",
        plain[0],
        tally.wins(),
        tally.ties(),
        tally.score(),
        tally.bounds()
    );
    Ok(())
}
