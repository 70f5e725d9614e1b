//! Options as a game declares them: typed, so that a word and its meaning cannot drift apart.
//!
//! Each declaration gives the [`OptionSpec`] of the table by `spec` and the value for one board by `of`.

use super::{GameOptions, OptionKind, OptionSpec};

/// The value of a flag that is given.
pub(super) const ON: &str = "on";

/// `-name`: two meanings, one of them without the word.
#[derive(Debug)]
pub struct FlagOption<T> {
    /// The word.
    pub name: &'static str,
    /// The meaning when the word is not given.
    pub off: T,
    /// The meaning when the word is given.
    pub on: T,
    /// Its effect: one clause for the help page.
    pub help: &'static str,
    /// Names of options that may not be given together with this one.
    pub excludes: &'static [&'static str],
}

impl<T: Copy> FlagOption<T> {
    /// The table entry.
    pub const fn spec(&self) -> OptionSpec {
        let Self { name, help, excludes, .. } = *self;
        OptionSpec { name, kind: OptionKind::Flag, default: "", help, excludes }
    }

    /// The meaning on this board.
    pub fn of(&self, options: &GameOptions) -> T {
        if options.value(self.name) == ON { self.on } else { self.off }
    }
}

/// `-usual` or `-other`: two words, each with its meaning.
#[derive(Debug)]
pub struct EitherOption<T> {
    /// The word that holds when none is given; it names the option.
    pub usual: (&'static str, T),
    /// The opposite word.
    pub other: (&'static str, T),
    /// Its effect: one clause for the help page.
    pub help: &'static str,
    /// Names of options that may not be given together with this one.
    pub excludes: &'static [&'static str],
}

impl<T: Copy> EitherOption<T> {
    /// The table entry.
    pub const fn spec(&self) -> OptionSpec {
        let Self { usual: (usual, _), other: (other, _), help, excludes } = *self;
        OptionSpec { name: usual, kind: OptionKind::Either(usual, other), default: usual, help, excludes }
    }

    /// The meaning on this board.
    pub fn of(&self, options: &GameOptions) -> T {
        if options.value(self.usual.0) == self.other.0 { self.other.1 } else { self.usual.1 }
    }
}

/// `-name=word`: several words, each with its meaning.
#[derive(Debug)]
pub struct ChoiceOption<T, const N: usize> {
    name: &'static str,
    words: [&'static str; N],
    meanings: [T; N],
    default: (&'static str, T),
    help: &'static str,
    excludes: &'static [&'static str],
}

impl<T: Copy, const N: usize> ChoiceOption<T, N> {
    /// An option with these words. The conformance kit refuses a default that is not among them.
    pub const fn new(
        name: &'static str,
        choices: [(&'static str, T); N],
        default: &'static str,
        help: &'static str,
    ) -> Self {
        let mut option = Self {
            name,
            words: [""; N],
            meanings: [choices[0].1; N],
            default: (default, choices[0].1),
            help,
            excludes: &[],
        };
        let mut index = 0;
        while index < N {
            let (word, meaning) = choices[index];
            option.words[index] = word;
            option.meanings[index] = meaning;
            if is_same(word, default) {
                option.default.1 = meaning;
            }
            index += 1;
        }
        option
    }

    /// This option, not to be given together with those named.
    #[must_use]
    pub const fn excluding(mut self, excludes: &'static [&'static str]) -> Self {
        self.excludes = excludes;
        self
    }

    /// The table entry.
    pub const fn spec(&'static self) -> OptionSpec {
        let Self { name, help, excludes, default: (default, _), .. } = *self;
        OptionSpec { name, kind: OptionKind::Choice(&self.words), default, help, excludes }
    }

    /// The meaning on this board.
    pub fn of(&self, options: &GameOptions) -> T {
        let chosen = options.value(self.name);
        let mut choices = self.words.iter().zip(&self.meanings);
        choices.find(|(word, _)| **word == chosen).map_or(self.default.1, |(_, meaning)| *meaning)
    }
}

/// String equality in constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut index = 0;
    while index < one.len() && index < other.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    one.len() == other.len()
}

/// `-name=7`: a whole number.
#[derive(Debug)]
pub struct NumberOption {
    /// The word.
    pub name: &'static str,
    /// The least that is allowed.
    pub min: i32,
    /// The most that is allowed.
    pub max: i32,
    /// The number when none is given, in digits. The conformance kit refuses one that is out of range.
    pub default: &'static str,
    /// Its effect: one clause for the help page.
    pub help: &'static str,
    /// Names of options that may not be given together with this one.
    pub excludes: &'static [&'static str],
}

impl NumberOption {
    /// The table entry.
    pub const fn spec(&self) -> OptionSpec {
        let Self { name, min, max, default, help, excludes } = *self;
        OptionSpec { name, kind: OptionKind::Number { min, max }, default, help, excludes }
    }

    /// The number on this board, always in range.
    pub fn of(&self, options: &GameOptions) -> i32 {
        options.value(self.name).parse().unwrap_or(self.min).max(self.min).min(self.max)
    }
}

/// `-name=6.5`: a number in halves, from `MIN` to `MAX` halves.
#[derive(Debug)]
pub struct DecimalOption<const MIN: i32, const MAX: i32> {
    /// The word.
    pub name: &'static str,
    /// The number when none is given, as it is printed: without `.0`.
    pub default: &'static str,
    /// Its effect: one clause for the help page.
    pub help: &'static str,
    /// Names of options that may not be given together with this one.
    pub excludes: &'static [&'static str],
}

impl<const MIN: i32, const MAX: i32> DecimalOption<MIN, MAX> {
    /// The table entry.
    pub const fn spec(&self) -> OptionSpec {
        let Self { name, default, help, excludes } = *self;
        let kind = OptionKind::Text { shape: default, normalise: normalise_halves::<MIN, MAX> };
        OptionSpec { name, kind, default, help, excludes }
    }

    /// The table entry of an option whose default depends on others: then [`Self::default`] is an example.
    pub const fn open_spec(&self) -> OptionSpec {
        OptionSpec { default: "", ..self.spec() }
    }

    /// The number in halves, where one was given.
    pub fn given(&self, options: &GameOptions) -> Option<i32> {
        read_halves(options.value(self.name)).map(|halves| halves.clamp(MIN, MAX))
    }

    /// The number on this board in halves, always in range.
    pub fn of(&self, options: &GameOptions) -> i32 {
        read_halves(options.value(self.name)).unwrap_or(MIN).clamp(MIN, MAX)
    }
}

fn read_halves(text: &str) -> Option<i32> {
    let (whole, half) = match text.split_once('.') {
        None => (text, 0),
        Some((whole, "0")) => (whole, 0),
        Some((whole, "5")) => (whole, 1),
        Some(_) => return None,
    };
    let (sign, digits) = whole.strip_prefix('-').map_or((1, whole), |digits| (-1, digits));
    let number = digits.parse::<u16>().ok().filter(|_| !digits.starts_with('+'))?;
    Some(sign * (2 * i32::from(number) + half))
}

fn normalise_halves<const MIN: i32, const MAX: i32>(text: &str) -> Option<String> {
    let halves = read_halves(text).filter(|halves| (MIN..=MAX).contains(halves))?;
    let (sign, size) = (if halves < 0 { "-" } else { "" }, halves.unsigned_abs());
    Some(format!("{sign}{}{}", size / 2, if size % 2 == 1 { ".5" } else { "" }))
}

/// `-name=text` in a shape of the game's own.
#[derive(Debug)]
pub struct TextOption {
    /// The word.
    pub name: &'static str,
    /// An example of the shape for help and errors.
    pub shape: &'static str,
    /// The canonical spelling of a valid text.
    pub normalise: fn(&str) -> Option<String>,
    /// Its effect: one clause for the help page.
    pub help: &'static str,
    /// Names of options that may not be given together with this one.
    pub excludes: &'static [&'static str],
}

impl TextOption {
    /// The table entry.
    pub const fn spec(&self) -> OptionSpec {
        let Self { name, shape, normalise, help, excludes } = *self;
        OptionSpec { name, kind: OptionKind::Text { shape, normalise }, default: "", help, excludes }
    }

    /// The canonical text on this board; `None` when none was given.
    pub fn of<'a>(&self, options: &'a GameOptions) -> Option<&'a str> {
        Some(options.value(self.name)).filter(|text| !text.is_empty())
    }
}
