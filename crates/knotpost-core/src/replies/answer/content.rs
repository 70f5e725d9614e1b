//! Facts of a reply, declared beside its verb: the template and the names it may use.
//!
//! No layout here: facts have kinds, and `outbound` knows the width of a mail.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;

pub trait Content: Serialize + Sized + fmt::Debug + Send + Sync {
    /// Folder in `templates/mail`; also the stored kind of its mails.
    const TEMPLATE: &'static str;

    fn facts(&self) -> Facts {
        Facts::of(self)
    }
}

/// [`Content`] of any reply.
pub trait AnyContent: fmt::Debug + Send + Sync {
    fn template(&self) -> &'static str;

    fn facts(&self) -> Facts;
}

impl<T: Content> AnyContent for T {
    fn template(&self) -> &'static str {
        T::TEMPLATE
    }

    fn facts(&self) -> Facts {
        Content::facts(self)
    }
}

/// Words and numbers that need no layout of their own.
#[derive(Debug)]
pub(super) struct Plain {
    pub(super) template: &'static str,
    /// A JSON object.
    pub(super) facts: Value,
}

impl AnyContent for Plain {
    fn template(&self) -> &'static str {
        self.template
    }

    fn facts(&self) -> Facts {
        Facts { data: Ok(self.facts.clone()), to_lay_out: Vec::new() }
    }
}

#[derive(Debug)]
pub struct Facts {
    /// A JSON object; an error if serialisation failed.
    pub data: serde_json::Result<Value>,
    pub to_lay_out: Vec<(&'static str, Fact)>,
}

#[derive(Debug)]
pub enum Fact {
    /// Filled paragraphs; `None` is left out.
    Prose(Option<String>),
    /// Short words, indented, as many on a line as fit.
    Words(Vec<String>),
    Table(Table),
    Parts(Vec<Facts>),
}

/// Each row has one entry per column.
#[derive(Clone, Debug)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Words,
    Numbers,
}

#[derive(Clone, Debug)]
pub struct Column {
    pub title: String,
    pub holds: Holds,
    /// Minimum width in characters.
    pub width: usize,
}

impl Facts {
    pub fn of(value: &impl Serialize) -> Self {
        Self { data: serde_json::to_value(value), to_lay_out: Vec::new() }
    }

    pub fn none() -> Self {
        Self { data: Ok(Value::Object(serde_json::Map::new())), to_lay_out: Vec::new() }
    }

    #[must_use]
    pub fn prose(self, name: &'static str, words: impl Into<Option<String>>) -> Self {
        self.with(name, Fact::Prose(words.into()))
    }

    #[must_use]
    pub fn table(self, name: &'static str, table: Table) -> Self {
        self.with(name, Fact::Table(table))
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, fact: Fact) -> Self {
        self.to_lay_out.push((name, fact));
        self
    }
}

impl Column {
    pub fn of_words(title: &str, width: usize) -> Self {
        Self { title: title.to_owned(), holds: Holds::Words, width }
    }

    pub fn of_numbers(title: &str, width: usize) -> Self {
        Self { title: title.to_owned(), holds: Holds::Numbers, width }
    }
}

/// Serialises only the length of a list.
pub(crate) fn count<T, S: Serializer>(items: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(items.len() as u64)
}

pub(crate) fn numbers(boards: &[i64]) -> Fact {
    Fact::Words(boards.iter().map(ToString::to_string).collect())
}
