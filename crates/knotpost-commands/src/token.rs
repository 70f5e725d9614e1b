//! Tokens of a clean line: words and options.
//!
//! Knows the shape of options, not their names.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    /// Without surrounding quotes.
    pub(crate) text: &'a str,
    /// Index among all blank-separated pieces of the line.
    pub(crate) place: usize,
}

/// Dashes of an option; they indicate its kind, which is tried first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dashes {
    /// `-name`: the game's.
    One,
    /// `--name`: the server's.
    Two,
}

#[derive(Clone, Copy)]
pub(crate) struct RawOption<'a> {
    pub(crate) dashes: Dashes,
    pub(crate) name: &'a str,
    pub(crate) value: Option<&'a str>,
}

pub(crate) struct Line<'a> {
    pub(crate) words: Vec<Word<'a>>,
    pub(crate) options: Vec<RawOption<'a>>,
}

/// Splits a clean line. The lone words `-` and `--` are words.
pub(crate) fn split_line(line: &str) -> Line<'_> {
    let mut words = Vec::new();
    let mut options = Vec::new();
    for (place, piece) in line.split_whitespace().enumerate() {
        let text = unquote(piece);
        match read_option(text) {
            Some(option) => options.push(option),
            None => words.push(Word { text, place }),
        }
    }
    Line { words, options }
}

/// Reads `-name`, `--name`, `-name=value`; `None` for a word.
pub(crate) fn read_option(piece: &str) -> Option<RawOption<'_>> {
    let body = piece.trim_start_matches('-');
    if body.len() == piece.len() || body.is_empty() {
        return None;
    }
    let dashes = if piece.len() - body.len() == 1 { Dashes::One } else { Dashes::Two };
    let (name, value) = match body.split_once('=') {
        Some((name, value)) => (name, Some(unquote(value))),
        None => (body, None),
    };
    Some(RawOption { dashes, name, value })
}

/// Strips one pair of quotes, which nothing in the language contains.
pub(crate) fn unquote(piece: &str) -> &str {
    let inner =
        |quote: char| piece.strip_prefix(quote)?.strip_suffix(quote).filter(|inner| !inner.is_empty());
    inner('"').or_else(|| inner('\'')).or_else(|| inner('`')).unwrap_or(piece)
}
