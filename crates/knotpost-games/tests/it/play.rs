//! Short ways to set up games in tests.

use knotpost_rules::{GivenOption, Position, Seed, Turn};

/// Reads `-size=3 -no_capture` as the options of a challenge.
pub(crate) fn given(options: &str) -> Vec<GivenOption> {
    options.split_whitespace().map(|word| GivenOption::from_word(word).expect("begins with a dash")).collect()
}

/// A fresh game.
pub(crate) fn start(game: &str, options: &str, players: usize) -> Box<dyn Position> {
    let registry = knotpost_games::registry();
    let game = registry.find(game).expect("a known game");
    let options = game.parse_options(&given(options), players).expect("valid options");
    game.setup(&options, players, &Seed::default())
}

/// A game from its position string.
pub(crate) fn place(game: &str, options: &str, players: usize, position: &str) -> Box<dyn Position> {
    let registry = knotpost_games::registry();
    let game = registry.find(game).expect("a known game");
    let options = game.parse_options(&given(options), players).expect("valid options");
    game.parse_position(&options, players, &Seed::default(), position).expect("a valid position")
}

/// Plays moves one after the other and returns what each won.
pub(crate) fn play_all(position: &mut dyn Position, moves: &str) -> Vec<u32> {
    let gains = moves.split_whitespace().map(|word| position.play(Turn::from_word(word)).expect(word).gain);
    gains.collect()
}
