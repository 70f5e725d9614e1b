//! What a player says with a command: free text of limited length, without characters that steer a terminal or turn the
//! order of what is read.

use std::fmt;
use std::ops::Deref;

/// The longest comment that is kept, in characters.
const MAX_COMMENT: usize = 8000;

const CUT: &str = "\n[The rest was cut off: a comment may have 8000 characters.]";

/// A text of a user that may be stored and shown: [`limit_comment`] has been over it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment(String);

impl Comment {
    /// What of a text is kept.
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

/// Takes out what [`clean_text`] takes out, cuts the rest to 8000 characters and says so at its end. Applied again it
/// changes nothing.
pub fn limit_comment(text: &str) -> String {
    let text = clean_text(text);
    let whole = text.strip_suffix(CUT).unwrap_or(&text);
    match whole.char_indices().nth(MAX_COMMENT) {
        None => text,
        Some((end, _)) => format!("{}{CUT}", whole.get(..end).unwrap_or_default().trim_end()),
    }
}

/// A text without control characters but newline and tab, and without what overrides the direction of writing (embeddings,
/// overrides and isolates). The marks U+200E and U+200F stay: they turn nothing but their neighbours, and Hebrew and
/// Arabic texts need them. Ends of lines become `\n`.
pub fn clean_text(text: &str) -> String {
    if !text.contains(is_unwanted) {
        return text.to_owned();
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    lines.chars().filter(|sign| !is_unwanted(*sign)).collect()
}

/// As [`clean_text`], for what has one line: a name, a Subject.
pub fn clean_line(text: &str) -> String {
    let on_one_line: String =
        text.chars().map(|sign| if matches!(sign, '\n' | '\r' | '\t') { ' ' } else { sign }).collect();
    clean_text(&on_one_line)
}

/// Whether a character steers what shows it, or turns the order of what follows.
pub fn is_unwanted(sign: char) -> bool {
    (sign.is_control() && !matches!(sign, '\n' | '\t'))
        || matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
