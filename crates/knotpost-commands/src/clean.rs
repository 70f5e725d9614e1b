//! Cleaning of a Subject from additions by mail programs.
//!
//! Encoded words are decoded before. Independent of commands.

use crate::token::unquote;

/// Marks of replies and forwards, in lower case, without the colon.
const MARKS: &[&str] = &[
    "re",
    "aw",
    "antw",
    "antwort",
    "sv",
    "vs",
    "vb",
    "vl",
    "odp",
    "pd",
    "fw",
    "fwd",
    "wg",
    "tr",
    "rv",
    "res",
    "ref",
    "réf",
    "rép",
    "rif",
    "r",
    "i",
    "ext",
    "extern",
    "externe",
    "external",
    "externo",
    "esterno",
    "enc",
    "ynt",
    "ilt",
    "i̇lt",
    "yan",
    "vá",
    "továbbítás",
    "további",
    "bls",
    "blv",
    "trs",
    "fs",
    "atb",
    "ats",
    "doorst",
    "doorgest",
    "rs",
    "fp",
    "nag",
    "confirm",
    "на",
    "отв",
    "ответ",
    "отн",
    "пер",
    "пересл",
    "σχετ",
    "απ",
    "πρθ",
    "תגובה",
    "השב",
    "הועבר",
    "回复",
    "回覆",
    "答复",
    "答覆",
    "回信",
    "转发",
    "轉寄",
    "转寄",
    "轉發",
    "返信",
    "転送",
    "회신",
    "답장",
    "전달",
    "ตอบ",
    "ส่งต่อ",
];

/// Placeholders of mail programs for an empty Subject, in lower case, without brackets.
const NO_SUBJECTS: &[&str] = &[
    "no subject",
    "none",
    "kein betreff",
    "ohne betreff",
    "sans objet",
    "aucun objet",
    "pas de sujet",
    "sin asunto",
    "nessun oggetto",
    "senza oggetto",
    "geen onderwerp",
    "sem assunto",
    "brak tematu",
    "intet emne",
    "ingen emne",
    "inget ämne",
    "ei aihetta",
    "bez předmětu",
    "без темы",
    "无主题",
    "無標題",
    "無主旨",
    "件名なし",
    "無題",
];

/// Words in this server's Subjects at the place of a userid, in lower case.
const STATES: &[&str] = &["error", "queue", "record", "resigned"];
/// Words of a long move: game, `board`, number, userid, password, move.
const WORDS_OF_MOVE: usize = 6;

/// Cleans one line: blanks, reply marks, list tags, lone `**`, typographic quotes and dashes, and words such
/// as `Error` before a userid in a Subject of this server.
///
/// Idempotent; single spaces between words and none around them.
pub fn clean(subject: &str) -> String {
    let text = join_words(&straighten(subject));
    drop_state(strip_marks(&text).trim_end())
}

/// True for a Subject empty but for marks, or a placeholder for an empty one.
pub(crate) fn is_blank(subject: &str) -> bool {
    let cleaned = clean(subject);
    let words = cleaned.trim_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace()).to_lowercase();
    words.is_empty() || NO_SUBJECTS.contains(&words.as_str())
}

pub(crate) fn is_state(word: &str) -> bool {
    STATES.iter().any(|state| word.eq_ignore_ascii_case(state))
}

/// Drops `Error` in `Osbox Board 101 Error ann PASSWORD o1`, where userid, password and move were added to a
/// Subject of this server. With fewer words it may be a userid.
fn drop_state(text: &str) -> String {
    let is_board = text.split(' ').nth(1).is_some_and(|word| word.eq_ignore_ascii_case("board"));
    if !is_board || !text.split(' ').nth(3).is_some_and(is_state) {
        return text.to_owned();
    }
    let mut words: Vec<&str> = text.split(' ').collect();
    let states = words.iter().skip(3).take_while(|word| is_state(word)).count();
    words.drain(3..3 + states.min(words.len().saturating_sub(WORDS_OF_MOVE)));
    words.join(" ")
}

/// Reads a form field as one word: typographic characters folded, one pair of quotes stripped. `None`: it is
/// empty, or holds blanks or control characters.
pub fn read_word(text: &str) -> Option<String> {
    if text.contains(char::is_control) {
        return None;
    }
    let text = straighten(text);
    let is_word = !text.is_empty() && !text.contains(char::is_whitespace);
    is_word.then(|| unquote(&text).to_owned())
}

/// Folds typographic characters to ASCII; drops invisible ones.
fn straighten(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2010}'..='\u{2013}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => out.push('-'),
            '\u{2014}' | '\u{2015}' => out.push_str("--"),
            '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2039}' | '\u{203a}' => out.push('\''),
            '\u{201c}'..='\u{201f}' | '\u{2033}' | '«' | '»' => out.push('"'),
            c if is_invisible(c) => {}
            '：' => out.push(':'),
            '＃' => out.push('#'),
            '＝' => out.push('='),
            '\u{2800}' | '\u{3164}' => out.push(' '),
            c if c.is_whitespace() || c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Joins words with single spaces, without `**`, which only announces a comment.
fn join_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace().filter(|word| *word != "**") {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Strips leading marks and tags. A `**` that comes to the front is stripped here instead of by joining
/// again: a Subject of marks only must not take quadratic time.
fn strip_marks(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let Some(rest) = strip_tag(text)
            .or_else(|| strip_lone(text))
            .or_else(|| strip_mark(text))
            .or_else(|| strip_new(text))
        else {
            return text;
        };
        text = rest;
    }
}

/// The Subject of a board's first mail begins with `New`; a reply to it is an ordinary command.
fn strip_new(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(' ').filter(|(new, _)| new.eq_ignore_ascii_case("new"))?;
    let mut words = rest.split_whitespace().skip(1);
    let is_board = words.next().is_some_and(|word| word.eq_ignore_ascii_case("board"));
    let is_numbered = words.next().is_some_and(|word| word.trim_start_matches('#').parse::<u32>().is_ok());
    (is_board && is_numbered).then_some(rest)
}

fn strip_lone(text: &str) -> Option<&str> {
    text.strip_prefix("**").filter(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn strip_tag(text: &str) -> Option<&str> {
    text.strip_prefix('[')?.split_once(']').map(|(_, rest)| rest)
}

fn strip_mark(text: &str) -> Option<&str> {
    let (head, rest) = text.split_once(':')?;
    let head = head.trim_end();
    let word =
        head.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '[' | ']' | '(' | ')' | '^'));
    let word = word.trim_end();
    // Longer than any mark: avoids folding a long line for nothing.
    if word.len() > 48 || word.contains(' ') {
        return None;
    }
    MARKS.contains(&word.to_lowercase().as_str()).then_some(rest)
}
