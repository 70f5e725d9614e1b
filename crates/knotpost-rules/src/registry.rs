//! Games by name.

use crate::position::AnyGame;

/// A list of games, found by name.
pub struct Registry {
    games: Vec<Box<dyn AnyGame>>,
}

impl Registry {
    /// Just these games.
    pub fn of(games: Vec<Box<dyn AnyGame>>) -> Self {
        Self { games }
    }

    /// These games, one of them under another title.
    #[must_use]
    pub fn renamed(mut self, name: &str, title: &str) -> Self {
        for game in self.games.iter_mut().filter(|game| game.meta().name == name) {
            game.rename(title);
        }
        self
    }

    /// The game with this name, in any case.
    pub fn find(&self, name: &str) -> Option<&dyn AnyGame> {
        self.iter().find(|game| game.meta().name.eq_ignore_ascii_case(name))
    }

    /// All games in listing order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn AnyGame> {
        self.games.iter().map(AsRef::as_ref)
    }
}
