//! The body of a mail: one text, or alternatives of text and page with the page's pictures (RFC 2046, 2387).
//!
//! Nothing here is random: boundaries follow from the mail's id, so that the same mail is always the same bytes.

use std::borrow::Cow;

use lettre::message::header::{ContentDisposition, ContentId, ContentTransferEncoding, ContentType};
use lettre::message::{Body, MultiPart, SinglePart};
use memchr::memmem;
use sha2::{Digest as _, Sha256};

use super::letter::{ComposeError, bracketed};
use knotpost_core::replies::{Drawn, Letter, PICTURE_ENDS, picture_begins};
use knotpost_platform::secret::to_hex;

/// The text, encoded only where necessary, and then so that ASCII stays readable.
pub(super) fn text(text: &str) -> SinglePart {
    let part = SinglePart::builder().header(ContentType::TEXT_PLAIN);
    match Body::new_with_encoding(crlf_lines(text), ContentTransferEncoding::SevenBit) {
        Ok(body) => part.body(body),
        Err(text) => part.header(ContentTransferEncoding::QuotedPrintable).body(text),
    }
}

/// The text first, the page after it: mail programs show the last form they support.
pub(super) fn alternatives(
    letter: &Letter,
    page: &str,
    pictures: &[Drawn],
) -> Result<MultiPart, ComposeError> {
    let page = SinglePart::builder()
        .header(ContentType::TEXT_HTML)
        .header(ContentTransferEncoding::QuotedPrintable)
        .body(crlf_lines(&without_missing_pictures(page, pictures)));
    let both = multipart("alternative", letter)?.singlepart(text(&letter.text));
    if pictures.is_empty() {
        return Ok(both.singlepart(page));
    }
    let mut related = multipart("related; type=\"text/html\"", letter)?.singlepart(page);
    for (number, picture) in (1..).zip(pictures) {
        let name = format!("board{number}.png");
        let picture = SinglePart::builder()
            .header(content_type(&format!("image/png; name=\"{name}\""))?)
            .header(ContentTransferEncoding::Base64)
            .header(ContentId::from(bracketed(&picture.content_id, "Content-ID")?))
            .header(ContentDisposition::inline_with_name(&name))
            .body(picture.png.to_vec());
        related = related.singlepart(picture);
    }
    Ok(both.multipart(related))
}

/// A multipart of this kind without parts. lettre's own `related` does not say the type of its first part.
fn multipart(kind: &str, letter: &Letter) -> Result<MultiPart, ComposeError> {
    let kind = content_type(&format!("multipart/{kind}; boundary=\"{}\"", boundary(kind, letter)))?;
    Ok(MultiPart::builder().header(kind).build())
}

fn content_type(text: &str) -> Result<ContentType, ComposeError> {
    ContentType::parse(text).map_err(|_| ComposeError::Id("Content-Type"))
}

/// Lines that end in CRLF, without control characters.
fn crlf_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::with_capacity(text.len() + text.len() / 32 + 2);
    for line in text.strip_suffix('\n').unwrap_or(&text).split('\n') {
        out.extend(line.chars().filter(|c| !c.is_control() || *c == '\t'));
        out.push_str("\r\n");
    }
    out
}

/// The page without the images of pictures that could not be drawn.
fn without_missing_pictures<'a>(page: &'a str, pictures: &[Drawn]) -> Cow<'a, str> {
    let mut page = Cow::Borrowed(page);
    let (before, after) = ("<!--picture ", "-->");
    let places =
        memmem::find_iter(page.as_bytes(), before).filter_map(|place| page.get(place + before.len()..));
    let named: Vec<String> =
        places.filter_map(|rest| rest.split_once(after).map(|(id, _)| id.to_owned())).collect();
    for content_id in named {
        if pictures.iter().any(|picture| picture.content_id == content_id) {
            continue;
        }
        let Some((head, rest)) = page.split_once(&picture_begins(&content_id)) else { continue };
        let Some((_, tail)) = rest.split_once(PICTURE_ENDS) else { continue };
        page = Cow::Owned(format!("{head}{tail}"));
    }
    page
}

/// A boundary that occurs in no part: not in the text, and encoded parts never contain `=_`.
fn boundary(level: &str, letter: &Letter) -> String {
    let mut hash = Sha256::new();
    hash.update(level);
    hash.update(&letter.message_id);
    let mut digest = hash.finalize();
    loop {
        let boundary = format!("=_{}", to_hex(digest.get(..15).unwrap_or_default()));
        if !letter.text.contains(&boundary) {
            return boundary;
        }
        digest = Sha256::digest(digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_missing_pictures_leave_the_page() {
        let page = format!(
            "a{}<img>{PICTURE_ENDS}b{}<img>{PICTURE_ENDS}c",
            picture_begins("1@x"),
            picture_begins("2@x")
        );
        let drawn = Drawn { content_id: "2@x".to_owned(), png: [1_u8].as_slice().into() };
        assert_eq!(without_missing_pictures(&page, &[]), "abc");
        assert_eq!(
            without_missing_pictures(&page, &[drawn]),
            format!("ab{}<img>{PICTURE_ENDS}c", picture_begins("2@x"))
        );
    }

    #[test]
    fn lines_hold_what_the_text_does_without_controls() {
        assert_eq!(crlf_lines("a\nb\r\nc\rd\0"), "a\r\nb\r\nc\r\nd\r\n");
        assert_eq!(crlf_lines("ä\u{85}£\t\u{a0}\u{9f}♜ \n\n"), "ä£\t\u{a0}♜ \r\n\r\n");
        assert_eq!(crlf_lines(""), "\r\n");
    }
}
