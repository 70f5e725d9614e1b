//! Short commands for mails to a reply address.
//!
//! The address identifies player and board, so a move alone is enough. A word that is both a move and a short
//! command is a move; the caller must try the game's notation first.

use crate::arguments::{is_turn, read_queued, split_number};
use crate::bound::check_moves;
use crate::clean::clean;
use crate::error::{ErrorCode, ParseError};
use crate::mask::show;
use crate::suggest::{Found, resolve};
use crate::value::{Action, QueuedMove};
use crate::verbs::Verb;
use crate::vocabulary::Vocabulary;

/// One short command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShortCommand {
    /// Act on the board; `number` is the required number of the move.
    Act {
        /// The action.
        action: Action,
        /// Counted from 1.
        number: Option<u32>,
    },
    /// Play the submitted move.
    Confirm,
    /// Queue moves; at least one.
    Queue {
        /// In the order of play.
        moves: Vec<QueuedMove>,
    },
    /// Show the board after these moves (moves, passes, swaps); at least one.
    Preview {
        /// In the order of play.
        moves: Vec<Action>,
    },
    /// Chat. Lines after it belong to the text as well.
    Chat {
        /// The rest of the line, blanks as typed; may be empty.
        text: String,
    },
    /// Show the board as it is.
    Show,
    /// Play the finished board once more.
    Rematch,
    /// Ask for a computer player's move.
    Hint,
}

#[derive(Clone, Copy, PartialEq)]
enum Keyword {
    Confirm,
    Queue,
    Preview,
    Chat,
    Show,
    Rematch,
    Hint,
}

const KEYWORDS: [(&str, Keyword); 7] = [
    ("confirm", Keyword::Confirm),
    ("queue", Keyword::Queue),
    ("preview", Keyword::Preview),
    ("chat", Keyword::Chat),
    ("show", Keyword::Show),
    ("rematch", Keyword::Rematch),
    ("hint", Keyword::Hint),
];

/// Parses a line at a reply address. A single unknown word is a move.
pub fn parse_short(line: &str, vocabulary: &Vocabulary) -> Result<ShortCommand, ParseError> {
    let cleaned = clean(line);
    let words: Vec<&str> = cleaned.split_whitespace().collect();
    let Some((first, rest)) = words.split_first() else {
        return Err(ParseError::new(ErrorCode::UnknownCommand, "the line holds no move"));
    };
    let wrong = |verb: Verb, message: &str| ParseError {
        verb: Some(verb),
        ..ParseError::new(ErrorCode::WrongArguments, message)
    };
    match resolve(first, KEYWORDS) {
        Found::One(Keyword::Chat) => {
            let text = line.trim_start().split_once(char::is_whitespace).map_or("", |(_, text)| text);
            Ok(ShortCommand::Chat { text: text.trim().to_owned() })
        }
        Found::One(Keyword::Confirm) if rest.is_empty() => Ok(ShortCommand::Confirm),
        Found::One(Keyword::Show) if rest.is_empty() => Ok(ShortCommand::Show),
        Found::One(Keyword::Rematch) if rest.is_empty() => Ok(ShortCommand::Rematch),
        Found::One(Keyword::Hint) if rest.is_empty() => Ok(ShortCommand::Hint),
        Found::One(Keyword::Queue) => {
            let moves = read_queued(rest).map_err(|problem| wrong(Verb::Queue, problem))?;
            check_moves(moves.len()).map_err(|message| wrong(Verb::Queue, &message))?;
            Ok(ShortCommand::Queue { moves })
        }
        Found::One(Keyword::Preview) => {
            let moves: Vec<Action> = rest.iter().map(|word| Action::from_word(word)).collect();
            if moves.is_empty() || !moves.iter().all(is_turn) {
                return Err(wrong(Verb::Preview, "after `preview` must come moves"));
            }
            check_moves(moves.len()).map_err(|message| wrong(Verb::Preview, &message))?;
            Ok(ShortCommand::Preview { moves })
        }
        _ => read_action(first, rest, vocabulary),
    }
}

fn read_action(first: &str, rest: &[&str], vocabulary: &Vocabulary) -> Result<ShortCommand, ParseError> {
    // `move f12`: a writer used to the long form.
    let (word, rest) = match (first.eq_ignore_ascii_case("move"), rest) {
        (true, [word, rest @ ..]) => (*word, rest),
        _ => (first, rest),
    };
    let error = |code: ErrorCode, message: String| ParseError {
        verb: Some(Verb::Move),
        ..ParseError::new(code, message)
    };
    if !rest.is_empty() {
        let message = "a move is one word, and this line has more".to_owned();
        return Err(error(ErrorCode::WrongArguments, message));
    }
    let Ok((text, number)) = split_number(word) else {
        let message = format!("`{}` does not end in the number of a move", show(word, vocabulary));
        return Err(error(ErrorCode::BadValue, message));
    };
    Ok(ShortCommand::Act { action: Action::from_word(text), number })
}
