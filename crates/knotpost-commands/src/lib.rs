//! The command language: one line of text becomes one [`Command`].
//!
//! The crate is pure. It reads no file, no clock and no network, and it does not know the rules of any
//! game: what it must know about games (their names and option words) comes in as a [`Vocabulary`].
//! Whether a user exists, a board is running or a move is legal is decided elsewhere.

mod bound;
mod clean;
mod command;
mod comment;
mod error;
mod grammar;
mod mask;
mod multiple;
mod short;
mod suggest;
mod token;
mod value;
mod verb;
mod verbs;
mod vocabulary;
mod words;

pub use bound::{MOST_LINE_BYTES, MOST_MOVES, MOST_NAMES};
pub use clean::clean;
pub use command::Command;
pub use comment::{Comment, clean_line, clean_text, is_unwanted, limit_comment};
pub use error::{ErrorCode, ExampleContext, ParseError};
pub use grammar::parse;
pub use mask::{MASK, mask, mask_cautiously};
pub use multiple::{MAX_LINES, command_lines};
pub use short::{ShortCommand, parse_short};
pub use value::{
    Action, BoardAt, BoardSet, Days, GivenOption, LimitChange, QueuedMove, SeekChange, Selector,
    ServerOptions, Setting, Vacation,
};
pub use verb::{AnswerTo, Scope, Verb, VerbSpec, WhoAt, help};
pub use vocabulary::{GameWords, OptionWord, Vocabulary, is_reserved};
pub use words::{Credentials, Password, PasswordRule, Userid, UseridRule};
