//! Numbers of turn sequences, kept as data and counted anew; where they are few the slow model counts too.

use super::slow::SlowBoard;
use crate::play::place;
use knotpost_rules::{Position, Turn};

const DATA: &str = include_str!("../../data/obsidio_perft.txt");

fn count(position: &dyn Position, depth: u32) -> u64 {
    let turns = match position.forced() {
        Some(_) => vec!["pass".to_owned()],
        None => position.legal_moves(),
    };
    if depth == 1 {
        return turns.len() as u64;
    }
    let after = |turn: &String| {
        let mut next = position.clone_box();
        next.play(Turn::from_word(turn)).unwrap();
        count(next.as_ref(), depth - 1)
    };
    turns.iter().map(after).sum()
}

fn count_slowly(board: &SlowBoard, depth: u32) -> u64 {
    let mut turns = board.legal();
    if turns.is_empty() && board.winner().is_none() {
        turns.push("pass".to_owned());
    }
    if depth == 1 {
        return turns.len() as u64;
    }
    let after = |turn: &String| {
        let mut next = board.clone();
        next.play(turn);
        count_slowly(&next, depth - 1)
    };
    turns.iter().map(after).sum()
}

fn lines() -> impl Iterator<Item = [&'static str; 3]> {
    DATA.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        fields.try_into().expect("three fields")
    })
}

#[test]
fn turn_sequences_are_as_many_as_on_record() {
    let mut checked = 0;
    for [options, position, counts] in lines() {
        let game = place("obsidio", options, 2, position);
        for (depth, expected) in (1..).zip(counts.split(' ')) {
            assert_eq!(count(game.as_ref(), depth).to_string(), expected, "{position}, depth {depth}");
            checked += 1;
        }
    }
    assert!(checked > 10);
}

#[test]
fn the_slow_model_counts_the_same() {
    let mut checked = 0;
    for [options, position, counts] in lines() {
        let board = SlowBoard::read(position);
        let few = |expected: &&str| expected.parse::<u64>().expect("a number") <= 200;
        for (depth, expected) in (1..).zip(counts.split(' ').take_while(few)) {
            assert_eq!(
                count_slowly(&board, depth).to_string(),
                expected,
                "{options} {position}, depth {depth}"
            );
            checked += 1;
        }
    }
    assert!(checked > 10);
}
