//! The interface: a position in, a turn and its value out.

use crate::{
    decide::{self, Profile, Strength},
    player::Player,
};
use knotpost_rules::{Game, Position, Seed};
use std::marker::PhantomData;

/// A player's choice, and their opinion of the position.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The entire turn, canonically spelt; `pass` and `swap` for those.
    pub turn: String,
    /// For each seat how good the position is, from 0 to 1. For two seats the values add up to 1, and a player who does
    /// not look ahead says even.
    pub values: Vec<f32>,
    /// True if the values are certain.
    pub proven: bool,
    /// The turns that are expected, beginning with this one.
    pub line: Vec<String>,
    /// Nodes or play-outs.
    pub nodes: u64,
    /// Depth of the search in plies.
    pub depth: u32,
    /// True if the search was stopped: then the same question may have another answer.
    pub cut: bool,
}

/// Finds the bot of the game with this name, in any case.
pub type FindBot = fn(&str) -> Option<&'static dyn Bot>;

/// A player of any game.
pub trait Bot: Send + Sync {
    /// The name of the game.
    fn game(&self) -> &'static str;

    /// The levels from 1 to 8, for two players.
    fn levels(&self) -> [Player; 8];

    /// The player's choice in a position; `None` when it is over, or of another game. `seed` is that of the search, and
    /// `stop` is asked again and again whether the search is to end at once. After a decision of `Player::Random`,
    /// `Player::Greedy` or a level that errs it has not been asked.
    fn think(
        &self,
        position: &dyn Position,
        player: Player,
        seed: &Seed,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Answer>;
}

/// The bot of a game: its profile and its type.
pub struct Typed<G> {
    profile: Profile,
    game: PhantomData<fn() -> G>,
}

impl<G> Typed<G> {
    /// The bot of this profile.
    pub const fn new(profile: Profile) -> Self {
        Self { profile, game: PhantomData }
    }
}

impl<G: Game> Bot for Typed<G> {
    fn game(&self) -> &'static str {
        G::META.name
    }

    fn levels(&self) -> [Player; 8] {
        self.profile.levels.map(|Strength { nodes, errors }| match errors {
            0 => Player::Nodes(nodes),
            _ => Player::Erring { nodes, errors },
        })
    }

    fn think(
        &self,
        position: &dyn Position,
        player: Player,
        seed: &Seed,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Answer> {
        let game = position.game().downcast_ref::<G>()?;
        decide::decide(game, &self.profile, player, seed, stop)
    }
}
