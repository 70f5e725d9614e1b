//! Syntax of moves and other actions on a board.

use super::Args;
use crate::error::{ErrorCode, ParseError};
use crate::value::{Action, QueuedMove, read_count};

pub(crate) fn read_numbered(args: &Args<'_>, word: &str) -> Result<(Action, Option<u32>), ParseError> {
    let Ok((text, number)) = split_number(word) else {
        let message = format!("`{}` does not end in the number of a move, as `#8` does", args.show(word));
        return Err(args.fail(ErrorCode::BadValue, message));
    };
    Ok((Action::from_word(text), number))
}

/// The word before `#n` is empty, or `#` is followed by no move number.
pub(crate) struct BadNumber;

/// Splits `move#n`; n counts from 1. A `#` at the end belongs to the move: books write a mate so.
pub(crate) fn split_number(word: &str) -> Result<(&str, Option<u32>), BadNumber> {
    match word.rsplit_once('#') {
        None => Ok((word, None)),
        Some((text, signs)) if !text.is_empty() && signs.bytes().all(|sign| b"!?+".contains(&sign)) => {
            Ok((word, None))
        }
        Some(("", _)) => Err(BadNumber),
        Some((text, number)) => match read_count(number).filter(|number| *number > 0) {
            Some(number) => Ok((text, Some(number))),
            None => Err(BadNumber),
        },
    }
}

pub(crate) fn only_turns(args: &Args<'_>, action: Action) -> Result<Action, ParseError> {
    if is_turn(&action) {
        return Ok(action);
    }
    let message = format!("`{}` is not a move that `{}` can take", action.as_str(), args.verb.spec().name());
    Err(args.fail(ErrorCode::BadValue, message))
}

pub(crate) fn is_turn(action: &Action) -> bool {
    matches!(action, Action::Move(_) | Action::Pass | Action::Swap)
}

/// Clears the queue.
const NONE: &str = "none";

/// Moves with optional conditions; `none` alone gives no moves, which clears the queue.
pub(crate) fn read_queued(words: &[&str]) -> Result<Vec<QueuedMove>, &'static str> {
    const DANGLING: &str = "after `if:` and a reply must come the move to make then";
    if let [word] = words
        && word.eq_ignore_ascii_case(NONE)
    {
        return Ok(Vec::new());
    }
    let mut moves = Vec::new();
    let mut condition: Option<String> = None;
    for word in words {
        let lower = word.get(..3).map(str::to_ascii_lowercase);
        if let Some(reply) = word.get(3..).filter(|_| lower.as_deref() == Some("if:")) {
            if reply.is_empty() {
                return Err("the reply follows `if:` without a blank, as in `if:f9`");
            }
            if condition.replace(reply.to_owned()).is_some() {
                return Err(DANGLING);
            }
            continue;
        }
        let action = Action::from_word(word);
        if !is_turn(&action) {
            return Err("only moves, `pass` and `swap` can be queued");
        }
        moves.push(QueuedMove { condition: condition.take(), action });
    }
    if condition.is_some() || moves.is_empty() { Err(DANGLING) } else { Ok(moves) }
}

/// Parses the `queue` field of a form: moves, and the number of the first; `None`: invalid.
pub fn read_queue_field(text: &str) -> Option<(Vec<QueuedMove>, Option<u32>)> {
    let (first, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let (first, number) = split_number(first).ok()?;
    let words: Vec<&str> = std::iter::once(first).chain(rest.split_whitespace()).collect();
    let moves = read_queued(&words).ok()?;
    let is_plain = |queued: &QueuedMove| Action::from_field(queued.action.as_str()).is_some();
    moves.iter().all(is_plain).then_some((moves, number))
}
