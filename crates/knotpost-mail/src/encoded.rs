//! Encoded words (RFC 2047) in a line of text such as the Subject.
//!
//! The bytes of adjacent words of one charset are joined before decoding: many programs split in the middle of a
//! character.

use super::charset::decode_charset;
use super::decode::{decode_base64, decode_quoted};

/// Leaves other text, and a word that cannot be decoded, as it is.
pub(super) fn decode_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pending: Option<Pending> = None;
    let mut rest = text;
    while let Some(at) = rest.find("=?") {
        let (before, from_word) = rest.split_at(at);
        let Some((word, after)) = read_word(from_word) else {
            flush(&mut pending, &mut out);
            out.push_str(before);
            out.push_str("=?");
            rest = from_word.get(2..).unwrap_or_default();
            continue;
        };
        let joins = pending.is_some() && before.chars().all(char::is_whitespace);
        match &mut pending {
            Some(open) if joins && open.continues_in(&word) => open.bytes.extend(word.bytes),
            _ => {
                flush(&mut pending, &mut out);
                if !joins {
                    out.push_str(before);
                }
                pending = Some(Pending { charset: word.charset.to_owned(), bytes: word.bytes });
            }
        }
        rest = after;
    }
    flush(&mut pending, &mut out);
    out.push_str(rest);
    out
}

struct Pending {
    charset: String,
    bytes: Vec<u8>,
}

impl Pending {
    /// False for a charset with escape sequences, whose state is reset in every word.
    fn continues_in(&self, word: &Word<'_>) -> bool {
        let switches = self.charset.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("iso-2022"));
        !switches && self.charset.eq_ignore_ascii_case(word.charset)
    }
}

struct Word<'a> {
    charset: &'a str,
    bytes: Vec<u8>,
}

fn flush(pending: &mut Option<Pending>, out: &mut String) {
    if let Some(Pending { charset, bytes }) = pending.take() {
        out.push_str(&decode_charset(&bytes, Some(&charset)));
    }
}

/// In bytes; RFC 2047 allows 75, but programs write longer ones.
const MAX_WORD: usize = 4096;

/// Parses `=?charset*language?B?text?=` at the start of the text; returns it and the rest.
fn read_word(text: &str) -> Option<(Word<'_>, &str)> {
    let inner = text.strip_prefix("=?")?;
    let (charset, inner) = inner
        .get(..inner.len().min(80))
        .unwrap_or(inner)
        .find('?')
        .and_then(|end| Some((inner.get(..end)?, inner.get(end + 1..)?)))?;
    let (encoding, inner) = (inner.get(..1)?, inner.get(1..)?.strip_prefix('?')?);
    let end =
        inner.bytes().take(MAX_WORD).zip(inner.bytes().skip(1)).position(|pair| pair == (b'?', b'='))?;
    let (code, after) = (inner.get(..end)?, inner.get(end + 2..)?);
    let charset = charset.split('*').next().unwrap_or_default();
    if charset.is_empty() || charset.contains(char::is_whitespace) {
        return None;
    }
    let bytes = match encoding {
        "B" | "b" => decode_base64(code.as_bytes()),
        "Q" | "q" => decode_quoted(code.replace('_', "=20").as_bytes()),
        _ => return None,
    };
    Some((Word { charset, bytes }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined_and_what_is_no_word_stays() {
        for (coded, plain) in [
            ("=?utf-8?Q?caf=C3=A9_noir?=", "café noir"),
            ("=?UTF-8?B?T3Nib3ggY2Fmww==?= =?utf-8?B?qSBub2ly?=", "Osbox café noir"),
            ("a =?iso-8859-1*en?q?=E9?= b", "a é b"),
            ("=?koi8-r?B?8s/T?= =?utf-8?Q?=E2=82=AC?=", "Рос€"),
            ("=?iso-2022-jp?B?GyRCJCIbKEI=?= =?ISO-2022-JP?B?GyRCJCIbKEI=?=", "ああ"),
            ("1 =? 2 ?= 3 =?x?y?z?= =?utf-8?X?a?=", "1 =? 2 ?= 3 =?x?y?z?= =?utf-8?X?a?="),
            ("=?utf-8?Q?a", "=?utf-8?Q?a"),
            ("=?utf-8?Q??=", ""),
        ] {
            assert_eq!(decode_words(coded), plain, "{coded}");
        }
    }
}
