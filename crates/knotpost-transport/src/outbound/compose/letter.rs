//! Writes a letter as bytes: RFC 5322 headers and a text body that is never re-wrapped. lettre encodes and folds.
//!
//! The same letter always gives the same bytes, so that a mail sent again after a crash is the same mail. Knows
//! nothing of what the letter is about.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lettre::Address;
use lettre::message::header::{self, HeaderName, HeaderValue, Headers};
use lettre::message::{Mailbox, Mailboxes};

use super::parts::{alternatives, text};
use knotpost_core::replies::{Auto, Drawn, Letter};

/// Reason why a letter cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// Not a valid address, or more than one.
    #[error("the {0} address cannot be written into a mail")]
    Address(&'static str),
    /// An id or a link with characters that end it.
    #[error("the {0} cannot be written into a mail")]
    Id(&'static str),
    /// A time outside the calendar's range.
    #[error("the date of the mail is out of range")]
    Date,
}

/// Writes a letter as RFC 5322 bytes with CRLF line ends: the text alone, or the text and the page as alternatives,
/// the page with those of its pictures that are given.
///
/// # Errors
/// [`ComposeError`] when an address, an id or the date is not one. Texts are never refused.
pub fn compose(letter: &Letter, pictures: &[Drawn]) -> Result<Vec<u8>, ComposeError> {
    let mut out = headers(letter)?.to_string().into_bytes();
    match &letter.html {
        None => {
            out.extend(text(&letter.text).formatted());
            // The text ends with a line end, and lettre adds another.
            out.truncate(out.len() - 2);
        }
        Some(page) => out.extend(alternatives(letter, page, pictures)?.formatted()),
    }
    Ok(out)
}

fn headers(letter: &Letter) -> Result<Headers, ComposeError> {
    let mut out = Headers::new();
    out.insert_raw(field("Date", rfc5322_date(letter.date)?));
    out.set(mailbox::<header::From>(&letter.from.0, &letter.from.1, "From")?);
    out.set(mailbox::<header::To>(letter.to_name.as_deref().unwrap_or_default(), &letter.to, "To")?);
    if let Some(reply_to) = &letter.reply_to {
        out.insert_raw(field("Reply-To", address(reply_to, "Reply-To")?.to_owned()));
    }
    // Text that looks like an encoded word would be decoded by readers.
    out.insert_raw(field("Subject", one_line(&letter.subject).replace("=?", "= ?")));
    out.insert_raw(field("Message-ID", bracketed(&letter.message_id, "Message-ID")?));
    if let Some(id) = &letter.in_reply_to {
        out.insert_raw(field("In-Reply-To", bracketed(id, "In-Reply-To")?));
    }
    if !letter.references.is_empty() {
        let ids = letter.references.iter().map(|id| bracketed(id, "References"));
        out.insert_raw(field("References", ids.collect::<Result<Vec<_>, _>>()?.join(" ")));
    }
    let auto = match letter.auto {
        Auto::Generated => "auto-generated",
        Auto::Replied => "auto-replied",
    };
    out.insert_raw(field("Auto-Submitted", auto.to_owned()));
    out.insert_raw(field("X-Auto-Response-Suppress", "All".to_owned()));
    out.insert_raw(field("X-Loop", address(&letter.x_loop, "X-Loop")?.to_owned()));
    if let Some((name, id)) = &letter.list_id {
        // A phrase without the characters that would have to be quoted.
        let name = one_line(&name.replace(|c: char| "()<>[]:;@\\,.\"=".contains(c), " "));
        let list = format!("{name} {}", bracketed(id, "List-Id")?);
        out.insert_raw(field("List-Id", list.trim_start().to_owned()));
    }
    if let Some(link) = &letter.unsubscribe {
        let page = bracketed(link, "List-Unsubscribe")?;
        let ways = match &letter.unsubscribe_to {
            Some(to) => format!("<mailto:{}?subject=unsubscribe>, {page}", address(to, "List-Unsubscribe")?),
            None => page,
        };
        out.insert_raw(field("List-Unsubscribe", ways));
        out.insert_raw(field("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()));
    }
    out.set(header::MIME_VERSION_1_0);
    Ok(out)
}

/// A header field, folded between words and encoded where it is not ASCII.
fn field(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
}

/// An address, with the name where there is one.
fn mailbox<T: From<Mailboxes>>(name: &str, text: &str, field: &'static str) -> Result<T, ComposeError> {
    let (local, domain) = address(text, field)?.split_once('@').ok_or(ComposeError::Address(field))?;
    let name = Some(one_line(name)).filter(|name| !name.is_empty());
    // lettre's own rules are stricter than those by which addresses are taken.
    Ok(Mailboxes::from(Mailbox::new(name, Address::new_dangerous(local, domain))).into())
}

/// One line, its words parted by one blank each: of several, those between encoded words would be lost.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

fn rfc5322_date(milliseconds: i64) -> Result<String, ComposeError> {
    let timestamp = Timestamp::from_millisecond(milliseconds).map_err(|_| ComposeError::Date)?;
    jiff::fmt::rfc2822::to_string(&timestamp.to_zoned(TimeZone::UTC)).map_err(|_| ComposeError::Date)
}

fn address<'a>(text: &'a str, field: &'static str) -> Result<&'a str, ComposeError> {
    let plain = text.chars().all(|c| !c.is_control() && !c.is_whitespace() && !"<>()[]\\,;:\"".contains(c));
    let whole = text
        .split_once('@')
        .is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty() && !domain.contains('@'));
    if plain && whole && text.len() <= 320 { Ok(text) } else { Err(ComposeError::Address(field)) }
}

pub(super) fn bracketed(id: &str, field: &'static str) -> Result<String, ComposeError> {
    let plain = !id.is_empty()
        && id.len() <= 900
        && id.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'<' && byte != b'>');
    if plain { Ok(format!("<{id}>")) } else { Err(ComposeError::Id(field)) }
}
