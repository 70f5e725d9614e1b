//! How much of their chance to win players of Osbo for two give away on 3x3, which is solved for every roll in seconds:
//! `small A[,B...] GAMES`. All players are asked for their turns in the same positions, those of games of `nodes:300`
//! against itself after two turns by chance. A turn counts where another one would have been worth something else.

#[path = "../tests/bots/small.rs"]
mod small;

use knotpost_bots::{Chance, Player};
use knotpost_games::osbo::Osbo;
use knotpost_rules::{Game, GivenOption, Seed, Turn};
use small::Solved;
use std::error::Error;

type Tried<T> = Result<T, Box<dyn Error>>;

/// The turns by chance at the beginning, and who goes on.
const RANDOM: usize = 2;
const OPENING: &str = "nodes:300";
/// Values that differ by less are equal.
const EQUAL: f64 = 1e-6;

fn main() -> Tried<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [players, games] = words.as_slice() else { return Err("small A[,B...] GAMES".into()) };
    let players: Vec<Player> = players.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let registry = knotpost_games::registry();
    let game = registry.find("osbo").ok_or("no such game")?;
    let bot = knotpost_games::find_bot("osbo").ok_or("no such bot")?;
    let given = GivenOption::from_word("-size=3").ok_or("no such option")?;
    let options = game.parse_options(&[given], 2)?;
    let mut solved = Solved::new(game, &options)?;
    let mut lost = vec![Vec::new(); players.len()];
    let mut lost_by_chance = Vec::new();
    for number in 0..games.parse()? {
        let mut chance = Chance::new(&Seed::default(), number);
        let mut position = game.setup(&options, 2, &chance.seed());
        for ply in 0.. {
            if position.status().is_over() {
                break;
            }
            let osbo = position.game().downcast_ref::<Osbo>().ok_or("not Osbo")?;
            let worths = solved.judge(osbo);
            let best = worths.values().copied().fold(0.0, f64::max);
            let mean = worths.values().sum::<f64>() / worths.len() as f64;
            if ply >= RANDOM && best - mean > EQUAL {
                lost_by_chance.push(best - mean);
                for (player, lost) in players.iter().zip(&mut lost) {
                    let answer = bot.think(position.as_ref(), *player, &chance.seed(), &mut || false);
                    let mut after = osbo.clone();
                    after.seal_chance();
                    after.play(&answer.ok_or("no answer")?.turn.parse()?)?;
                    lost.push(best - worths.get(&after.key()).ok_or("a turn that was not judged")?);
                }
            }
            let player = if ply < RANDOM { Player::Random } else { OPENING.parse()? };
            let answer = bot.think(position.as_ref(), player, &chance.seed(), &mut || false);
            let turn = answer.ok_or("no answer")?.turn;
            position.play(Turn::from_word(&turn)).map_err(|error| error.to_string())?;
        }
    }
    for (player, lost) in players.iter().zip(&lost) {
        println!("{player}: {}", tell(lost));
    }
    println!("by chance: {}", tell(&lost_by_chance));
    Ok(())
}

fn tell(lost: &[f64]) -> String {
    let count = lost.len() as f64;
    let mean = lost.iter().sum::<f64>() / count;
    let squares: f64 = lost.iter().map(|lost| (lost - mean).powi(2)).sum();
    let (error, most) = ((squares / count).sqrt() / count.sqrt(), lost.iter().copied().fold(0.0, f64::max));
    let [mean, error, most] = [mean, error, most].map(|share| 100.0 * share);
    format!("{count} turns gave away {mean:.2} % each (standard error {error:.2}), {most:.1} % at most")
}
