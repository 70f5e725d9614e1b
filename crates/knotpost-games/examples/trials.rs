//! What turns of the first half of Osbo are worth: `trials PLAYERS POSITIONS GAMES [SEED]`. Each position comes from a
//! game of `uct:6000` against itself after two turns by chance. Every player named is asked for a turn, and each
//! different turn is tried in GAMES games of `nodes:100` against itself, the same chance for all of them. The roll that
//! answers a turn belongs to that chance: a roll fixed beforehand would make one turn look far better than another.

use knotpost_bots::{Bot, Chance, Player};
use knotpost_rules::{GameOptions, Position, Seed, Turn};
use std::error::Error;
use std::ops::Range;

type Tried<T> = Result<T, Box<dyn Error>>;

/// How many turns have been played in the positions, one after the other.
const PLIES: [usize; 6] = [2, 4, 6, 8, 10, 12];
/// The turns by chance at the beginning.
const RANDOM: usize = 2;
const OPENING: &str = "uct:6000";
const JUDGE: &str = "nodes:100";

/// A different turn that players answered with.
struct Candidate {
    /// The designs after it: two orders of the same dice are one candidate.
    designs: String,
    turn: String,
    /// Points of each game, 1 for a win and 0.5 for a tie.
    points: Vec<f64>,
}

/// What a position showed.
struct Shown {
    /// Points a game of the turn that is best in one half of the games, in the other half: choosing does not flatter it.
    best: f64,
    /// Points a game of each player's turn.
    players: Vec<f64>,
}

fn main() -> Tried<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (players, positions, games, seed): (_, u64, usize, u32) = match words.as_slice() {
        [players, positions, games] => (players, positions.parse()?, games.parse()?, 0),
        [players, positions, games, seed] => (players, positions.parse()?, games.parse()?, seed.parse()?),
        _ => return Err("trials PLAYERS POSITIONS GAMES [SEED]".into()),
    };
    if games < 2 {
        return Err("one half of the games judges the choice of the other: at least 2".into());
    }
    let players: Vec<Player> = players.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let registry = knotpost_games::registry();
    let game = registry.find("osbo").ok_or("no such game")?;
    let bot = knotpost_games::find_bot("osbo").ok_or("no such bot")?;
    let options: GameOptions = game.parse_options(&[], 2)?;
    let mut shown: Vec<Shown> = Vec::new();
    for (number, plies) in (0..positions).zip(PLIES.into_iter().cycle()) {
        let mut chance = Chance::new(&Seed::default(), u64::from(seed) * 1000 + number);
        let mut position = game.setup(&options, 2, &chance.seed());
        for ply in 0..plies {
            let player = if ply < RANDOM { Player::Random } else { OPENING.parse()? };
            play_one(bot, position.as_mut(), player, &mut chance)?;
        }
        if !position.status().is_over() {
            let judged = try_turns(bot, position.as_ref(), &players, games, &mut chance)?;
            println!("position {number} after {plies} turns: {}", judged.tell());
            shown.push(judged);
        }
    }
    let (first, others) = players.split_first().ok_or("no player")?;
    for (index, player) in others.iter().enumerate() {
        tell_difference(
            &player.to_string(),
            first,
            shown.iter().map(|judged| judged.players[index + 1] - judged.players[0]),
        );
    }
    tell_difference("the best", first, shown.iter().map(|judged| judged.best - judged.players[0]));
    Ok(())
}

fn play_one(bot: &dyn Bot, position: &mut dyn Position, player: Player, chance: &mut Chance) -> Tried<()> {
    if !position.status().is_over() {
        let answer = bot.think(position, player, &chance.seed(), &mut || false).ok_or("no answer")?;
        position.play(Turn::from_word(&answer.turn)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Asks the players and tries what they answered.
fn try_turns(
    bot: &dyn Bot,
    position: &dyn Position,
    players: &[Player],
    games: usize,
    chance: &mut Chance,
) -> Tried<Shown> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut chosen = Vec::new();
    for player in players {
        let turn = bot.think(position, *player, &chance.seed(), &mut || false).ok_or("no answer")?.turn;
        let mut after = position.clone_box();
        after.play(Turn::from_word(&turn)).map_err(|error| error.to_string())?;
        let designs = after.position().split(' ').next().unwrap_or_default().to_owned();
        let known = candidates.iter().position(|candidate| candidate.designs == designs);
        chosen.push(known.unwrap_or(candidates.len()));
        if known.is_none() {
            candidates.push(Candidate { designs, turn, points: Vec::new() });
        }
    }
    for _ in 0..games {
        let seed = chance.seed();
        for candidate in &mut candidates {
            candidate.points.push(try_turn(bot, position, &candidate.turn, &seed)?);
        }
    }
    let means = |games: Range<usize>| -> Vec<f64> {
        candidates.iter().map(|candidate| mean_and_error(&candidate.points[games.clone()]).0).collect()
    };
    let (first, second, whole) = (means(0..games / 2), means(games / 2..games), means(0..games));
    let best =
        |values: &[f64]| (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
    Ok(Shown {
        best: f64::midpoint(second[best(&first)], first[best(&second)]),
        players: chosen.into_iter().map(|index| whole[index]).collect(),
    })
}

/// Points of the player on turn in a game that begins with the turn.
fn try_turn(bot: &dyn Bot, position: &dyn Position, turn: &str, seed: &Seed) -> Tried<f64> {
    let mut chance = Chance::new(seed, 9);
    let mut tried = position.clone_box();
    let mover = tried.next_seat().index();
    tried.reseed(&chance.seed());
    tried.play(Turn::from_word(turn)).map_err(|error| error.to_string())?;
    while !tried.status().is_over() {
        play_one(bot, tried.as_mut(), JUDGE.parse()?, &mut chance)?;
    }
    let result = tried.result_by_scores();
    let placings: Vec<u8> = result.placings.iter().copied().collect();
    Ok(match placings[mover].cmp(&placings[1 - mover]) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    })
}

impl Shown {
    fn tell(&self) -> String {
        let players: Vec<String> = self.players.iter().map(|points| format!("{points:.3}")).collect();
        format!("best {:.3}, the players {}", self.best, players.join(" "))
    }
}

fn tell_difference(name: &str, first: &Player, points: impl Iterator<Item = f64>) {
    let (mean, error) = mean_and_error(&points.collect::<Vec<_>>());
    let (mean, error) = (100.0 * mean, 100.0 * error);
    println!("{name}: {mean:+.1} points of a hundred beside {first} (standard error {error:.1})");
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0) / count).sqrt())
}
