//! The game record: tags and moves as text, read and written without loss. What the moves mean is not known here.

use std::{fmt, str::FromStr};

/// A game as text: one `[Name "value"]` a line, a blank line, then numbered moves.
///
/// Unknown tags and their order survive a round trip. In values `"` and `\` are escaped by `\`; comments stand in
/// braces, in which `}` and `\` are escaped likewise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Names and values in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The moves in the order they were made.
    pub moves: Vec<RecordMove>,
}

/// One numbered move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordMove {
    /// Its number, counting all players' moves from 1.
    pub number: u32,
    /// The move without blanks or braces: canonical, or a word such as `resign`.
    pub text: String,
    /// True if the server played it; written as `{auto}`.
    pub auto: bool,
    /// The mover's comment.
    pub comment: Option<String>,
}

impl Record {
    /// The value of the first tag with this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// The games of a file of another form, or the fault of that file.
pub type ForeignGames = Result<Vec<Record>, String>;

/// A form of records that programs for a game have in common, such as SGF.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its word, as files of this form end.
    pub word: &'static str,
    /// Its media type.
    pub media: &'static str,
    /// Writes a record.
    pub write: fn(&Record) -> String,
    /// Reads the games of a file; `None` if the text is of another form, else what is wrong with it.
    pub read: fn(&str) -> Option<ForeignGames>,
}

/// A text is not a game record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A tag line that is not `[Name "value"]`.
    #[error("line {line} is not a tag like [Game \"osbox\"]")]
    Tag {
        /// Counted from 1.
        line: usize,
    },
    /// A comment without its closing brace.
    #[error("a comment is not closed")]
    OpenComment,
    /// A move number was expected.
    #[error("`{found}` stands where the number of a move should be")]
    Number {
        /// The text that stands there.
        found: String,
    },
    /// A number without a move.
    #[error("move {number} is missing")]
    MissingMove {
        /// The number.
        number: u32,
    },
    /// A comment before any move.
    #[error("a comment stands before the first move")]
    LooseComment,
}

impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Self, RecordError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut record = Self::default();
        let mut rest = text;
        let mut line = 0;
        while let Some(first) = rest.lines().next() {
            line += 1;
            let trimmed = first.trim();
            if !trimmed.is_empty() && !trimmed.starts_with('[') {
                break;
            }
            if !trimmed.is_empty() {
                parse_tags(trimmed, &mut record.tags).ok_or(RecordError::Tag { line })?;
            }
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        }
        record.moves = parse_moves(rest)?;
        Ok(record)
    }
}

/// Reads the tags of a line; several on one line are accepted.
fn parse_tags(mut line: &str, tags: &mut Vec<(String, String)>) -> Option<()> {
    while !line.is_empty() {
        let (name, after) = line.strip_prefix('[')?.split_once(char::is_whitespace)?;
        let word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let (value, after) = unescape(after.trim_start().strip_prefix('"').filter(|_| word)?, '"')?;
        tags.push((name.to_owned(), value));
        line = after.trim_start().strip_prefix(']')?.trim_start();
    }
    Some(())
}

/// Reads up to the closing sign, undoing escapes; gives what follows it too.
fn unescape(text: &str, close: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.push(match chars.next()?.1 {
                'n' => '\n',
                escaped => escaped,
            }),
            c if c == close => return Some((value, text.get(at + c.len_utf8()..)?)),
            c => value.push(c),
        }
    }
    None
}

fn parse_moves(text: &str) -> Result<Vec<RecordMove>, RecordError> {
    let mut moves: Vec<RecordMove> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(body) = rest.strip_prefix('{') {
            let last = moves.last_mut().ok_or(RecordError::LooseComment)?;
            rest = attach(last, body).ok_or(RecordError::OpenComment)?.trim_start();
            continue;
        }
        let (number, after) = take_word(rest);
        let digits = number.strip_suffix('.').unwrap_or(number);
        let number = digits.parse().map_err(|_| RecordError::Number { found: crate::error::echo(number) })?;
        let (text, after) = take_word(after);
        if text.is_empty() {
            return Err(RecordError::MissingMove { number });
        }
        moves.push(RecordMove { number, text: text.to_owned(), auto: false, comment: None });
        rest = after;
    }
    Ok(moves)
}

/// Reads the rest of a comment and returns what follows it. An unescaped `{auto}` right after a move is its mark,
/// anything else is said by the mover.
fn attach<'a>(last: &mut RecordMove, body: &'a str) -> Option<&'a str> {
    if let Some(after) = body.strip_prefix("auto}").filter(|_| !last.auto && last.comment.is_none()) {
        last.auto = true;
        return Some(after);
    }
    let (comment, after) = unescape(body, '}')?;
    last.comment = Some(match last.comment.take() {
        None => comment,
        Some(said) => format!("{said}\n{comment}"),
    });
    Some(after)
}

/// The word at the start, ended by a blank or a brace, and what follows without leading blanks.
fn take_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word, rest.trim_start())
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            writeln!(f, "[{name} \"{}\"]", escape(value, '"'))?;
        }
        let mut line = String::new();
        for mv in &self.moves {
            let word = mv.to_string();
            if !line.is_empty() && line.len() + 1 + word.len() > 72 {
                write!(f, "\n{line}")?;
                line.clear();
            }
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(&word);
        }
        if line.is_empty() { Ok(()) } else { writeln!(f, "\n{line}") }
    }
}

impl fmt::Display for RecordMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.number, self.text)?;
        if self.auto {
            f.write_str(" {auto}")?;
        }
        match self.comment.as_deref() {
            // A player's own word "auto" must not read back as the mark.
            Some("auto") if !self.auto => f.write_str(" {\\auto}"),
            Some(comment) => write!(f, " {{{}}}", escape(comment, '}')),
            None => Ok(()),
        }
    }
}

fn escape(text: &str, close: char) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("\\n"),
            c if c == '\\' || c == close => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}
