//! From what a mail program made of a subject back to the words its user typed.
//!
//! Encoded words are decoded before the text gets here. Nothing here knows any command.

use crate::token::unquote;

/// Words with which mail programs mark replies and forwarded mails, in lower case, without the colon.
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

/// What mail programs write in place of a Subject that was left empty, in lower case, without brackets.
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

/// What stands behind the number of a board in Subjects of this server where other mails have a userid, in lower case.
const STATES: &[&str] = &["error", "queue", "record", "resigned"];
/// The words of a move in the long form: game, `board`, number, userid, password, move.
const WORDS_OF_MOVE: usize = 6;

/// Cleans one line: blanks, reply marks, list tags, lone `**`, typographic quotes and dashes, and words such as `Error`
/// before a userid in a Subject of this server.
///
/// The result has single spaces between words and none around them; cleaning it again changes nothing.
pub fn clean(subject: &str) -> String {
    let text = join_words(&straighten(subject));
    drop_state(strip_marks(&text).trim_end())
}

/// Whether a Subject says nothing: it is empty but for marks, or what mail programs write when it was left empty.
pub(crate) fn is_blank(subject: &str) -> bool {
    let cleaned = clean(subject);
    let words = cleaned.trim_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace()).to_lowercase();
    words.is_empty() || NO_SUBJECTS.contains(&words.as_str())
}

/// Whether a word stands in Subjects of this server where others have a userid.
pub(crate) fn is_state(word: &str) -> bool {
    STATES.iter().any(|state| word.eq_ignore_ascii_case(state))
}

/// `Osbox Board 101 Error ann PASSWORD o1` without `Error`: somebody added userid, password and move to a Subject of
/// this server. Where fewer words follow, the word may be a userid.
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

/// The text of a field as one word of a command: typographic characters folded as in a line, one pair of quotes taken
/// off. `None`: it is empty, or holds blanks or control characters.
pub fn read_word(text: &str) -> Option<String> {
    if text.contains(char::is_control) {
        return None;
    }
    let text = straighten(text);
    let is_word = !text.is_empty() && !text.contains(char::is_whitespace);
    is_word.then(|| unquote(&text).to_owned())
}

/// Folds typographic characters to the ASCII ones they stand for; drops invisible ones.
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

/// One space between words, and no word `**`, which only says that a mail carries a comment.
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

/// The text after all leading marks and tags. A `**` that comes to the front goes as well, here and not by
/// joining the words again: a subject of nothing but marks must not take quadratic time.
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

/// The Subject of the first mail about a board begins with `New`; a reply to it is a command like any other.
fn strip_new(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(' ').filter(|(new, _)| new.eq_ignore_ascii_case("new"))?;
    let mut words = rest.split_whitespace().skip(1);
    let is_board = words.next().is_some_and(|word| word.eq_ignore_ascii_case("board"));
    let is_numbered = words.next().is_some_and(|word| word.trim_start_matches('#').parse::<u32>().is_ok());
    (is_board && is_numbered).then_some(rest)
}

/// `** rest`.
fn strip_lone(text: &str) -> Option<&str> {
    text.strip_prefix("**").filter(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// `[list-tag] rest`.
fn strip_tag(text: &str) -> Option<&str> {
    text.strip_prefix('[')?.split_once(']').map(|(_, rest)| rest)
}

/// `Re: rest`, `RE[2]: rest`, `Re^3: rest`, `RE : rest`.
fn strip_mark(text: &str) -> Option<&str> {
    let (head, rest) = text.split_once(':')?;
    let head = head.trim_end();
    let word =
        head.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '[' | ']' | '(' | ')' | '^'));
    let word = word.trim_end();
    // No mark is longer than a dozen letters, so a long line is not folded to lower case for nothing.
    if word.len() > 48 || word.contains(' ') {
        return None;
    }
    MARKS.contains(&word.to_lowercase().as_str()).then_some(rest)
}
