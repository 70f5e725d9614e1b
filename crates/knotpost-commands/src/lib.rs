//! The command language: one line of text becomes one [`Command`]. What is put together from other parts, such as the
//! fields of a form, is held to the same rules by [`check()`].
//!
//! The crate is pure. It reads no file, no clock and no network, and it does not know the rules of any
//! game: what it must know about games (their names and option words) comes in as a [`Vocabulary`].
//! Whether a user exists, a board is running or a move is legal is decided elsewhere.

#![warn(missing_docs)]

mod arguments;
mod blank;
mod bound;
mod check;
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

pub use arguments::read_queue_field;
pub use blank::{says_nothing, takes_state_for_userid};
pub use bound::{MOST_LINE_BYTES, MOST_MOVES, MOST_NAMES};
pub use check::check;
pub use clean::{clean, read_word};
pub use comment::{Comment, clean_line, clean_text, is_unwanted, limit_comment};
pub use error::{ErrorCode, ExampleContext, ParseError};
pub use grammar::parse;
pub use mask::{MASK, mask, mask_cautiously};
pub use multiple::{MAX_LINES, command_lines};
pub use short::{ShortCommand, parse_short};
pub use value::{
    Action, BoardAt, BoardSet, ComputerWish, Days, GivenOption, Leaving, LimitChange, QueuedMove, Remarks,
    SeekChange, Selector, ServerOptions, Setting, Vacation,
};
pub use verb::{AnswerTo, Effect, Scope, VerbSpec, WhoAt, help};
pub use verbs::{Command, Verb};
pub use vocabulary::{GameWords, OptionWord, Vocabulary, is_reserved};
pub use words::{Credentials, Password, PasswordRule, Userid, UseridRule};
