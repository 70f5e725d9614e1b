//! Refusals of options. Every `Display` is one clause that a player can act on.

use crate::error::echo;
use std::fmt;

/// The refusal of the options of a challenge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// An option is wrong; the sentence lists the valid ones with their defaults.
    #[error("{problem}; {valid}")]
    Option {
        /// Its fault.
        problem: Problem,
        /// The valid options.
        valid: String,
    },
    /// Fewer players than the game needs.
    #[error("{game} needs at least {least} players, not {given}")]
    TooFewPlayers {
        /// The game's title.
        game: &'static str,
        /// The fewest that may play.
        least: usize,
        /// The number that was named.
        given: usize,
    },
    /// More players than the game seats.
    #[error("{game} has at most {most} players, not {given}")]
    TooManyPlayers {
        /// The game's title.
        game: &'static str,
        /// The most that may play.
        most: usize,
        /// The number that was named.
        given: usize,
    },
}

/// The fault of one option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// No option has or begins with this name.
    Unknown(String),
    /// Several options begin with this name.
    Ambiguous {
        /// As typed.
        name: String,
        /// The words it could mean.
        words: Vec<&'static str>,
    },
    /// The value is not of the option's kind or out of range.
    BadValue {
        /// The option as it is typed.
        usage: String,
        /// As typed.
        value: String,
    },
    /// The option needs `=value`.
    NeedsValue {
        /// The option's word.
        word: &'static str,
        /// The option as it is typed.
        usage: String,
    },
    /// The option takes no `=value`.
    TakesNoValue(&'static str),
    /// The same word twice.
    Repeated(&'static str),
    /// Two words that exclude each other.
    Contradiction(&'static str, &'static str),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "there is no option `-{}`", echo(name)),
            Self::Ambiguous { name, words } => {
                write!(f, "`-{}` could be -{}", echo(name), words.join(" or -"))
            }
            Self::BadValue { usage, value } => write!(f, "`{}` does not fit {usage}", echo(value)),
            Self::NeedsValue { word, usage } => write!(f, "-{word} needs a value: {usage}"),
            Self::TakesNoValue(word) => write!(f, "-{word} takes no value"),
            Self::Repeated(word) => write!(f, "-{word} is given twice"),
            Self::Contradiction(one, other) => write!(f, "-{one} and -{other} exclude each other"),
        }
    }
}
