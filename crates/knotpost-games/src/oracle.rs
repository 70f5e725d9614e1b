//! Positions as another engine sees them, one JSON object a line, compared with ours; and random games as such lines.

use knotpost_rules::{
    Ability, AnyGame, GameOptions, GivenOption, Position, Registry, Seat, Seed, Status, Turn, rng::Draws,
};
use serde::{Deserialize, Serialize};

/// A position and what is known of it. What is missing is not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The game's name.
    pub game: String,
    /// Its options as typed.
    #[serde(default)]
    pub options: String,
    /// The number of players.
    #[serde(default = "two")]
    pub players: usize,
    /// The source of chance, 64 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// The turns so far, each in any spelling.
    pub moves: Vec<String>,
    /// A turn begun in this position, whose ways to go on `legal` has instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<String>,
    /// The legal moves, in any order; where moves are put together step by step what they can begin with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<String>>,
    /// Turns that are not legal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Vec<String>>,
    /// `pass` and `swap`, where legal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
    /// The position string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The seats to move; none when over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_move: Option<Vec<u8>>,
    /// True when the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<bool>,
    /// The seats in first place; not compared while the game goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winners: Option<Vec<u8>>,
}

const fn two() -> usize {
    2
}

/// A line that does not agree with our rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: expected {expected}, got {got}")]
pub struct Mismatch {
    /// The key that differs.
    pub key: &'static str,
    /// As the line has it.
    pub expected: String,
    /// As our rules have it.
    pub got: String,
}

/// Compares lines. A line that continues the one before costs only the turns that it adds.
pub struct Oracle<'a> {
    registry: &'a Registry,
    last: Option<(Line, Box<dyn Position>)>,
}

impl<'a> Oracle<'a> {
    /// An oracle over these games.
    pub const fn new(registry: &'a Registry) -> Self {
        Self { registry, last: None }
    }

    /// Compares a line as it was read.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_text(&mut self, text: &str) -> Result<(), Mismatch> {
        let line =
            serde_json::from_str(text).map_err(|error| differ("line", &"a line of an oracle", &error))?;
        self.check(line)
    }

    /// Compares a line.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&mut self, line: Line) -> Result<(), Mismatch> {
        let position = self.open(&line)?;
        let compared = compare(&line, position.as_ref());
        self.last = Some((line, position));
        compared
    }

    /// The position of a line, from that of the last one where it goes on from there.
    fn open(&mut self, line: &Line) -> Result<Box<dyn Position>, Mismatch> {
        let continued = self.last.take().filter(|(last, _)| {
            let same = last.game == line.game && last.options == line.options && last.seed == line.seed;
            same && last.players == line.players && line.moves.starts_with(&last.moves)
        });
        let (mut position, done) = match continued {
            Some((last, position)) => (position, last.moves.len()),
            None => (start(self.registry, line)?, 0),
        };
        for turn in line.moves.iter().skip(done) {
            position.play(Turn::from_word(turn)).map_err(|error| differ("moves", turn, &error))?;
        }
        Ok(position)
    }
}

/// Compares lines and returns how many there are; or the number of the first one that differs, from 1, and how.
///
/// # Errors
/// The first difference.
pub fn check_lines<L: AsRef<str>>(
    registry: &Registry,
    lines: impl IntoIterator<Item = L>,
) -> Result<usize, (usize, Mismatch)> {
    let (mut oracle, mut count) = (Oracle::new(registry), 0);
    for line in lines {
        count += 1;
        oracle.check_text(line.as_ref()).map_err(|mismatch| (count, mismatch))?;
    }
    Ok(count)
}

fn differ(key: &'static str, expected: &impl ToString, got: &impl ToString) -> Mismatch {
    Mismatch { key, expected: expected.to_string(), got: got.to_string() }
}

fn start(registry: &Registry, line: &Line) -> Result<Box<dyn Position>, Mismatch> {
    let game = registry.find(&line.game).ok_or_else(|| differ("game", &line.game, &"no such game"))?;
    let given: Vec<_> = line.options.split_whitespace().filter_map(GivenOption::from_word).collect();
    let options = game.parse_options(&given, line.players);
    let options = options.map_err(|error| differ("options", &line.options, &error))?;
    let seed = line.seed.as_ref().map_or(Ok(Seed::default()), |seed| seed.parse());
    Ok(game.setup(&options, line.players, &seed.map_err(|error| differ("seed", &"a seed", &error))?))
}

fn compare(line: &Line, position: &dyn Position) -> Result<(), Mismatch> {
    let ours = describe(line, position);
    let sorted = |list: &Option<Vec<String>>| {
        let mut list = list.clone()?;
        list.sort_unstable();
        Some(list)
    };
    differs("over", line.over, ours.over)?;
    differs("position", line.position.as_ref(), ours.position.as_ref())?;
    differs("to_move", line.to_move.as_ref(), ours.to_move.as_ref())?;
    differs("legal", sorted(&line.legal), sorted(&ours.legal))?;
    differs("words", sorted(&line.words), sorted(&ours.words))?;
    differs("winners", line.winners.as_ref(), ours.winners.as_ref())?;
    for turn in line.refused.iter().flatten() {
        if position.clone_box().play(Turn::from_word(turn)).is_ok() {
            return Err(differ("refused", turn, &"it is played"));
        }
    }
    Ok(())
}

fn differs<T: PartialEq + std::fmt::Debug>(
    key: &'static str,
    expected: Option<T>,
    got: Option<T>,
) -> Result<(), Mismatch> {
    match expected.filter(|expected| got.as_ref() != Some(expected)) {
        None => Ok(()),
        Some(expected) => {
            let got = got.map_or_else(|| "nothing".to_owned(), |got| format!("{got:?}"));
            Err(differ(key, &format!("{expected:?}"), &got))
        }
    }
}

/// A position as our rules see it.
fn describe(line: &Line, position: &dyn Position) -> Line {
    let numbers = |seats: Vec<Seat>| seats.into_iter().map(Seat::number).collect();
    let begun = line.begun.as_deref().unwrap_or_default();
    let begun = position.steps(begun).ok().flatten().map(|steps| steps.next);
    let winners = match position.status() {
        Status::Over(outcome) => Some(numbers(outcome.winners())),
        Status::ToAct(_) => None,
    };
    Line {
        game: line.game.clone(),
        options: line.options.clone(),
        players: line.players,
        seed: line.seed.clone(),
        moves: line.moves.clone(),
        begun: line.begun.clone(),
        legal: Some(begun.unwrap_or_else(|| position.legal_moves())),
        refused: None,
        words: Some(position.legal_words().into_iter().map(str::to_owned).collect()),
        position: Some(position.position()),
        to_move: Some(numbers(position.to_move().iter().collect())),
        over: Some(position.status().is_over()),
        winners,
    }
}

/// The last position of a random game of at most `most` turns, without swaps.
pub fn play_out(game: &dyn AnyGame, options: &GameOptions, players: usize, seed: &Seed, most: usize) -> Line {
    let mut position = game.setup(options, players, seed);
    let mut draws = Draws::new(seed);
    let seed = game.meta().abilities.has(Ability::Dice).then(|| seed.to_string());
    let mut line = Line {
        game: game.meta().name.to_owned(),
        options: options.to_string(),
        players,
        seed,
        ..Line::default()
    };
    while line.moves.len() < most && !position.status().is_over() {
        let mut turns = position.legal_moves();
        turns.extend(position.legal_words().into_iter().filter(|word| *word != "swap").map(str::to_owned));
        let Some(turn) = turns.get(draws.below(turns.len() as u32) as usize) else { break };
        let Ok(played) = position.play(Turn::from_word(turn)) else { break };
        line.moves.push(played.canonical);
    }
    describe(&line, position.as_ref())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn our_own_games_agree_and_what_is_changed_in_them_does_not() {
        let registry = crate::registry();
        for game in registry.iter().filter(|game| game.meta().players.contains(&2)) {
            let options = GameOptions::defaults(game.meta().options);
            let line = play_out(game, &options, 2, &Seed([7; 32]), 3);
            let next = play_out(game, &options, 2, &Seed([7; 32]), 4);
            let check =
                |line: &Line| Oracle::new(&registry).check_text(&serde_json::to_string(line).unwrap());
            assert_eq!(check(&line), Ok(()), "{}", line.game);
            let legal = Some(vec!["zz".to_owned()]);
            let wrong = [
                ("legal", Line { legal, ..line.clone() }),
                ("over", Line { over: line.over.map(|over| !over), ..line.clone() }),
                ("position", Line { position: Some(String::new()), ..line.clone() }),
                ("to_move", Line { to_move: Some(vec![5]), ..line.clone() }),
                ("words", Line { words: Some(vec!["bid".to_owned()]), ..line.clone() }),
                ("winners", Line { winners: Some(vec![9]), ..line.clone() }),
                ("refused", Line { refused: Some(next.moves[3..].to_vec()), ..line.clone() }),
                ("moves", Line { moves: vec!["zz".to_owned()], ..line.clone() }),
            ];
            for (key, line) in wrong {
                assert_eq!(check(&line).map_err(|mismatch| mismatch.key), Err(key), "{}", line.game);
            }
        }
    }

    #[test]
    fn a_line_that_goes_on_is_compared_like_one_that_begins_anew() {
        let registry = crate::registry();
        let hex = registry.find("hex").unwrap();
        let whole = play_out(hex, &GameOptions::defaults(hex.meta().options), 2, &Seed([1; 32]), 99);
        let mut oracle = Oracle::new(&registry);
        for count in 0..=whole.moves.len() {
            let moves = whole.moves[..count].to_vec();
            let line =
                Line { game: "hex".to_owned(), options: String::new(), players: 2, moves, ..Line::default() };
            assert_eq!(oracle.check(line), Ok(()));
        }
        assert_eq!(oracle.check(whole), Ok(()));
    }
}
