//! Chances to win that players of Osbo give away: `regrets [options] A,B GAMES [POSITIONS [DICE]]`. Each game begins
//! with two turns by chance. From DICE dice on (30 unless told, which is about the second half of a game on 5x5), every
//! turn is compared with the best one where no more than POSITIONS positions (50,000 unless told) have to be looked at
//! for that. With `-size=3 A,B GAMES 2000000 0` every turn is.

#[expect(clippy::expect_used, reason = "a module of the tests, too")]
#[path = "../tests/bots/expectation.rs"]
mod expectation;

use expectation::{Expectation, Judged};
use knotpost_bots::{Bot, Chance, Player};
use knotpost_games::osbo::Osbo;
use knotpost_rules::{AnyGame, GameOptions, GivenOption, Seed, Turn};
use std::error::Error;

/// The turns by chance at the beginning.
const RANDOM: usize = 2;
/// With fewer dice on the designs it takes millions of positions.
const FEWEST_DICE: usize = 30;
const POSITIONS: u64 = 50_000;

/// A match.
struct Games<'a> {
    game: &'a dyn AnyGame,
    bot: &'a dyn Bot,
    options: GameOptions,
    players: [Player; 2],
    /// With fewer dice on the designs no turn is judged.
    dice: usize,
}

/// What was seen of a player.
#[derive(Default)]
struct Seen {
    /// The chance to win at the first turn of a game that could be judged, as the player on turn or as the other.
    reached: Vec<f64>,
    /// What the turn gave away, and what one by chance would have, where there was a choice.
    lost: Vec<(f64, f64)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (given, words): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|word| GivenOption::from_word(word).is_some());
    let given: Vec<_> = given.iter().filter_map(|word| GivenOption::from_word(word)).collect();
    let (players, games, most, dice) = match words.as_slice() {
        [players, games] => (players, games, POSITIONS, FEWEST_DICE),
        [players, games, most] => (players, games, most.parse()?, FEWEST_DICE),
        [players, games, most, dice] => (players, games, most.parse()?, dice.parse()?),
        _ => return Err("regrets [options] A,B GAMES [POSITIONS [DICE]]".into()),
    };
    let named: Vec<Player> = players.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let players: [Player; 2] = named.try_into().map_err(|_| "two players, separated by a comma")?;
    let registry = knotpost_games::registry();
    let game = registry.find("osbo").ok_or("no such game")?;
    let bot = knotpost_games::find_bot("osbo").ok_or("no such bot")?;
    let games_of = Games { game, bot, options: game.parse_options(&given, 2)?, players, dice };
    let mut expectation = Expectation::new(&games_of.options, most);
    let mut seen = [Seen::default(), Seen::default()];
    for number in 0..games.parse()? {
        games_of.play(number, &mut expectation, &mut seen)?;
    }
    for (player, seen) in players.iter().zip(&seen) {
        println!("{player}: {}", seen.tell());
    }
    Ok(())
}

impl Games<'_> {
    /// Plays a game; two in a row have the same start and chance, and the players change seats.
    fn play(
        &self,
        number: u64,
        expectation: &mut Expectation<'_>,
        seen: &mut [Seen; 2],
    ) -> Result<(), Box<dyn Error>> {
        let mut chance = Chance::new(&Seed::default(), number / 2);
        let mut position = self.game.setup(&self.options, 2, &chance.seed());
        let mut reached = false;
        for ply in 0.. {
            if position.status().is_over() {
                break;
            }
            let sitting = (position.next_seat().index() + number as usize) % 2;
            let [one, other] = self.players;
            let player = match (ply < RANDOM, sitting) {
                (true, _) => Player::Random,
                (false, 0) => one,
                (false, _) => other,
            };
            let answer = self.bot.think(position.as_ref(), player, &chance.seed(), &mut || false);
            let turn = answer.ok_or("no answer")?.turn;
            let osbo = position.game().downcast_ref::<Osbo>().ok_or("not Osbo")?;
            if count_dice(&osbo.to_string()) >= self.dice
                && let Ok(played) = turn.parse()
                && let Some(judged) = expectation.judge(osbo, &played)
            {
                if !reached {
                    seen[sitting].reached.push(judged.best);
                    seen[1 - sitting].reached.push(1.0 - judged.best);
                    reached = true;
                }
                seen[sitting].note(&judged);
            }
            position.play(Turn::from_word(&turn)).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

/// The dice in a position string: letters behind a colon.
fn count_dice(text: &str) -> usize {
    let designs = text.split(' ').next().unwrap_or_default().split(';');
    let rows = designs.filter_map(|design| design.split_once(':'));
    rows.map(|(_, rows)| rows.chars().filter(char::is_ascii_alphabetic).count()).sum()
}

impl Seen {
    /// A turn counts where another one would have been worth something else.
    fn note(&mut self, judged: &Judged) {
        let by_chance = judged.best - judged.mean;
        if by_chance > 1e-9 {
            self.lost.push((judged.best - judged.played, by_chance));
        }
    }

    fn tell(&self) -> String {
        let count = self.lost.len();
        // A sum of nothing is -0.
        let mean = |sum: f64, count: usize| 100.0 * (sum + 0.0) / count.max(1) as f64;
        let own = mean(self.lost.iter().map(|(own, _)| own).sum(), count);
        let by_chance = mean(self.lost.iter().map(|(_, by_chance)| by_chance).sum(), count);
        let most = self.lost.iter().map(|(own, _)| 100.0 * own).fold(0.0, f64::max);
        let games = self.reached.len();
        let reached = mean(self.reached.iter().sum(), games);
        let squares: f64 = self.reached.iter().map(|chance| (100.0 * chance - reached).powi(2)).sum();
        let error = (squares / games.saturating_sub(1).max(1) as f64 / games.max(1) as f64).sqrt();
        format!(
            "{count} turns gave away {own:.2} % each, {most:.1} % at most, by chance {by_chance:.2} %; chance to win \
             when {games} games could be judged first {reached:.1} % (standard error {error:.1})"
        )
    }
}
