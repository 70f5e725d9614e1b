//! What the targets about games share: a table laid by the first line of the input.

use knotpost_rules::{AnyGame, GameOptions, GivenOption, Position, PositionError, Registry, Seed, Viewer};
use std::sync::LazyLock;

static REGISTRY: LazyLock<Registry> = LazyLock::new(knotpost_games::registry);

/// A game with options and players, ready to be set up.
pub struct Table {
    game: &'static dyn AnyGame,
    options: GameOptions,
    players: usize,
    seed: Seed,
}

impl Table {
    /// Reads a line: the first character stands for a game, the second one for the number of players, and the words
    /// behind them are options. `None` when the game refuses these.
    pub fn read(line: &str) -> Option<Self> {
        let mut chars = line.chars();
        let games: Vec<_> = REGISTRY.iter().collect();
        let game = *games.get(chars.next()? as usize % games.len())?;
        let players = 1 + chars.next()? as usize % 5;
        let given: Vec<GivenOption> =
            chars.as_str().split_whitespace().filter_map(GivenOption::from_word).collect();
        let options = game.parse_options(&given, players).ok()?;
        Some(Self { game, options, players, seed: Seed([players as u8; 32]) })
    }

    /// The start of the game.
    pub fn set_up(&self) -> Box<dyn Position> {
        self.game.setup(&self.options, self.players, &self.seed)
    }

    /// A start from a position string.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse_position(&self, text: &str) -> Result<Box<dyn Position>, PositionError> {
        self.game.parse_position(&self.options, self.players, &self.seed, text)
    }

    /// Checks what must hold of any position: it prints to a text that stands for the same position, and everything
    /// a server asks of it has an answer.
    ///
    /// # Panics
    /// When something does not hold.
    pub fn check(&self, position: &dyn Position) {
        let text = position.position();
        let again = self.parse_position(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(again.position(), text);
        assert_eq!(again.next_seat(), position.next_seat());
        assert_eq!(again.scores(), position.scores());
        assert_eq!(again.status().is_over(), position.status().is_over());
        assert_eq!(position.scores().texts().len(), self.players);
        assert_eq!(position.result_by_scores().placings.len(), self.players);
        assert!(!position.view(Viewer::Spectator).to_string().is_empty());
        let moves = position.legal_moves();
        assert_eq!(again.legal_moves(), moves);
        let stuck = moves.is_empty() && position.legal_words().is_empty();
        // Dice that are not rolled yet leave nothing to do either.
        assert_eq!(position.status().is_over() || text.contains('?'), stuck, "{text}");
        assert_eq!(position.example_move().is_some(), !moves.is_empty(), "{text}");
    }
}
