//! Limits on the lists of a command.

use std::collections::HashSet;
use std::hash::Hash;

/// Bytes of the longest line accepted, the limit of a Subject.
pub const MOST_LINE_BYTES: usize = 32 * 1024;
/// Distinct boards, users, games or addresses in one command.
pub const MOST_NAMES: usize = 40;
/// Moves in one command.
pub const MOST_MOVES: usize = 200;

pub(crate) fn keep_once<T, K: Hash + Eq>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut seen = HashSet::with_capacity(items.len());
    items.retain(|item| seen.insert(key(item)));
}

pub(crate) fn check_names(count: usize, what: &str) -> Result<(), String> {
    check(count, MOST_NAMES, what)
}

pub(crate) fn check_moves(count: usize) -> Result<(), String> {
    check(count, MOST_MOVES, "moves")
}

fn check(count: usize, most: usize, what: &str) -> Result<(), String> {
    if count <= most {
        return Ok(());
    }
    Err(format!("one command names at most {most} {what}, and this one names {count}"))
}
