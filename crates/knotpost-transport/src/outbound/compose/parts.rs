//! The body of a mail: one text, or alternatives of text and page with the page's pictures (RFC 2046, 2387).
//!
//! Nothing here is random: boundaries follow from the mail's id, so that the same mail is always the same bytes.

use std::borrow::Cow;
use std::fmt::Write as _;

use data_encoding::BASE64_MIME;
use memchr::memmem;
use sha2::{Digest as _, Sha256};

use super::encoding::{crlf_lines, is_7bit, push_quoted_printable};
use super::letter::{ComposeError, bracketed};
use knotpost_core::replies::{Drawn, Letter, PICTURE_ENDS, picture_begins};
use knotpost_platform::secret::to_hex;

/// A text part: its content headers and its body. Encoded only where necessary.
pub(super) fn write_text(out: &mut String, subtype: &str, text: &str) {
    let _ = write!(out, "Content-Type: text/{subtype}; charset=utf-8\r\n");
    let plain = (subtype == "plain").then(|| crlf_lines(text)).filter(|body| is_7bit(body));
    let encoding = if plain.is_some() { "7bit" } else { "quoted-printable" };
    let _ = write!(out, "Content-Transfer-Encoding: {encoding}\r\n\r\n");
    match plain {
        Some(body) => out.push_str(&body),
        None => push_quoted_printable(out, text),
    }
}

/// The text first, the page after it: mail programs show the last form they support.
pub(super) fn write_alternatives(
    out: &mut String,
    letter: &Letter,
    page: &str,
    pictures: &[Drawn],
) -> Result<(), ComposeError> {
    let boundary = boundary("alternative", letter);
    let _ = write!(out, "Content-Type: multipart/alternative;\r\n boundary=\"{boundary}\"\r\n\r\n");
    let _ = write!(out, "--{boundary}\r\n");
    write_text(out, "plain", &letter.text);
    let _ = write!(out, "\r\n--{boundary}\r\n");
    let page = without_missing_pictures(page, pictures);
    if pictures.is_empty() {
        write_text(out, "html", &page);
    } else {
        write_related(out, letter, &page, pictures)?;
    }
    let _ = write!(out, "\r\n--{boundary}--\r\n");
    Ok(())
}

/// A page with the pictures it names.
fn write_related(
    out: &mut String,
    letter: &Letter,
    page: &str,
    pictures: &[Drawn],
) -> Result<(), ComposeError> {
    let boundary = boundary("related", letter);
    let _ = write!(
        out,
        "Content-Type: multipart/related; type=\"text/html\";\r\n boundary=\"{boundary}\"\r\n\r\n--{boundary}\r\n"
    );
    write_text(out, "html", page);
    for (number, picture) in (1..).zip(pictures) {
        let content_id = bracketed(&picture.content_id, "Content-ID")?;
        let _ = write!(
            out,
            "\r\n--{boundary}\r\nContent-Type: image/png; name=\"board{number}.png\"\r\n\
             Content-Transfer-Encoding: base64\r\nContent-ID: {content_id}\r\n\
             Content-Disposition: inline; filename=\"board{number}.png\"\r\n\r\n"
        );
        BASE64_MIME.encode_append(&picture.png, out);
    }
    let _ = write!(out, "\r\n--{boundary}--\r\n");
    Ok(())
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

/// A boundary that occurs in no part: authors do not know the mail's id in advance, and encoded parts never contain
/// `=_`.
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
    fn base64_comes_in_lines() {
        let mut out = String::new();
        BASE64_MIME.encode_append(&[0; 100], &mut out);
        assert_eq!(out.lines().map(str::len).collect::<Vec<_>>(), [76, 60]);
    }
}
