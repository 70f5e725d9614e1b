//! Texts of users: limited in length, without characters that control a terminal or reorder text.

use std::fmt;
use std::ops::Deref;

/// Characters.
const MAX_COMMENT: usize = 8000;

const CUT: &str = "\n[The rest was cut off: a comment may have 8000 characters.]";

/// A text of a user, fit to be stored and shown: [`limit_comment`] has been applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment(String);

impl Comment {
    /// Applies [`limit_comment`].
    pub fn new(text: &str) -> Self {
        Self(limit_comment(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Comment {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Comment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Applies [`clean_text`] and cuts to 8000 characters, with a note at the end. Idempotent.
pub fn limit_comment(text: &str) -> String {
    let text = clean_text(text);
    let whole = text.strip_suffix(CUT).unwrap_or(&text);
    match whole.char_indices().nth(MAX_COMMENT) {
        None => text,
        Some((end, _)) => format!("{}{CUT}", whole.get(..end).unwrap_or_default().trim_end()),
    }
}

/// Removes control characters but newline and tab, and directional embeddings, overrides and isolates. The
/// marks U+200E and U+200F stay: they affect only neighbours, and Hebrew and Arabic need them. Line ends
/// become `\n`.
pub fn clean_text(text: &str) -> String {
    if !text.contains(is_unwanted) {
        return text.to_owned();
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    lines.chars().filter(|sign| !is_unwanted(*sign)).collect()
}

/// As [`clean_text`], for one line: a name, a Subject.
pub fn clean_line(text: &str) -> String {
    let on_one_line: String =
        text.chars().map(|sign| if matches!(sign, '\n' | '\r' | '\t') { ' ' } else { sign }).collect();
    clean_text(&on_one_line)
}

/// True for characters that control a terminal or reorder text.
pub fn is_unwanted(sign: char) -> bool {
    (sign.is_control() && !matches!(sign, '\n' | '\t'))
        || matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
