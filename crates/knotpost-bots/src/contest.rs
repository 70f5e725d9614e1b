//! Games of players against each other. Who runs them, and on how many threads, is not known here.

use crate::{bot::Bot, chance::Chance, player::Player};
use knotpost_rules::{AnyGame, GameOptions, Outcome, Played, Position, Seed, Turn};

/// The turns after which the scores decide a game that does not end by itself.
const LONGEST: usize = 1000;

/// A match: the game, and who plays it.
pub struct Contest<'a> {
    /// The game.
    pub game: &'a dyn AnyGame,
    /// Its computer player.
    pub bot: &'a dyn Bot,
    /// The options of every game.
    pub options: &'a GameOptions,
    /// A position string that every game begins with.
    pub position: Option<&'a str>,
    /// As many as there are seats, the first named first.
    pub players: &'a [Player],
    /// Turns at the beginning that are made by chance.
    pub random_plies: usize,
    /// Source of the chance of all games.
    pub seed: Seed,
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Game {
    /// For each seat the place of its player among those named.
    pub seats: Vec<usize>,
    /// The turns in canonical spelling.
    pub turns: Vec<String>,
    /// The result by its rules.
    pub outcome: Outcome,
}

impl Contest<'_> {
    /// Plays the game with this number, from 0. As many games in a row as there are players have the same start and the
    /// same chance, and in each of them the players sit one seat further.
    ///
    /// `clock` is asked for milliseconds that have passed, from whatever moment; it decides about nothing but players
    /// with a limit in time. `None` when a player has no answer or the position string is wrong.
    pub fn play(&self, number: usize, clock: &dyn Fn() -> u64) -> Option<Game> {
        let (table, mut chance) = self.begin(number)?;
        table.play(&mut |position, sitting, ply| {
            let player = if ply < self.random_plies { Player::Random } else { *self.players.get(sitting)? };
            self.decide(position, player, &chance.seed(), clock)
        })
    }

    /// Plays the game with this number by turns of somebody else's choice, who is told the position, the place among
    /// those named of the player on turn, and the number of turns made.
    pub fn play_by(&self, number: usize, choose: &mut Choose<'_>) -> Option<Game> {
        self.begin(number)?.0.play(choose)
    }

    /// The game with this number as it was played before; `None` when these are not the turns of a whole game.
    pub fn replay(&self, number: usize, turns: &[String]) -> Option<Game> {
        let (mut table, _) = self.begin(number)?;
        for turn in turns {
            let played = table.position.play(Turn::from_word(turn)).ok()?;
            table.note(played);
        }
        (table.position.status().is_over() || turns.len() >= LONGEST).then(|| table.end())
    }

    /// The start of a game, and the chance of the decisions in it.
    fn begin(&self, number: usize) -> Option<(Table, Chance)> {
        let count = self.players.len();
        let mut chance = Chance::new(&self.seed, 1 + (number / count) as u64);
        let seed = chance.seed();
        let position = match self.position {
            Some(text) => self.game.parse_position(self.options, count, &seed, text).ok()?,
            None => self.game.setup(self.options, count, &seed),
        };
        let seats = (0..count).map(|seat| (seat + count - number % count) % count).collect();
        Some((Table { position, seats, turns: Vec::new() }, chance))
    }

    fn decide(
        &self,
        position: &dyn Position,
        player: Player,
        seed: &Seed,
        clock: &dyn Fn() -> u64,
    ) -> Option<String> {
        let start = clock();
        let most = if let Player::Time(most) = player { most } else { u64::MAX };
        Some(self.bot.think(position, player, seed, &mut || clock() - start >= most)?.turn)
    }
}

/// Decides about a turn; `None` where it has no answer.
type Choose<'a> = dyn FnMut(&dyn Position, usize, usize) -> Option<String> + 'a;

/// A game that is being played.
struct Table {
    position: Box<dyn Position>,
    /// For each seat the place of its player among those named.
    seats: Vec<usize>,
    turns: Vec<String>,
}

impl Table {
    fn play(mut self, choose: &mut Choose<'_>) -> Option<Game> {
        while !self.position.status().is_over() && self.turns.len() < LONGEST {
            let sitting = *self.seats.get(self.position.next_seat().index())?;
            let turn = choose(self.position.as_ref(), sitting, self.turns.len())?;
            let played = self.position.play(Turn::from_word(&turn)).ok()?;
            self.note(played);
        }
        Some(self.end())
    }

    fn note(&mut self, played: Played) {
        if played.canonical == "swap" {
            self.seats.swap(0, 1);
        }
        self.turns.push(played.canonical);
    }

    fn end(self) -> Game {
        Game { seats: self.seats, turns: self.turns, outcome: self.position.result_by_scores() }
    }
}
