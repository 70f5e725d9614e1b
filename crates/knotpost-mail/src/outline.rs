//! The parts of a mail as a list, for administrators who investigate a mail, and for finding reports.

use crate::mime::{self, Limit, Part};

const MAX_SECTIONS: usize = 200;
const MAX_DEPTH: usize = 16;

/// A part of a mail; the first one is the mail itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Number of multiparts around it.
    pub depth: usize,
    /// Media type in lower case, such as `text/plain`.
    pub kind: String,
    /// Transfer encoding, one word in lower case.
    pub encoding: Option<String>,
    /// Size of the undecoded body in bytes.
    pub size: usize,
    /// Header fields: names as written, values decoded and on one line.
    pub fields: Vec<(String, String)>,
    /// Decoded text of a text or a machine-readable report; nothing is read beyond 512 KiB of all texts.
    pub text: Option<String>,
}

/// Lists the parts of a mail in order.
///
/// # Errors
/// [`Limit`] if headers are too long or parts are nested too deeply.
pub fn outline(raw: &[u8]) -> Result<Vec<Section>, Limit> {
    let mut budget = mime::MOST_TEXT;
    let section = |(depth, part): (usize, Part<'_>)| {
        let kind = part.media_type();
        let is_readable = kind.starts_with("text/")
            || kind.ends_with("delivery-status")
            || kind.ends_with("feedback-report");
        Section {
            depth,
            encoding: part.transfer_encoding(),
            size: part.size(),
            fields: part.readable_fields(),
            text: is_readable.then(|| part.text(&mut budget)),
            kind,
        }
    };
    Ok(parts(raw)?.into_iter().map(section).collect())
}

/// Returns the body of one part without its transfer encoding, by its index in [`outline`]; `None` beyond the last.
///
/// # Errors
/// As [`outline`].
pub fn body_of(raw: &[u8], index: usize) -> Result<Option<Vec<u8>>, Limit> {
    Ok(parts(raw)?.get(index).map(|(_, part)| part.decoded().into_owned()))
}

/// The parts in order, each with the number of multiparts around it.
fn parts(raw: &[u8]) -> Result<Vec<(usize, Part<'_>)>, Limit> {
    let (mut parts, mut unread) = (Vec::new(), vec![(0, mime::without_envelope_line(raw))]);
    while let Some((depth, raw)) = unread.pop() {
        if depth > MAX_DEPTH {
            return Err(Limit::Depth);
        }
        if parts.len() >= MAX_SECTIONS {
            return Err(Limit::Parts);
        }
        let part = Part::read(raw)?;
        unread.extend(part.children()?.into_iter().rev().map(|child| (depth + 1, child)));
        parts.push((depth, part));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn parts_are_listed_as_they_stand() {
        let raw = b"Subject: =?utf-8?q?gr=C3=BC=C3=9Fe?=\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n\
            --a\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n\
            --b\r\n\r\nplain\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPGI+\r\n--b--\r\n\
            --a\r\nContent-Type: image/png; name=x.png\r\n\r\n123\r\n--a--\r\n";
        let sections = outline(raw).unwrap();
        let seen: Vec<(usize, &str)> =
            sections.iter().map(|section| (section.depth, section.kind.as_str())).collect();
        assert_eq!(
            seen,
            [
                (0, "multipart/mixed"),
                (1, "multipart/alternative"),
                (2, "text/plain"),
                (2, "text/html"),
                (1, "image/png")
            ]
        );
        assert_eq!(sections[0].fields[0], ("Subject".to_owned(), "grüße".to_owned()));
        assert_eq!(sections[3].text.as_deref().map(str::trim), Some("<b>"));
        assert_eq!((sections[4].size, &sections[4].text), (3, &None));
        assert_eq!(body_of(raw, 3).unwrap().as_deref(), Some(b"<b>".as_slice()));
        assert_eq!(body_of(raw, 4).unwrap().as_deref(), Some(b"123".as_slice()));
        assert_eq!(body_of(raw, 5).unwrap(), None);
    }

    #[test]
    fn a_bomb_has_no_outline() {
        let mut raw = Vec::new();
        for level in 0..40 {
            raw.extend_from_slice(
                format!("Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n").as_bytes(),
            );
        }
        assert_eq!(outline(&raw), Err(Limit::Depth));
    }
}
