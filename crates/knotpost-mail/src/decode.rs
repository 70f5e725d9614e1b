//! Transfer encodings, decoded leniently: truncated, with trailing data; and the text of headers.

use mail_parser::decoders::base64::base64_decode;

use super::charset::decode_charset;

pub(super) fn decode_base64(body: &[u8]) -> Vec<u8> {
    if let Some(decoded) = base64_decode(body) {
        return decoded;
    }
    let is_code =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\r' | b'\n' | b' ');
    let code = body.split(|byte| !is_code(byte)).next().unwrap_or_default();
    let whole_lines =
        code.iter().rposition(|byte| *byte == b'\n').and_then(|end| code.get(..end)).unwrap_or(code);
    base64_decode(whole_lines).unwrap_or_else(|| body.to_vec())
}

/// Decodes quoted-printable (RFC 2045, section 6.7); an invalid code is left as it is, and so are blanks at line ends:
/// programs that do not encode them mean the `-- ` above a signature.
pub(super) fn decode_quoted(body: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'=' {
            decoded.push(*byte);
        } else if let Some((code, after)) = hex_pair(after) {
            decoded.push(code);
            rest = after;
        } else if let Some(after) = after_soft_break(after) {
            rest = after;
        } else {
            decoded.push(b'=');
        }
    }
    decoded
}

fn hex_pair(text: &[u8]) -> Option<(u8, &[u8])> {
    let [high, low, after @ ..] = text else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let code = digit(*high)? * 16 + digit(*low)?;
    u8::try_from(code).ok().map(|code| (code, after))
}

/// A soft line break may have blanks before its line end; the end of the text counts as a line end.
fn after_soft_break(text: &[u8]) -> Option<&[u8]> {
    let line_end = text.iter().take(MAX_PADDING).position(|byte| !matches!(byte, b' ' | b'\t'));
    match line_end {
        None if text.len() < MAX_PADDING => Some(&[]),
        None => None,
        Some(at) => {
            let after = text.get(at..).unwrap_or_default();
            after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n"))
        }
    }
}

const MAX_PADDING: usize = 80;

/// Converts to `\n` line ends, and removes byte order marks and control characters other than line ends and tabs.
pub(super) fn clean_lines(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' => clean.push('\n'),
            '\n' | '\t' => clean.push(c),
            c if c.is_control() || is_invisible(c) => {}
            c => clean.push(c),
        }
    }
    clean
}

/// Recognises soft hyphens, zero-width spaces, byte order marks, direction marks. Joiners are kept, because they shape
/// letters and emoji.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Reads invalid UTF-8 as Windows-1252, which some programs send unencoded.
pub(super) fn header_text(head: &[u8]) -> Vec<u8> {
    if std::str::from_utf8(head).is_ok() {
        return head.to_vec();
    }
    let lines = head.split_inclusive(|byte| *byte == b'\n');
    lines.flat_map(|line| decode_charset(line, None).into_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_printable_is_read_leniently() {
        for (coded, plain) in [
            ("caf=C3=a9", "café"),
            ("a=\r\nb=\nc= \t\nd=", "abcd"),
            ("100=% =ZZ =4", "100=% =ZZ =4"),
            ("-- \n", "-- \n"),
            ("", ""),
        ] {
            assert_eq!(decode_quoted(coded.as_bytes()), plain.as_bytes(), "{coded:?}");
        }
    }

    #[test]
    fn base64_is_read_as_far_as_it_goes() {
        assert_eq!(decode_base64(b"ZjEyCg=="), b"f12\n");
        assert_eq!(decode_base64(b"ZjEy\nZjEy\n\n-- \nfooter: no code"), b"f12f12");
        assert_eq!(decode_base64(b"ZjEyCgpuaWNlCg\n"), b"f12\n\nnice\n");
    }
}
