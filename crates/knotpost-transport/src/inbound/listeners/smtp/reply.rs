//! The wire format of replies.

use std::fmt::Write as _;

/// RFC 5321, section 4.5.3.1.5, less code, enhanced code and line end.
const MAX_TEXT: usize = 490;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    Ascii,
    Utf8,
}

/// Line ends in the text become blanks.
pub(super) fn write_reply(out: &mut Vec<u8>, code: u16, enhanced: &str, text: &str, charset: Charset) {
    let mut line = String::with_capacity(text.len() + 12);
    let _ = write!(line, "{code} ");
    if !enhanced.is_empty() {
        line.push_str(enhanced);
        line.push(' ');
    }
    let mut length = 0;
    for c in text.chars() {
        length += c.len_utf8();
        if length > MAX_TEXT {
            break;
        }
        line.push(match c {
            c if c.is_control() => ' ',
            c if !c.is_ascii() && charset == Charset::Ascii => '?',
            c => c,
        });
    }
    line.push_str("\r\n");
    out.extend_from_slice(line.as_bytes());
}

pub(super) fn write_lines(out: &mut Vec<u8>, code: u16, lines: &[String]) {
    for (index, line) in lines.iter().enumerate() {
        let mark = if index + 1 == lines.len() { ' ' } else { '-' };
        out.extend_from_slice(format!("{code}{mark}{line}\r\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_one_line_whatever_its_text() {
        let mut out = Vec::new();
        write_reply(&mut out, 550, "5.1.1", "no\r\n250 ok ü", Charset::Ascii);
        assert_eq!(out, b"550 5.1.1 no  250 ok ?\r\n");
        out.clear();
        write_reply(&mut out, 250, "", &"ü".repeat(600), Charset::Utf8);
        assert!(out.len() <= 512 && std::str::from_utf8(&out).is_ok_and(|text| text.ends_with("ü\r\n")));
    }
}
