//! Options as data: one table parses what a player typed, prints help, checks the API and fills the challenge form.
//!
//! A game declares each option once, with the meaning of every word beside the word, and reads it by its declaration:
//! `CAPTURE.of(options)`.

mod declare;
mod error;
mod spec;

pub use declare::{ChoiceOption, DecimalOption, EitherOption, FlagOption, NumberOption, TextOption};
pub use error::{OptionError, Problem};
pub use spec::{GivenOption, OptionKind, OptionSpec};

use std::fmt;

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
        let given = seen.into_iter().filter(|(place, _, value)| differs(*place, value));
        Ok(Self { table, given: given.map(|(place, _, value)| (place, value)).collect() })
    }

    /// The canonical value of an option: as given, else its default; empty for unknown names and flags that are off.
    pub(crate) fn value(&self, name: &str) -> &str {
        let Some(place) = self.table.iter().position(|spec| spec.name == name) else { return "" };
        let given = self.given.iter().find(|(other, _)| *other == place).map(|(_, value)| value.as_str());
        given.or(self.table.get(place).map(|spec| spec.default)).unwrap_or("")
    }

    /// True if all options have their defaults.
    pub const fn is_default(&self) -> bool {
        self.given.is_empty()
    }

    /// True if a player is given a start over the others: an option whose name begins with `handicap` differs
    /// from its default. Such boards are never rated.
    pub fn is_handicap(&self) -> bool {
        let named =
            |place: &usize| self.table.get(*place).is_some_and(|spec| spec.name.starts_with("handicap"));
        self.given.iter().any(|(place, _)| named(place))
    }

    /// True if players should play both sides of what is dealt: an option `deal` is `open`. Another game between them
    /// repeats such a deal.
    pub fn repeats_deal(&self) -> bool {
        self.value("deal") == "open"
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
