//! Transfer encodings and charsets as they come: mislabelled, cut off, with something behind them.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;

/// Base64 as it arrives: with footers of mailing lists behind it, or cut off.
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

pub(super) fn decode_charset(bytes: &[u8], charset: Option<&str>) -> String {
    let name = charset.unwrap_or_default().trim().to_ascii_lowercase();
    let vague = matches!(
        name.as_str(),
        "" | "us-ascii" | "ascii" | "utf-8" | "utf8" | "unknown-8bit" | "x-unknown" | "8bit"
    );
    if vague {
        // Programs that know no better send UTF-8; those before them sent Windows-1252.
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

/// `\n` line ends, no byte order mark, no control characters but line ends and tabs.
pub(super) fn clean_lines(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' => clean.push('\n'),
            '\n' | '\t' => clean.push(c),
            c if c.is_control() => {}
            c => clean.push(c),
        }
    }
    clean
}
