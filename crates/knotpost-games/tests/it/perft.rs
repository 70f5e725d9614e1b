//! Numbers of move sequences, kept as data and counted anew.

use crate::play::place;
use knotpost_rules::{Position, Turn};

const DATA: &str = include_str!("../data/osbox_perft.txt");

fn count(position: &dyn Position, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth <= 1 {
        return if depth == 0 { 1 } else { moves.len() as u64 };
    }
    let after = |mv: &String| {
        let mut next = position.clone_box();
        next.play(Turn::Move(mv)).unwrap();
        count(next.as_ref(), depth - 1)
    };
    moves.iter().map(after).sum()
}

#[test]
fn move_sequences_are_as_many_as_on_record() {
    let mut checked = 0;
    for line in DATA.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [options, players, position, counts] = fields.as_slice() else { panic!("{line}") };
        let start = place("osbox", options, players.parse().unwrap(), position);
        for (depth, expected) in (1..).zip(counts.split(' ')) {
            assert_eq!(count(start.as_ref(), depth).to_string(), expected, "{line}, depth {depth}");
            checked += 1;
        }
    }
    assert!(checked > 10);
}
