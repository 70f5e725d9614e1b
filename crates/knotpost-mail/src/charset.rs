//! Charsets by any of their names, read so that no ASCII is lost, whatever the name says.

use mail_parser::decoders::charsets::map::charset_decoder;

/// Reads valid UTF-8 as UTF-8 under any name; an unknown charset and invalid UTF-8 as Windows-1252.
pub(super) fn decode_charset(bytes: &[u8], charset: Option<&str>) -> String {
    let name = canonical(charset.unwrap_or_default());
    let is_ascii = bytes.is_ascii();
    match name.as_str() {
        // In these charsets every ASCII letter and line end has a NUL.
        "utf-16" | "utf-16le" | "utf-16be" | "utf-32" | "utf-32le" | "utf-32be" => {
            if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() {
                return decode_utf8(bytes);
            }
            return match (name.as_str(), bytes.first()) {
                ("utf-32" | "utf-32le" | "utf-32be", _) => decode_utf32(bytes, &name),
                ("utf-16", Some(0)) => decode(bytes, "utf-16be"),
                (name, _) => decode(bytes, name),
            };
        }
        "utf-7" if is_ascii => return decode_utf7(bytes),
        "iso-2022-kr" if is_ascii => return decode(&unshift_kr(bytes), "euc-kr"),
        "hz-gb-2312" if is_ascii => return decode(&unshift_hz(bytes), "gbk"),
        "iso-2022-cn" | "iso-2022-kr" | "hz-gb-2312" | "utf-7" | "utf-8" | "replacement" | "" => {
            return decode_utf8(bytes);
        }
        _ => {}
    }
    if !is_ascii && is_surely_utf8(bytes, &name) {
        return decode_utf8(bytes);
    }
    match name.as_str() {
        "cp437" => decode_cp437(bytes),
        name => decode(bytes, name),
    }
}

/// Maps names that mail-parser does not know to one it knows: `cp949` and `windows-949` to `euc-kr`.
fn canonical(name: &str) -> String {
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';'));
    let name = name.to_ascii_lowercase().replace('_', "-");
    let known = match name.as_str() {
        "unicode-1-1-utf-7" | "unicode-2-0-utf-7" | "x-unicode-2-0-utf-7" | "csutf7" | "utf7" => "utf-7",
        "csiso2022kr" => "iso-2022-kr",
        "iso-2022-cn-ext" => "iso-2022-cn",
        "hz" | "hzgb2312" => "hz-gb-2312",
        "utf16" | "csutf16" | "unicode" | "csunicode" | "ucs-2" | "iso-10646-ucs-2" => "utf-16",
        "csutf16le" => "utf-16le",
        "csutf16be" => "utf-16be",
        "utf32" | "csutf32" | "ucs-4" | "iso-10646-ucs-4" | "csucs4" => "utf-32",
        "cspc8codepage437" => "cp437",
        "uhc" | "ks-c-5601" | "ksx1001" => "euc-kr",
        "tis620" => "tis-620",
        "latin-1" => "latin1",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    match code_page(&name) {
        Some(65001) => String::new(),
        Some(65000) => "utf-7".to_owned(),
        Some(1200) => "utf-16le".to_owned(),
        Some(1201) => "utf-16be".to_owned(),
        Some(12000) => "utf-32le".to_owned(),
        Some(12001) => "utf-32be".to_owned(),
        Some(932 | 943) => "shift_jis".to_owned(),
        Some(936 | 1386) => "gbk".to_owned(),
        Some(949 | 51949) => "euc-kr".to_owned(),
        Some(950) => "big5".to_owned(),
        Some(54936) => "gb18030".to_owned(),
        Some(874) => "windows-874".to_owned(),
        Some(20866) => "koi8-r".to_owned(),
        Some(21866) => "koi8-u".to_owned(),
        Some(51932) => "euc-jp".to_owned(),
        Some(50220 | 50221) => "iso-2022-jp".to_owned(),
        Some(10000) => "macintosh".to_owned(),
        Some(page @ 28591..=28606) => format!("iso-8859-{}", page - 28590),
        Some(page @ (437 | 850 | 866)) => format!("cp{page}"),
        Some(page @ 1250..=1258) => format!("windows-{page}"),
        _ => name,
    }
}

/// The number in a name such as `cp-850`, `IBM850` or `x-cp1250`.
fn code_page(name: &str) -> Option<u32> {
    let name = name.strip_prefix("x-").unwrap_or(name);
    let number = ["cp", "ibm", "ms", "windows", "dos", "codepage", ""].iter().find_map(|prefix| {
        let rest = name.strip_prefix(prefix)?;
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        rest.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
    })?;
    number.parse().ok()
}

fn decode(bytes: &[u8], name: &str) -> String {
    charset_decoder(name.as_bytes()).map_or_else(|| decode_utf8(bytes), |decode| decode(bytes))
}

/// Reads invalid bytes as Windows-1252, since programs that declare no charset send one of the two.
fn decode_utf8(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push_str(
                &charset_decoder(b"windows-1252").map_or_else(String::new, |read| read(chunk.invalid())),
            );
        }
    }
    text
}

/// Recognises UTF-8 under the name of another charset. A few characters of a two-byte charset may look so by chance,
/// but hardly one of three bytes or several in a row.
fn is_surely_utf8(bytes: &[u8], name: &str) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let has_pairs =
        ["gb", "big5", "euc", "shift", "sjis", "x-sjis", "ks", "chinese", "korean", "x-gbk", "iso-2022"]
            .iter()
            .any(|start| name.starts_with(start));
    !has_pairs
        || text.chars().any(|c| c.len_utf8() > 2)
        || text.chars().filter(|c| !c.is_ascii()).nth(2).is_some()
}

/// UTF-7 (RFC 2152): runs of Base64 between `+` and `-`, or before any other character. An invalid run is left as it
/// is.
fn decode_utf7(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'+' {
            text.push(char::from(byte));
            continue;
        }
        let length = after.iter().take_while(|byte| base64_digit(**byte).is_some()).count();
        let (run, after_run) = after.split_at(length);
        match decode_run(run) {
            Some(decoded) => {
                text.push_str(if run.is_empty() { "+" } else { &decoded });
                rest = after_run.strip_prefix(b"-").unwrap_or(after_run);
                // Only `+-` stands for the sign.
                if run.is_empty() {
                    rest = after.strip_prefix(b"-").unwrap_or(after);
                }
            }
            None => text.push('+'),
        }
    }
    text
}

fn base64_digit(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

/// UTF-16 in Base64 without padding.
fn decode_run(run: &[u8]) -> Option<String> {
    let (mut units, mut bits, mut held) = (Vec::with_capacity(run.len() * 6 / 16), 0_u32, 0);
    for digit in run.iter().filter_map(|byte| base64_digit(*byte)) {
        bits = (bits << 6 | digit) & 0x003f_ffff;
        held += 6;
        if held >= 16 {
            held -= 16;
            units.push(u16::try_from(bits >> held & 0xffff).unwrap_or_default());
        }
    }
    let is_whole = held < 6 && bits & ((1 << held) - 1) == 0;
    if is_whole { String::from_utf16(&units).ok() } else { None }
}

fn decode_utf32(bytes: &[u8], name: &str) -> String {
    let (bytes, is_little) = match bytes {
        [0xff, 0xfe, 0, 0, rest @ ..] => (rest, true),
        [0, 0, 0xfe, 0xff, rest @ ..] => (rest, false),
        // Without a byte order mark it is big-endian (RFC 2781), unless it cannot be.
        _ => (bytes, name == "utf-32le" || (name == "utf-32" && bytes.first() != Some(&0))),
    };
    let (words, _) = bytes.as_chunks::<4>();
    let code = |word: &[u8; 4]| if is_little { u32::from_le_bytes(*word) } else { u32::from_be_bytes(*word) };
    words.iter().map(|word| char::from_u32(code(word)).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// EUC-KR of ISO-2022-KR (RFC 1557): between SO and SI every byte has lost its highest bit.
fn unshift_kr(bytes: &[u8]) -> Vec<u8> {
    let mut is_shifted = false;
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after.strip_prefix(b"$)C").filter(|_| byte == 0x1b).unwrap_or(after);
        match byte {
            0x0e => is_shifted = true,
            0x0f => is_shifted = false,
            0x1b => {}
            // Every line begins in ASCII.
            b'\n' | b'\r' => {
                is_shifted = false;
                out.push(byte);
            }
            0x21..=0x7e if is_shifted => out.push(byte | 0x80),
            byte => out.push(byte),
        }
    }
    out
}

/// GB 2312 of HZ (RFC 1843): between `~{` and `~}` every byte has lost its highest bit; `~~` is a tilde, and `~`
/// before a line end joins lines.
fn unshift_hz(bytes: &[u8]) -> Vec<u8> {
    let mut is_shifted = false;
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.first()) {
            (b'~', Some(sign @ (b'{' | b'}' | b'~' | b'\n'))) => {
                rest = after.get(1..).unwrap_or_default();
                match sign {
                    b'~' => out.push(b'~'),
                    b'\n' => {}
                    sign => is_shifted = *sign == b'{',
                }
            }
            (b'\n' | b'\r', _) => {
                is_shifted = false;
                out.push(byte);
            }
            (0x21..=0x7d, _) if is_shifted => out.push(byte | 0x80),
            _ => out.push(byte),
        }
    }
    out
}

/// The upper half of the character set of the IBM PC.
const CP437: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

fn decode_cp437(bytes: &[u8]) -> String {
    let upper: Vec<char> = CP437.chars().collect();
    let read = |byte: &u8| upper.get(usize::from(byte.wrapping_sub(0x80))).copied().unwrap_or_default();
    bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { read(byte) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (b"h\xe9", Some("no such charset"), "hé"),
            (b"\x82\xa0", Some("cp932"), "あ"),
            (b"\x82\xa0", Some("MS932"), "あ"),
            (b"\xb0\xa1", Some("cp949"), "가"),
            (b"\xb0\xa1", Some("x-windows-949"), "가"),
            (b"\xc4\xe3", Some("CP936"), "你"),
            (b"\xa4\xa4", Some("cp950"), "中"),
            (b"\xa1", Some("cp874"), "ก"),
            (b"\x81\xe1", Some("cp437"), "üß"),
            (b"\x81\xe1", Some("IBM437"), "üß"),
            (b"\x81", Some("cp-850"), "ü"),
            (b"\x81", Some("\"ibm850\";"), "ü"),
            (b"\xdf", Some("x-cp1251"), "Я"),
            (b"a8 \x1b$)C\x0e0!\x0f b", Some("iso-2022-kr"), "a8 가 b"),
            (b"a8 ~{Dc~} ~~b", Some("hz-gb-2312"), "a8 你 ~b"),
            (b"a8 +AOk- b +AOk and +- 1+1", Some("unicode-1-1-utf-7"), "a8 é b é and + 1+1"),
            (b"Hi Mom -+Jjo--!", Some("utf-7"), "Hi Mom -☺-!"),
            (b"\0\0\0a\0\0\0\xe9", Some("utf-32"), "aé"),
            (b"a\0\0\0\xe9\0\0\0", Some("UTF-32LE"), "aé"),
            (b"\xff\xfea\0\xe9\0", Some("utf-16"), "aé"),
            ("é 您".as_bytes(), Some("utf-16"), "é 您"),
            ("a8\n您好".as_bytes(), Some("big5"), "a8\n您好"),
            ("您".as_bytes(), Some("gb2312"), "您"),
            ("grün".as_bytes(), Some("iso-8859-1"), "grün"),
            ("Привет".as_bytes(), Some("gbk"), "Привет"),
            ("ich grüße".as_bytes(), Some("iso-2022-kr"), "ich grüße"),
            (b"gr\xfcn \xc3\xbc", Some("utf-8"), "grün ü"),
            (b"\xd7\xa1 \xb8\xf6", Some("gb2312"), "住 个"),
        ] {
            assert_eq!(decode_charset(bytes, charset), text, "{charset:?}");
        }
    }

    #[test]
    fn a_move_in_ascii_is_read_under_every_name() {
        for name in [
            "utf-7",
            "utf-8",
            "utf-16",
            "utf-16le",
            "utf-16be",
            "utf-32",
            "ucs-2",
            "iso-2022-jp",
            "iso-2022-kr",
            "iso-2022-cn",
            "hz-gb-2312",
            "big5",
            "gb18030",
            "gbk",
            "shift_jis",
            "euc-jp",
            "euc-kr",
            "cp437",
            "cp037",
            "cp9999999999",
            "replacement",
            "x-user-defined",
            "viscii",
            "",
            ";",
            "\"",
            "-",
            "ü",
            "x-",
            "unknown",
        ] {
            assert_eq!(decode_charset(b"a8\r\n-- \r\nf12 (b)", Some(name)), "a8\r\n-- \r\nf12 (b)", "{name}");
        }
    }
}
