//! Transfer encodings and charsets, decoded leniently: mislabelled, truncated, with trailing data.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;

/// Decodes Base64 that may be truncated or followed by the footer of a mailing list.
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

/// Decodes quoted-printable (RFC 2045, section 6.7); an invalid code is left as it is.
///
/// Blanks at line ends are left too: programs that do not encode them mean the `-- ` above a signature.
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

/// The most blanks between the `=` of a soft line break and its line end.
const MAX_PADDING: usize = 80;

pub(super) fn decode_charset(bytes: &[u8], charset: Option<&str>) -> String {
    let name = charset.unwrap_or_default().trim().to_ascii_lowercase();
    let vague = matches!(
        name.as_str(),
        "" | "us-ascii" | "ascii" | "utf-8" | "utf8" | "unknown-8bit" | "x-unknown" | "8bit"
    );
    if vague {
        // Programs that declare no charset send UTF-8; older ones send Windows-1252.
        if let Ok(text) = std::str::from_utf8(bytes) {
            return text.to_owned();
        }
        if name.starts_with("utf") {
            return String::from_utf8_lossy(bytes).into_owned();
        }
    }
    let name = if vague { "windows-1252" } else { name.as_str() };
    charset_decoder(name.as_bytes())
        .map_or_else(|| String::from_utf8_lossy(bytes).into_owned(), |decode| decode(bytes))
}

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

/// Invisible characters without meaning in a command or comment: soft hyphens, zero-width spaces, byte order marks,
/// direction marks. Joiners are kept, because they shape letters and emoji.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Headers as UTF-8; bytes that are not valid UTF-8 are read as Windows-1252, which some programs send unencoded.
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

    #[test]
    fn charsets_are_what_they_say_or_what_they_must_be() {
        for (bytes, charset, text) in [
            (&b"\xe9\x80"[..], Some("iso-8859-1"), "é€"),
            (b"\xe9", None, "é"),
            ("é".as_bytes(), None, "é"),
            ("é".as_bytes(), Some("US-ASCII"), "é"),
            (b"\xf1", Some("koi8-r"), "Я"),
            (b"\xdf", Some("windows-1251"), "Я"),
            (b"\xb1", Some("iso-8859-2"), "ą"),
            (b"\xb9", Some("windows-1250"), "ą"),
            (b"\xa4", Some("iso-8859-15"), "€"),
            (b"\xc4\xe3", Some("gb2312"), "你"),
            (b"\xa4\xa4", Some("big5"), "中"),
            (b"\xb0\xa1", Some("euc-kr"), "가"),
            (b"\x82\xa0", Some("shift_jis"), "あ"),
            (b"\xa4\xa2", Some("euc-jp"), "あ"),
            (b"\x1b$B$\"\x1b(B", Some("iso-2022-jp"), "あ"),
            (b"h\xe9", Some("no such charset"), "h\u{fffd}"),
        ] {
            assert_eq!(decode_charset(bytes, charset), text, "{charset:?}");
        }
    }
}
