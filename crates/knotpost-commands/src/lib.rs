//! The command language: one line of text becomes one [`Command`]. Commands from other sources, such as
//! forms, are validated by [`check()`].
//!
//! The crate is pure: no files, no clock, no network, no rules of games. Names and options of games come in
//! as a [`Vocabulary`]. Existence of users and boards and legality of moves are checked elsewhere.

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
    Action, BoardAt, BoardSet, ComputerWish, Days, DirectorAction, GivenOption, Leaving, LimitChange,
    QueuedMove, Relating, Remarks, SeekChange, Selector, ServerOptions, Setting, TOURNAMENT_FORMS,
    TOURNAMENT_OPTIONS, TournamentOption, TournamentPart, TournamentSelector, Vacation,
};
pub use verb::{AnswerTo, Effect, Scope, VerbSpec, WhoAt, help};
pub use verbs::{Command, Verb};
pub use vocabulary::{GameWords, OptionWord, Vocabulary, is_reserved};
pub use words::{Credentials, Password, PasswordRule, Userid, UseridRule};
