//! Limits on the lists of a command, which are found in `command`.

use std::collections::HashSet;
use std::hash::Hash;

use crate::error::{ErrorCode, ParseError};
use crate::value::BoardAt;
use crate::verbs::Command;

/// Bytes of the longest line accepted, the limit of a Subject.
pub const MOST_LINE_BYTES: usize = 32 * 1024;
/// Distinct boards, users, games or addresses in one command.
pub const MOST_NAMES: usize = 40;
/// Moves in one command.
pub const MOST_MOVES: usize = 200;

pub(crate) enum List<'a> {
    /// Case-insensitive, without duplicates.
    Names(&'a mut Vec<String>, &'static str),
    /// Without duplicates.
    Boards(&'a mut Vec<u32>),
    /// Without duplicates.
    BoardsAt(&'a mut Vec<BoardAt>),
    /// Anything that counts as often as it is given.
    AsGiven { count: usize, most: usize, what: &'static str },
}

impl List<'_> {
    pub(crate) fn names_as_given<T>(items: &[T], what: &'static str) -> Self {
        Self::AsGiven { count: items.len(), most: MOST_NAMES, what }
    }

    pub(crate) fn moves<T>(moves: &[T]) -> Self {
        Self::AsGiven { count: moves.len(), most: MOST_MOVES, what: "moves" }
    }

    fn bound(self) -> Result<(), String> {
        match self {
            Self::Names(names, what) => {
                keep_once(names, |name| name.to_lowercase());
                check(names.len(), MOST_NAMES, what)
            }
            Self::Boards(boards) => {
                keep_once(boards, |board| *board);
                check(boards.len(), MOST_NAMES, "boards")
            }
            Self::BoardsAt(boards) => {
                keep_once(boards, |board| *board);
                check(boards.len(), MOST_NAMES, "boards")
            }
            Self::AsGiven { count, most, what } => check(count, most, what),
        }
    }
}

/// Removes duplicates in all lists and checks their limits.
pub(crate) fn bound(mut command: Command) -> Result<Command, ParseError> {
    let verb = command.verb();
    match command.lists().into_iter().try_for_each(List::bound) {
        Ok(()) => Ok(command),
        Err(message) => {
            Err(ParseError { verb: Some(verb), ..ParseError::new(ErrorCode::TooMuchMail, message) })
        }
    }
}

fn keep_once<T, K: Hash + Eq>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut seen = HashSet::with_capacity(items.len());
    items.retain(|item| seen.insert(key(item)));
}

/// As [`bound`], for a command of moves only.
pub(crate) fn check_moves(count: usize) -> Result<(), String> {
    check(count, MOST_MOVES, "moves")
}

fn check(count: usize, most: usize, what: &str) -> Result<(), String> {
    if count <= most {
        return Ok(());
    }
    Err(format!("one command names at most {most} {what}, and this one names {count}"))
}
