//! Options as data: one table parses what a player typed, prints help, checks the API and fills the challenge form.

use crate::error::echo;
use std::fmt;

/// An option of a game, as the table lists it.
#[derive(Debug)]
pub struct OptionSpec {
    /// The full name; for [`OptionKind::Either`] the same as the default word.
    pub name: &'static str,
    /// What it may be set to.
    pub kind: OptionKind,
    /// The value it has when not given; empty for a flag (off) and for a free text that is absent.
    pub default: &'static str,
    /// What it does: one clause for the help page.
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
        min: u32,
        /// The most that is allowed.
        max: u32,
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

    /// How it is typed: `-size=2..12`, `-capture|-no_capture`, `-score=crossings|dice`.
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
    fn read(&self, word: &'static str, value: Option<&str>) -> Result<String, Problem> {
        let bad = |value: &str| Problem::BadValue { usage: self.usage(), value: value.to_owned() };
        match (&self.kind, value) {
            (OptionKind::Flag | OptionKind::Either(..), Some(_)) => Err(Problem::TakesNoValue(word)),
            (OptionKind::Flag, None) => Ok("on".to_owned()),
            (OptionKind::Either(..), None) => Ok(word.to_owned()),
            (_, None) => Err(Problem::NeedsValue { word, usage: self.usage() }),
            (OptionKind::Number { min, max }, Some(value)) => {
                let digits = value.bytes().all(|byte| byte.is_ascii_digit());
                let number =
                    value.parse::<u32>().ok().filter(|number| digits && (min..=max).contains(&number));
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
    /// What followed the `=`, if there was one.
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

/// The options of one board, checked against their table.
///
/// `Display` prints those that differ from the default in table order (`-size=5 -no_capture`, nothing when all are
/// default); parsing that again gives an equal value.
#[derive(Clone, Debug)]
pub struct GameOptions {
    table: &'static [OptionSpec],
    /// Canonical values that differ from the default, with their place in the table, ascending.
    given: Vec<(usize, String)>,
}

impl GameOptions {
    /// All defaults.
    pub const fn defaults(table: &'static [OptionSpec]) -> Self {
        Self { table, given: Vec::new() }
    }

    /// Checks what was typed against the table.
    ///
    /// # Errors
    /// Unknown, ambiguous, ill-valued, repeated and contradictory options.
    pub fn parse(table: &'static [OptionSpec], given: &[GivenOption]) -> Result<Self, OptionError> {
        let refuse = |problem| OptionError::Option { problem, valid: list_options(table) };
        let mut seen: Vec<(usize, &'static str, String)> = Vec::new();
        for option in given {
            let (place, word) = find_word(table, &option.name).map_err(refuse)?;
            let Some(spec) = table.get(place) else { continue };
            let value = spec.read(word, option.value.as_deref()).map_err(refuse)?;
            for (other_place, other_word, _) in &seen {
                check_pair(table, (place, word), (*other_place, other_word)).map_err(refuse)?;
            }
            seen.push((place, word, value));
        }
        seen.sort_by_key(|(place, ..)| *place);
        let differs = |place: usize, value: &str| table.get(place).is_some_and(|spec| spec.default != value);
        let kept = seen.into_iter().filter(|(place, _, value)| differs(*place, value));
        Ok(Self { table, given: kept.map(|(place, _, value)| (place, value)).collect() })
    }

    /// The canonical value of an option: as given, else its default; empty for unknown names and flags that are off.
    pub fn value(&self, name: &str) -> &str {
        let Some(place) = self.table.iter().position(|spec| spec.name == name) else { return "" };
        let given = self.given.iter().find(|(other, _)| *other == place).map(|(_, value)| value.as_str());
        given.or(self.table.get(place).map(|spec| spec.default)).unwrap_or("")
    }

    /// The value of a number option; zero when `name` is not one.
    pub fn number(&self, name: &str) -> u32 {
        self.value(name).parse().unwrap_or(0)
    }

    /// Whether an option differs from its default.
    pub fn is_set(&self, name: &str) -> bool {
        self.given.iter().any(|(place, _)| self.table.get(*place).is_some_and(|spec| spec.name == name))
    }

    /// Whether all options have their defaults.
    pub const fn is_default(&self) -> bool {
        self.given.is_empty()
    }

    /// Whether a player is given a start over the others: an option whose name begins with `handicap` differs
    /// from its default. Such boards are never rated.
    pub fn is_handicap(&self) -> bool {
        let named =
            |place: &usize| self.table.get(*place).is_some_and(|spec| spec.name.starts_with("handicap"));
        self.given.iter().any(|(place, _)| named(place))
    }

    /// Every option of the table with its canonical value here.
    pub fn iter(&self) -> impl Iterator<Item = (&'static OptionSpec, &str)> {
        self.table.iter().map(|spec| (spec, self.value(spec.name)))
    }
}

impl PartialEq for GameOptions {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.table, other.table) && self.given == other.given
    }
}

impl Eq for GameOptions {}

impl fmt::Display for GameOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.given.iter().filter_map(|(place, value)| {
            let spec = self.table.get(*place)?;
            Some(match spec.kind {
                OptionKind::Flag => format!("-{}", spec.name),
                OptionKind::Either(..) => format!("-{value}"),
                _ => format!("-{}={value}", spec.name),
            })
        });
        f.write_str(&words.collect::<Vec<_>>().join(" "))
    }
}

/// The table entry a typed name selects: an exact word, else the only one it begins.
fn find_word(table: &'static [OptionSpec], name: &str) -> Result<(usize, &'static str), Problem> {
    let name = name.to_ascii_lowercase();
    let words = || {
        table.iter().enumerate().flat_map(|(place, spec)| spec.words().into_iter().map(move |w| (place, w)))
    };
    if let Some(exact) = words().find(|(_, word)| *word == name) {
        return Ok(exact);
    }
    let begun: Vec<_> = words().filter(|(_, word)| !name.is_empty() && word.starts_with(&name)).collect();
    match begun.as_slice() {
        [] => Err(Problem::Unknown(name)),
        [only] => Ok(*only),
        several => Err(Problem::Ambiguous { name, words: several.iter().map(|(_, word)| *word).collect() }),
    }
}

/// Two words may stand side by side unless one repeats or contradicts the other.
fn check_pair(
    table: &[OptionSpec],
    new: (usize, &'static str),
    old: (usize, &'static str),
) -> Result<(), Problem> {
    if new.1 == old.1 {
        return Err(Problem::Repeated(new.1));
    }
    let excludes = |one: usize, word| table.get(one).is_some_and(|spec| spec.excludes.contains(&word));
    if new.0 == old.0 || excludes(new.0, old.1) || excludes(old.0, new.1) {
        return Err(Problem::Contradiction(old.1, new.1));
    }
    Ok(())
}

/// The whole table on one line, with defaults.
fn list_options(table: &[OptionSpec]) -> String {
    let entries = table.iter().map(|spec| format!("{} (default {})", spec.usage(), spec.default_text()));
    let list = entries.collect::<Vec<_>>().join(", ");
    if list.is_empty() { "this game has no options".to_owned() } else { format!("the options are {list}") }
}

/// Why the options of a challenge were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// An option is wrong; the sentence lists the valid ones with their defaults.
    #[error("{problem}; {valid}")]
    Option {
        /// What is wrong.
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
        /// How many were named.
        given: usize,
    },
    /// More players than the game seats.
    #[error("{game} has at most {most} players, not {given}")]
    TooManyPlayers {
        /// The game's title.
        game: &'static str,
        /// The most that may play.
        most: usize,
        /// How many were named.
        given: usize,
    },
}

/// What is wrong with one option.
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
        /// How the option is typed.
        usage: String,
        /// As typed.
        value: String,
    },
    /// The option needs `=value`.
    NeedsValue {
        /// The option's word.
        word: &'static str,
        /// How it is typed.
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
