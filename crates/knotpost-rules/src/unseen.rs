//! Copies of a game for looking ahead that know nothing a player does not know.

use crate::{
    game::{Forbidden, Game},
    seed::Seed,
};
use std::ops::Deref;

/// A copy of a game whose coming chance is not that of the board. A search takes its positions in this type, so that
/// it cannot foresee a roll.
#[derive(Clone, Debug)]
pub struct Unseen<G>(G);

impl<G: Game> Unseen<G> {
    /// A copy whose chance follows the stream of this seed, which must not be the seed of a board.
    pub fn of(game: &G, seed: &Seed) -> Self {
        let mut copy = game.clone();
        copy.reseed(seed);
        Self(copy)
    }

    /// Lets chance follow another stream from here on.
    pub fn reseed(&mut self, seed: &Seed) {
        self.0.reseed(seed);
    }

    /// As [`Game::play`].
    ///
    /// # Errors
    /// The rule that forbids the move; then nothing has changed.
    pub fn play(&mut self, mv: &G::Move) -> Result<u32, G::Illegal> {
        self.0.play(mv)
    }

    /// As [`Game::pass`].
    ///
    /// # Errors
    /// Unless passing is legal here.
    pub fn pass(&mut self) -> Result<(), Forbidden> {
        self.0.pass()
    }

    /// As [`Game::swap`].
    ///
    /// # Errors
    /// Unless swapping is legal here.
    pub fn swap(&mut self) -> Result<(), Forbidden> {
        self.0.swap()
    }
}

impl<G> Deref for Unseen<G> {
    type Target = G;

    fn deref(&self) -> &G {
        &self.0
    }
}
