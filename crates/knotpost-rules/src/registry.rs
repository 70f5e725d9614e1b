//! Games by name. The list of all is in [`games`].

use crate::{games, position::AnyGame};

/// A list of games, found by name.
pub struct Registry {
    games: Vec<Box<dyn AnyGame>>,
}

impl Registry {
    /// Every game of this version.
    pub fn standard() -> Self {
        Self::of(games::list_all())
    }

    /// Just these games.
    pub fn of(games: Vec<Box<dyn AnyGame>>) -> Self {
        Self { games }
    }

    /// These games and one more, listed last.
    #[must_use]
    pub fn with(mut self, game: Box<dyn AnyGame>) -> Self {
        self.games.push(game);
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

impl Default for Registry {
    fn default() -> Self {
        Self::standard()
    }
}
