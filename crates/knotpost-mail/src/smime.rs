//! The content of an opaque signed S/MIME mail (RFC 8551, section 3.5.2). The signature is not checked, and the
//! encoding (X.690) is read only as far as needed.

/// The object identifier of signed data, `1.2.840.113549.1.7.2`, with its tag and length.
const SIGNED_DATA: &[u8] = &[0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];
const OCTETS: u8 = 0x04;
const PIECES: u8 = 0x24;
const SEQUENCE: u8 = 0x30;
const TAGGED: u8 = 0xa0;
/// Levels of nested strings.
const MAX_DEPTH: usize = 4;

/// `None` for bytes that are no signed data, or have no content.
pub(super) fn signed_content(bytes: &[u8]) -> Option<Vec<u8>> {
    // ContentInfo, its type, and the SignedData in it.
    let info = enter(bytes, SEQUENCE)?;
    let data = enter(enter(info.strip_prefix(SIGNED_DATA)?, TAGGED)?, SEQUENCE)?;
    // Version, digest algorithms, and what was signed: its type and the content.
    let encapsulated = enter(skip(skip(data)?)?, SEQUENCE)?;
    let content = enter(skip(encapsulated)?, TAGGED)?;
    let mut whole = Vec::new();
    collect(content, MAX_DEPTH, &mut whole)?;
    (!whole.is_empty()).then_some(whole)
}

struct Element<'a> {
    tag: u8,
    /// Reaches to the end of the bytes if its length is indefinite or the bytes are cut.
    content: &'a [u8],
    /// Bytes after the content; `None` if known only after reading it.
    after: Option<&'a [u8]>,
}

fn read(bytes: &[u8]) -> Option<Element<'_>> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    if tag & 0x1f == 0x1f {
        return None;
    }
    if first == 0x80 {
        return Some(Element { tag, content: rest, after: None });
    }
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        if digits.len() > 4 {
            return None;
        }
        (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
    };
    let (content, after) = rest.split_at(length.min(rest.len()));
    Some(Element { tag, content, after: Some(after) })
}

fn enter(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    read(bytes).filter(|element| element.tag == tag).map(|element| element.content)
}

/// Skips an element of definite length.
fn skip(bytes: &[u8]) -> Option<&[u8]> {
    read(bytes)?.after
}

/// Appends a string, which may come in pieces; returns what follows it.
fn collect<'a>(bytes: &'a [u8], depth: usize, whole: &mut Vec<u8>) -> Option<&'a [u8]> {
    let element = read(bytes)?;
    match element.tag {
        OCTETS => {
            whole.extend_from_slice(element.after.and(Some(element.content))?);
            element.after
        }
        PIECES if depth > 0 => {
            let mut rest = element.content;
            while !(rest.is_empty() || element.after.is_none() && rest.starts_with(&[0, 0])) {
                rest = collect(rest, depth - 1, whole)?;
            }
            element.after.or_else(|| rest.get(2..))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrap(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = content.len();
        let length =
            if length < 0x80 { vec![length as u8] } else { vec![0x82, (length >> 8) as u8, length as u8] };
        [&[tag], &length[..], content].concat()
    }

    fn indefinite(tag: u8, content: &[u8]) -> Vec<u8> {
        [&[tag, 0x80], content, &[0, 0]].concat()
    }

    fn signed(content: &[u8], outer: fn(u8, &[u8]) -> Vec<u8>) -> Vec<u8> {
        let kind = wrap(0x06, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01]);
        let encapsulated = outer(SEQUENCE, &[kind, outer(TAGGED, content)].concat());
        let data =
            outer(SEQUENCE, &[wrap(0x02, &[1]), wrap(0x31, &[]), encapsulated, wrap(0x31, &[])].concat());
        outer(SEQUENCE, &[SIGNED_DATA, &outer(TAGGED, &data)].concat())
    }

    #[test]
    fn the_content_is_found_in_every_encoding_of_lengths() {
        let text = b"Content-Type: text/plain\r\n\r\na8\r\n".repeat(9);
        for outer in [wrap, indefinite] {
            assert_eq!(signed_content(&signed(&wrap(OCTETS, &text), outer)), Some(text.clone()));
            let (one, two) = text.split_at(70);
            let pieces = [wrap(OCTETS, one), wrap(OCTETS, two)].concat();
            assert_eq!(signed_content(&signed(&indefinite(PIECES, &pieces), outer)), Some(text.clone()));
            assert_eq!(signed_content(&signed(&wrap(PIECES, &pieces), outer)), Some(text.clone()));
        }
        let enveloped = wrap(SEQUENCE, &[0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x03]);
        assert_eq!(signed_content(&enveloped), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = signed_content(&bytes);
            let _ = signed_content(&signed(&bytes, wrap));
            let _ = signed_content(&signed(&bytes, indefinite));
        }
    }
}
