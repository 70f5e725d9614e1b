//! Computer players from outside: every game, every level.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod contests;
mod decisions;
mod exact;
mod expectation;
mod rote;
mod small;

use knotpost_bots::{Answer, Chance, Player};
use knotpost_rules::{AnyGame, GameOptions, GivenOption, Position, Seed, Turn};

/// The options of a game, as typed.
fn options(game: &dyn AnyGame, typed: &str, players: usize) -> GameOptions {
    let given: Vec<_> = typed.split_whitespace().filter_map(GivenOption::from_word).collect();
    game.parse_options(&given, players).expect("options of the game")
}

/// A position after some turns by chance.
fn after(
    game: &dyn AnyGame,
    options: &GameOptions,
    players: usize,
    turns: usize,
    seed: &Seed,
) -> Box<dyn Position> {
    let bot = knotpost_games::find_bot(game.meta().name).expect("a bot");
    let mut chance = Chance::new(seed, turns as u64);
    let mut position = game.setup(options, players, seed);
    for _ in 0..turns {
        let answer = bot.think(position.as_ref(), Player::Random, &chance.seed(), &mut || false);
        let Some(answer) = answer else { break };
        position.play(Turn::from_word(&answer.turn)).expect("legal");
    }
    position
}

/// What a player does when the search is stopped after asking `asks` times; each time stands for 64 nodes.
fn think(position: &dyn Position, game: &str, player: &str, seed: &Seed, asks: u32) -> Option<Answer> {
    let mut left = asks;
    let mut stop = || {
        left = left.saturating_sub(1);
        left == 0
    };
    knotpost_games::find_bot(game).expect("a bot").think(
        position,
        player.parse().expect("a player"),
        seed,
        &mut stop,
    )
}

#[test]
fn every_game_has_a_computer_player() {
    for game in knotpost_games::registry().iter() {
        assert!(knotpost_games::find_bot(game.meta().name).is_some(), "{}", game.meta().name);
    }
    assert!(knotpost_games::find_bot("shogi").is_none());
}
