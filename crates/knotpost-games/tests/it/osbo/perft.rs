//! Numbers of complete turns, kept as data and counted anew; where they are few the slow model counts too. Rolls
//! after the first come from the zero seed.

use super::slow::{SlowGame, turns_by_parts};
use crate::play::place;
use knotpost_rules::{Position, Turn};
use std::collections::BTreeSet;

const DATA: &str = include_str!("../../data/osbo_perft.txt");

/// Sequences of turns, the turns of a position being those that `list` finds; a forced pass counts as a turn.
fn count(position: &dyn Position, depth: u32, list: &impl Fn(&dyn Position) -> BTreeSet<String>) -> u64 {
    if position.status().is_over() {
        return 0;
    }
    let mut turns = list(position);
    if turns.is_empty() {
        assert_eq!(position.forced(), Some(Turn::Pass), "{}", position.position());
        turns.insert("pass".to_owned());
    }
    if depth == 1 {
        return turns.len() as u64;
    }
    let after = |turn: &String| {
        let mut next = position.clone_box();
        next.play(Turn::from_word(turn)).unwrap();
        count(next.as_ref(), depth - 1, list)
    };
    turns.iter().map(after).sum()
}

/// Options, size, players, position and counts of each line.
fn lines() -> impl Iterator<Item = (&'static str, i32, usize, &'static str, &'static str)> {
    DATA.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [options, players, position, counts] = fields.try_into().expect("four fields");
        let size = options.strip_prefix("-size=").expect("a size").parse().expect("a number");
        (options, size, players.parse().expect("a number"), position, counts)
    })
}

#[test]
fn turn_sequences_are_as_many_as_on_record() {
    let mut checked = 0;
    for (options, _, players, position, counts) in lines() {
        let game = place("osbo", options, players, position);
        for (depth, expected) in (1..).zip(counts.split(' ')) {
            let found = count(game.as_ref(), depth, &turns_by_parts).to_string();
            assert_eq!(found, expected, "{options} {position}, depth {depth}");
            checked += 1;
        }
    }
    assert!(checked > 10);
}

#[test]
fn the_slow_model_counts_the_same() {
    let mut checked = 0;
    for (options, size, players, position, counts) in lines() {
        let game = place("osbo", options, players, position);
        let list = |position: &dyn Position| SlowGame::read(&position.position(), size).turns();
        let few = |expected: &&str| expected.parse::<u64>().expect("a number") <= 100;
        for (depth, expected) in (1..).zip(counts.split(' ').take_while(few)) {
            let found = count(game.as_ref(), depth, &list).to_string();
            assert_eq!(found, expected, "{options} {position}, depth {depth}");
            checked += 1;
        }
    }
    assert!(checked > 5);
}
