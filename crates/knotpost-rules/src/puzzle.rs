//! Puzzles: positions in which exactly one move wins, whatever the other side answers. Each game has its own in a file
//! beside its rules; `knotpost-games/examples/puzzles.rs` makes them, and a test proves each once more.

use crate::{
    error::Rejected,
    meta::Meta,
    options::{GameOptions, GivenOption},
    position::{AnyGame, Position},
    seed::Seed,
    turn::Turn,
};

/// Puzzles are for two.
const PLAYERS: usize = 2;
/// Of the longest year.
const DAYS: usize = 366;
/// From a day to the next it goes on by this number of lines of the file, which holds those with equal options close
/// together. It has no divisor in common with the number of lines, so that every line has its day.
const STRIDE: usize = 149;

/// A position in which exactly one move wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The options that differ from their defaults, as they are typed.
    pub options: &'static str,
    /// The position string.
    pub position: &'static str,
    line: &'static str,
}

impl Puzzle {
    /// All puzzles of a game, as its file has them; none where a game has none.
    pub fn all(meta: &Meta) -> impl Iterator<Item = Self> {
        meta.puzzles.lines().filter_map(Self::read)
    }

    /// The puzzle of a day of the year, from 1. Where there are fewer than days, they come again.
    pub fn of_day(meta: &Meta, day: u16) -> Option<Self> {
        let place = usize::from(day).checked_sub(1).filter(|place| *place < DAYS)?;
        let count = meta.puzzles.lines().count();
        meta.puzzles.lines().nth((place * STRIDE).checked_rem(count)?).and_then(Self::read)
    }

    /// A line of the file: the number of the attempt that made it, options, position, and the moves of best play.
    fn read(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t').skip(1);
        Some(Self { options: fields.next()?, position: fields.next()?, line: fields.next()? })
    }

    /// The turns of best play, beginning with the solution: the other side holds out as long as it can.
    pub fn line(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.line.split(' ')
    }

    /// The move that wins.
    pub fn solution(&self) -> &'static str {
        self.line().next().unwrap_or_default()
    }

    /// The number of turns, of both sides, that it takes to win against best play.
    pub fn turns(&self) -> usize {
        self.line().count()
    }

    /// The board; `None` under rules other than those it was made for.
    pub fn open(&self, game: &dyn AnyGame) -> Option<(GameOptions, Box<dyn Position>)> {
        let given: Vec<_> = self.options.split_whitespace().filter_map(GivenOption::from_word).collect();
        let options = game.parse_options(&given, PLAYERS).ok()?;
        let position = game.parse_position(&options, PLAYERS, &Seed::default(), self.position).ok()?;
        Some((options, position))
    }

    /// True if a move on this board is the one that wins.
    ///
    /// # Errors
    /// When it cannot be played at all.
    pub fn is_solved_by(&self, position: &dyn Position, play: &str) -> Result<bool, Rejected> {
        let played = position.clone_box().play(Turn::from_word(play))?;
        Ok(played.canonical == self.solution())
    }
}
