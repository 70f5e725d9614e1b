//! Header and body encodings: RFC 2047 words, folding, quoted-printable.
//!
//! Everything that leaves here is ASCII, bodies in lines of at most 78 bytes, and no input can end a header field.

use std::borrow::Cow;

use memchr::memchr;

/// The preferred length of a line: RFC 5322, section 2.1.1.
const FOLD: usize = 78;
/// The longest encoded word: RFC 2047, section 2.
const MAX_WORD: usize = 75;
/// The longest line of quoted-printable, without the line end.
const MAX_QP: usize = 76;

/// One line without control characters: line ends and tabs become blanks.
pub(super) fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim().to_owned()
}

/// A header field of free text (a Subject), folded and encoded as needed, with its line end.
pub(super) fn text_field(name: &str, text: &str) -> String {
    let line = one_line(text);
    let longest = line.split(' ').map(str::len).max().unwrap_or_default();
    if line.is_ascii() && !line.contains("=?") && longest < FOLD {
        fold(name, line.split(' '))
    } else {
        fold(name, encoded_words(&line, name.len() + 2).iter().map(String::as_str))
    }
}

/// A header field made of words that may stand on lines of their own, with its line end.
pub(super) fn fold<'a>(name: &str, words: impl Iterator<Item = &'a str>) -> String {
    let mut field = format!("{name}:");
    let mut column = field.len();
    for (index, word) in words.enumerate() {
        // Some mail programs take a line of blanks as the end of the field.
        if column + 1 + word.len() > FOLD && index > 0 && !word.is_empty() {
            field.push_str("\r\n");
            column = 0;
        }
        field.push(' ');
        field.push_str(word);
        column += 1 + word.len();
    }
    field.push_str("\r\n");
    field
}

/// A display name: plain, quoted or encoded.
pub(super) fn phrase(name: &str) -> String {
    let name = one_line(name);
    if !name.is_ascii() || name.contains("=?") {
        return encoded_words(&name, 12).join(" ");
    }
    let is_atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~ ".contains(c);
    if name.chars().all(is_atom) {
        return name;
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Encoded words, split between characters; the first leaves room for what precedes it on its line.
fn encoded_words(text: &str, before: usize) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::from(WORD_START);
    let mut room = MAX_WORD.saturating_sub(before);
    for c in text.chars() {
        let mut code = String::new();
        push_q(&mut code, c);
        if word.len() + code.len() + WORD_END.len() > room && word.len() > WORD_START.len() {
            word.push_str(WORD_END);
            words.push(std::mem::replace(&mut word, String::from(WORD_START)));
            room = MAX_WORD;
        }
        word.push_str(&code);
    }
    word.push_str(WORD_END);
    words.push(word);
    words
}

const WORD_START: &str = "=?utf-8?Q?";
const WORD_END: &str = "?=";

/// Leaves only what is safe within a phrase: RFC 2047, section 5 (3).
fn push_q(out: &mut String, c: char) {
    match c {
        ' ' => out.push('_'),
        c if c.is_ascii_alphanumeric() || "!*+-/".contains(c) => out.push(c),
        c => {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                push_hex(out, byte);
            }
        }
    }
}

fn push_hex(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('=');
    for nibble in [byte >> 4, byte & 15] {
        out.push(DIGITS.get(usize::from(nibble)).map_or('0', |digit| char::from(*digit)));
    }
}

/// A body with CRLF line ends, one of them at its end, and without control characters.
pub(super) fn crlf_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 32 + 2);
    for line in text.split_inclusive('\n') {
        let ended = line.strip_suffix('\n');
        let words = ended.map_or(line, |words| words.strip_suffix('\r').unwrap_or(words));
        if may_hold_controls(words) {
            push_without_controls(&mut out, words);
        } else {
            out.push_str(words);
        }
        if ended.is_some() {
            out.push_str("\r\n");
        }
    }
    if !out.ends_with("\r\n") {
        out.push_str("\r\n");
    }
    out
}

/// Controls beyond ASCII all begin with the same byte.
fn may_hold_controls(line: &str) -> bool {
    any(line, |byte| byte.is_ascii_control() || byte == 0xC2)
}

/// Whether there is such a byte. Checks all bytes without an early exit, which vectorises and is faster.
fn any(text: &str, is_such: impl Fn(u8) -> bool) -> bool {
    text.bytes().fold(false, |found, byte| found | is_such(byte))
}

fn push_without_controls(out: &mut String, line: &str) {
    for sign in line.chars() {
        match sign {
            '\r' => out.push_str("\r\n"),
            '\t' => out.push(sign),
            _ if sign.is_control() => {}
            _ => out.push(sign),
        }
    }
}

/// Whether a body of [`crlf_lines`] can be sent without an encoding.
pub(super) fn is_7bit(body: &str) -> bool {
    body.is_ascii() && body.split('\n').all(|line| line.len() <= FOLD + '\r'.len_utf8())
}

/// Appends a text in quoted-printable (RFC 2045, section 6.7), its lines as [`crlf_lines`] has them.
pub(super) fn push_quoted_printable(out: &mut String, text: &str) {
    out.reserve(text.len() + text.len() / 8);
    let text = if may_need_other_lines(text) { Cow::Owned(crlf_lines(text)) } else { Cow::Borrowed(text) };
    let (mut rest, mut is_first) = (text.as_ref(), true);
    while is_first || !rest.is_empty() {
        let end = memchr(b'\n', rest.as_bytes());
        let (line, more) = end.and_then(|end| rest.split_at_checked(end)).unwrap_or((rest, ""));
        quote_line(out, line.strip_suffix('\r').unwrap_or(line));
        out.push_str("\r\n");
        (rest, is_first) = (more.strip_prefix('\n').unwrap_or_default(), false);
    }
}

/// Whether a text has control characters besides its line ends. As [`may_hold_controls`].
fn may_need_other_lines(text: &str) -> bool {
    any(text, |byte| (byte.is_ascii_control() && byte != b'\n') || byte == 0xC2)
}

fn quote_line(out: &mut String, line: &str) {
    let bytes = line.as_bytes();
    // A blank at the end of a line may be lost in transit.
    let end = bytes.len() - usize::from(line.ends_with([' ', '\t']));
    // Nearly always `=` is the only character that must be escaped.
    let is_plain = !any(line, |byte| !stays(byte) && byte != b'=');
    let (mut index, mut column) = (0, 0);
    loop {
        // Copies all that needs no escape, up to the length of a line.
        let room = bytes.get(index..end.min(index + MAX_QP - 1 - column)).unwrap_or_default();
        let other = if is_plain { memchr(b'=', room) } else { room.iter().position(|byte| !stays(*byte)) };
        let run = other.unwrap_or(room.len());
        out.push_str(line.get(index..index + run).unwrap_or_default());
        index += run;
        column += run;
        let Some(byte) = bytes.get(index) else { break };
        let is_full = index < end && stays(*byte);
        if is_full || column + 3 > MAX_QP - 1 {
            out.push_str("=\r\n");
            column = 0;
        }
        if !is_full {
            push_hex(out, *byte);
            index += 1;
            column += 3;
        }
    }
}

/// Whether a byte within a line stands for itself.
fn stays(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'!'..=b'~') && byte != b'='
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted_printable(text: &str) -> String {
        let mut out = String::new();
        push_quoted_printable(&mut out, text);
        out
    }

    #[test]
    fn plain_subjects_stay_plain_and_long_ones_fold() {
        assert_eq!(text_field("Subject", "Osbox Board 1 fred **"), "Subject: Osbox Board 1 fred **\r\n");
        let folded = text_field("Subject", &"word ".repeat(40));
        assert!(folded.lines().count() > 2 && folded.lines().all(|line| line.len() <= FOLD));
        assert_eq!(folded.replace("\r\n ", " "), format!("Subject: {}\r\n", "word ".repeat(40).trim()));
    }

    #[test]
    fn no_text_can_begin_a_second_field() {
        assert_eq!(text_field("Subject", "a\r\nBcc: b"), "Subject: a  Bcc: b\r\n");
        assert_eq!(phrase("a\" <x@y>\r\nBcc: b"), "\"a\\\" <x@y>  Bcc: b\"");
        assert!(phrase("ü\r\nBcc: b").is_ascii());
    }

    #[test]
    fn quoted_printable_keeps_the_lines_of_a_board() {
        assert_eq!(quoted_printable("♜ =\r\n \r\n"), "=E2=99=9C =3D\r\n=20\r\n");
        let long = quoted_printable(&format!("{}\r\n", "ü".repeat(400)));
        assert!(long.lines().all(|line| line.len() <= MAX_QP));
    }

    #[test]
    fn quoted_lines_are_full_and_say_what_the_text_says() {
        let mut seed = 7_u64;
        let mut text = String::new();
        for _ in 0..4_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let signs = ['a', ' ', '=', 'ü', '\t', '♜', '~', '\n'];
            text.extend(signs.get((seed >> 40) as usize % 9).or(Some(&'b')));
        }
        let body = crlf_lines(&text);
        let quoted = quoted_printable(&text);
        let mut read = Vec::new();
        let mut open: Option<&str> = None;
        for line in quoted.split_terminator("\r\n") {
            assert!(line.len() <= MAX_QP && !line.ends_with([' ', '\t']), "{line:?}");
            if let Some(begun) = open {
                // Nothing that would have fitted was put on the next line.
                let first = if line.starts_with('=') { 3 } else { 1 };
                assert!(begun.len() - 1 + first > MAX_QP - 1, "{begun:?} {line:?}");
            }
            let (said, goes_on) = line.strip_suffix('=').map_or((line, false), |said| (said, true));
            let mut rest = said.as_bytes();
            while let [first, more @ ..] = rest {
                let (byte, more) = match (first, more) {
                    (b'=', [high, low, more @ ..]) => {
                        let digits = [*high, *low];
                        let digits = std::str::from_utf8(&digits).unwrap();
                        (u8::from_str_radix(digits, 16).unwrap(), more)
                    }
                    _ => (*first, more),
                };
                read.push(byte);
                rest = more;
            }
            if !goes_on {
                read.extend(b"\r\n");
            }
            open = goes_on.then_some(line);
        }
        assert_eq!(String::from_utf8(read).unwrap(), body);
    }

    proptest::proptest! {
        #[test]
        fn lines_hold_what_the_text_does_without_controls(text in "([ab\u{85}\u{b7}\u{1f}\t]|\r|\n|\r\n){0,40}") {
            let unified = text.replace("\r\n", "\n").replace('\r', "\n");
            let wanted: String = unified.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
            let wanted = wanted.replace('\n', "\r\n");
            let end = if wanted.ends_with("\r\n") { "" } else { "\r\n" };
            proptest::prop_assert_eq!(crlf_lines(&text), format!("{wanted}{end}"));
            proptest::prop_assert_eq!(quoted_printable(&text), quoted_printable(&crlf_lines(&text)));
        }
    }

    #[test]
    fn line_ends_become_one_kind() {
        assert_eq!(crlf_lines("a\nb\r\nc\rd\0"), "a\r\nb\r\nc\r\nd\r\n");
        assert_eq!(crlf_lines("ä\u{85}£\u{a0}\u{9f}♜\n"), "ä£\u{a0}♜\r\n");
        assert_eq!(crlf_lines(""), "\r\n");
    }
}
