//! How much one command may name: whatever is listed counts once, and only so much of it is taken.

use std::collections::HashSet;
use std::hash::Hash;

use crate::command::Command;
use crate::error::{ErrorCode, ParseError};
use crate::value::BoardSet;

/// Bytes of the longest line that is read: as much as a Subject may have.
pub const MOST_LINE_BYTES: usize = 32 * 1024;
/// Different boards, users, games or addresses that one command names at most.
pub const MOST_NAMES: usize = 40;
/// Moves that one command holds at most.
pub const MOST_MOVES: usize = 200;

/// The command with everything it lists only once; an error when that is too much.
///
/// Every field that is a list is named here: without a wildcard, a new command cannot be forgotten.
pub(crate) fn bound(mut command: Command) -> Result<Command, ParseError> {
    let verb = command.verb();
    let checked = match &mut command {
        Command::Signup { who: _, addresses }
        | Command::Add { who: _, addresses }
        | Command::ChangeAddress { who: _, addresses }
        | Command::Signoff { who: _, addresses } => name_once(addresses, "addresses"),
        Command::List { games } => name_once(games, "games"),
        Command::Message { who: _, to } => name_once(to, "users"),
        Command::AllShow { users, selector: _ }
        | Command::AllGames { users, selector: _ }
        | Command::ShowUsers { game: _, users, selector: _ }
        | Command::Games { game: _, users, selector: _ }
        | Command::History { game: _, users } => name_once(users, "users"),
        Command::ShowBoards { game: _, boards }
        | Command::ShowAs { game: _, who: _, boards, selector: _ } => {
            keep_once(boards, |board| *board);
            check(boards.len(), MOST_NAMES, "boards")
        }
        Command::Subscribe { game: _, who: _, boards: BoardSet::These(boards) }
        | Command::Unsubscribe { game: _, who: _, boards: BoardSet::These(boards) }
        | Command::Notify { game: _, who: _, boards } => {
            keep_once(boards, |board| *board);
            check(boards.len(), MOST_NAMES, "boards")
        }
        // A subject may be two words, a player may hold two sides, and a move may be made twice.
        Command::Help { subjects } => check(subjects.len(), MOST_NAMES, "subjects"),
        Command::Challenge { game: _, players, options, server: _ } => {
            check(players.len(), MOST_NAMES, "players")
                .and_then(|()| check(options.len(), MOST_NAMES, "options"))
        }
        Command::Seek { game: _, who: _, change: _, options, server: _ } => {
            check(options.len(), MOST_NAMES, "options")
        }
        Command::Set { who: _, game: _, values } => check(values.len(), MOST_NAMES, "preferences"),
        Command::Queue { game: _, board: _, who: _, moves, number: _ } => {
            check(moves.len(), MOST_MOVES, "moves")
        }
        Command::Preview { game: _, board: _, at: _, moves } => check(moves.len(), MOST_MOVES, "moves"),
        Command::PreviewNew { game: _, players: _, moves, options } => {
            check(moves.len(), MOST_MOVES, "moves").and_then(|()| check(options.len(), MOST_NAMES, "options"))
        }
        Command::ChangePassword { who: _, new: _ }
        | Command::Subscribe { game: _, who: _, boards: BoardSet::All }
        | Command::Unsubscribe { game: _, who: _, boards: BoardSet::All }
        | Command::Delete { who: _ }
        | Command::Broadcast { who: _ }
        | Command::Multiple
        | Command::PasswordReset { userid: _ }
        | Command::Vacation { who: _, until: _ }
        | Command::TestDisplay { userid: _ }
        | Command::Resend { who: _, game: _, board: _ }
        | Command::Move { game: _, board: _, who: _, action: _, number: _ }
        | Command::Chat { game: _, board: _, who: _ }
        | Command::Submit { game: _, board: _, who: _, action: _, number: _ }
        | Command::Confirm { game: _, board: _, who: _ }
        | Command::Accept { game: _, who: _ }
        | Command::Reject { game: _, who: _ }
        | Command::Limit { game: _, who: _, change: _ }
        | Command::Standings { game: _ }
        | Command::Export { game: _, board: _ } => Ok(()),
    };
    match checked {
        Ok(()) => Ok(command),
        Err(message) => {
            Err(ParseError { verb: Some(verb), ..ParseError::new(ErrorCode::TooMuchMail, message) })
        }
    }
}

/// Names are the same whatever their case.
fn name_once(names: &mut Vec<String>, what: &str) -> Result<(), String> {
    keep_once(names, |name| name.to_lowercase());
    check(names.len(), MOST_NAMES, what)
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
