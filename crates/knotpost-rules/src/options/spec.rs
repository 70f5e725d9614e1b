//! One option of a game as data, and one as a player typed it.

use super::{declare::ON, error::Problem};

/// An option of a game, as the table lists it.
#[derive(Debug)]
pub struct OptionSpec {
    /// The full name; for [`OptionKind::Either`] the default word.
    pub name: &'static str,
    /// Its possible values.
    pub kind: OptionKind,
    /// The canonical value of an option that is not given; empty for a flag (off) and for an absent text.
    pub default: &'static str,
    /// Its effect: one clause for the help page.
    pub help: &'static str,
    /// Names of options that may not be given together with this one.
    pub excludes: &'static [&'static str],
}

/// The shape of an option's value.
#[derive(Debug)]
pub enum OptionKind {
    /// `-name`: off unless given.
    Flag,
    /// Two opposite words without a value, the default one first: `-capture` or `-no_capture`.
    Either(&'static str, &'static str),
    /// `-name=7`: a whole number.
    Number {
        /// The least that is allowed.
        min: i32,
        /// The most that is allowed.
        max: i32,
    },
    /// `-name=word`: one of these words.
    Choice(&'static [&'static str]),
    /// `-name=text` in a shape of the game's own.
    Text {
        /// An example of the shape for help and errors.
        shape: &'static str,
        /// The canonical spelling of a valid text.
        normalise: fn(&str) -> Option<String>,
    },
}

impl OptionSpec {
    /// The words that select this option on a command line.
    pub fn words(&self) -> Vec<&'static str> {
        match self.kind {
            OptionKind::Either(usual, other) => vec![usual, other],
            _ => vec![self.name],
        }
    }

    /// The option as it is typed: `-size=2..12`, `-capture|-no_capture`, `-score=crossings|dice`.
    pub fn usage(&self) -> String {
        match self.kind {
            OptionKind::Flag => format!("-{}", self.name),
            OptionKind::Either(usual, other) => format!("-{usual}|-{other}"),
            OptionKind::Number { min, max } => format!("-{}={min}..{max}", self.name),
            OptionKind::Choice(words) => format!("-{}={}", self.name, words.join("|")),
            OptionKind::Text { shape, .. } => format!("-{}={shape}", self.name),
        }
    }

    /// Its default as a player reads it.
    pub fn default_text(&self) -> String {
        match self.kind {
            OptionKind::Flag => "off".to_owned(),
            OptionKind::Either(usual, _) => format!("-{usual}"),
            OptionKind::Text { .. } if self.default.is_empty() => "none".to_owned(),
            _ => self.default.to_owned(),
        }
    }

    /// The canonical value for what was typed after `word`, or what is wrong with it.
    pub(super) fn read(&self, word: &'static str, value: Option<&str>) -> Result<String, Problem> {
        let bad = |value: &str| Problem::BadValue { usage: self.usage(), value: value.to_owned() };
        match (&self.kind, value) {
            (OptionKind::Flag | OptionKind::Either(..), Some(_)) => Err(Problem::TakesNoValue(word)),
            (OptionKind::Flag, None) => Ok(ON.to_owned()),
            (OptionKind::Either(..), None) => Ok(word.to_owned()),
            (_, None) => Err(Problem::NeedsValue { word, usage: self.usage() }),
            (OptionKind::Number { min, max }, Some(value)) => {
                let number = value
                    .parse::<i32>()
                    .ok()
                    .filter(|number| !value.starts_with('+') && (min..=max).contains(&number));
                number.map(|number| number.to_string()).ok_or_else(|| bad(value))
            }
            (OptionKind::Choice(words), Some(value)) => {
                let found = words.iter().find(|word| word.eq_ignore_ascii_case(value));
                found.map(|word| (*word).to_owned()).ok_or_else(|| bad(value))
            }
            (OptionKind::Text { normalise, .. }, Some(value)) => normalise(value).ok_or_else(|| {
                let usage = format!("{} ({})", self.usage(), self.help.trim_end_matches('.'));
                Problem::BadValue { usage, value: value.to_owned() }
            }),
        }
    }
}

/// An option as typed: `-name` or `-name=value`, without the dashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenOption {
    /// The name or an unambiguous beginning of it, in any case.
    pub name: String,
    /// The text after the `=`, if there was one.
    pub value: Option<String>,
}

impl GivenOption {
    /// Reads a word that begins with one or two dashes; `None` for any other word and for lone dashes.
    pub fn from_word(word: &str) -> Option<Self> {
        let body =
            word.strip_prefix("--").or_else(|| word.strip_prefix('-')).filter(|body| !body.is_empty())?;
        Some(match body.split_once('=') {
            Some((name, value)) => Self { name: name.to_owned(), value: Some(value.to_owned()) },
            None => Self { name: body.to_owned(), value: None },
        })
    }
}
