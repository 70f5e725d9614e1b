//! What a reply says, declared beside what says it: the name of its templates and the facts they may name.
//!
//! Nothing here lays anything out. A fact says of what kind it is; how wide a mail is, is known to `outbound`.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;

/// The content of a reply that is nothing but words and numbers.
pub trait Content: fmt::Debug + Send + Sync {
    /// The name of its templates, a folder in `templates/mail`. Its mails are stored under that name.
    fn template(&self) -> &'static str;

    /// What its templates may name.
    fn facts(&self) -> Facts;
}

/// What templates may name.
#[derive(Debug)]
pub struct Facts {
    /// Plain data: an object, or the reason why it could not be made.
    pub data: serde_json::Result<Value>,
    /// What `outbound` lays out first.
    pub to_lay_out: Vec<(&'static str, Fact)>,
}

/// A fact that templates get laid out.
#[derive(Debug)]
pub enum Fact {
    /// Sentences, set into lines; `None` is left out.
    Prose(Option<String>),
    /// Short words, indented, as many on a line as fit.
    Words(Vec<String>),
    Table(Table),
    /// Several of the same kind, each with facts of its own.
    Parts(Vec<Facts>),
}

/// A table: every row has as many entries as there are columns.
#[derive(Clone, Debug)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<String>>,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Words,
    Numbers,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    pub title: String,
    pub holds: Holds,
    /// How many characters wide it is at least.
    pub width: usize,
}

impl Facts {
    /// The fields of a value by their names.
    pub fn of(value: &impl Serialize) -> Self {
        Self { data: serde_json::to_value(value), to_lay_out: Vec::new() }
    }

    /// No facts.
    pub fn none() -> Self {
        Self { data: Ok(Value::Object(serde_json::Map::new())), to_lay_out: Vec::new() }
    }

    /// These, and sentences.
    #[must_use]
    pub fn prose(self, name: &'static str, words: impl Into<Option<String>>) -> Self {
        self.with(name, Fact::Prose(words.into()))
    }

    /// These, and a table.
    #[must_use]
    pub fn table(self, name: &'static str, table: Table) -> Self {
        self.with(name, Fact::Table(table))
    }

    /// These, and one to be laid out.
    #[must_use]
    pub fn with(mut self, name: &'static str, fact: Fact) -> Self {
        self.to_lay_out.push((name, fact));
        self
    }
}

impl Column {
    /// A column of words.
    pub fn of_words(title: &str, width: usize) -> Self {
        Self { title: title.to_owned(), holds: Holds::Words, width }
    }

    /// A column of numbers.
    pub fn of_numbers(title: &str, width: usize) -> Self {
        Self { title: title.to_owned(), holds: Holds::Numbers, width }
    }
}

/// For a list of which templates only learn how long it is.
pub(crate) fn count<T, S: Serializer>(items: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(items.len() as u64)
}

pub(crate) fn numbers(boards: &[i64]) -> Fact {
    Fact::Words(boards.iter().map(ToString::to_string).collect())
}
