//! How much one command may name. What a command lists is in `command`.

use std::collections::HashSet;
use std::hash::Hash;

use crate::error::{ErrorCode, ParseError};
use crate::value::BoardAt;
use crate::verbs::Command;

/// Bytes of the longest line that is read: as much as a Subject may have.
pub const MOST_LINE_BYTES: usize = 32 * 1024;
/// Different boards, users, games or addresses that one command names at most.
pub const MOST_NAMES: usize = 40;
/// Moves that one command holds at most.
pub const MOST_MOVES: usize = 200;

/// A list of a command.
pub(crate) enum List<'a> {
    /// Names, the same whatever their case. Each counts once.
    Names(&'a mut Vec<String>, &'static str),
    /// Boards. Each counts once.
    Boards(&'a mut Vec<u32>),
    /// Boards at moments of their histories. Each counts once.
    BoardsAt(&'a mut Vec<BoardAt>),
    /// Anything that may be given twice and then counts twice.
    AsGiven {
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
        /// What they are.
        what: &'static str,
    },
}

impl List<'_> {
    pub(crate) fn names_as_given<T>(items: &[T], what: &'static str) -> Self {
        Self::AsGiven { count: items.len(), most: MOST_NAMES, what }
    }

    pub(crate) fn moves<T>(moves: &[T]) -> Self {
        Self::AsGiven { count: moves.len(), most: MOST_MOVES, what: "moves" }
    }

    /// Drops repetitions and checks how much is left.
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

/// The command with everything it lists only once; an error when that is too much.
pub(crate) fn bound(mut command: Command) -> Result<Command, ParseError> {
    let verb = command.verb();
    match command.lists().into_iter().try_for_each(List::bound) {
        Ok(()) => Ok(command),
        Err(message) => {
            Err(ParseError { verb: Some(verb), ..ParseError::new(ErrorCode::TooMuchMail, message) })
        }
    }
}

/// Keeps the first of those that are the same.
fn keep_once<T, K: Hash + Eq>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut seen = HashSet::with_capacity(items.len());
    items.retain(|item| seen.insert(key(item)));
}

/// As [`bound`], for a command that is nothing but moves.
pub(crate) fn check_moves(count: usize) -> Result<(), String> {
    check(count, MOST_MOVES, "moves")
}

fn check(count: usize, most: usize, what: &str) -> Result<(), String> {
    if count <= most {
        return Ok(());
    }
    Err(format!("one command names at most {most} {what}, and this one names {count}"))
}
