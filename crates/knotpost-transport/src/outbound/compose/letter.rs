//! Writes a letter as bytes: RFC 5322 headers and a text body that is never re-wrapped.
//!
//! The same letter always gives the same bytes, so that a mail sent again after a crash is the same mail. Knows
//! nothing of what the letter is about.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::encoding::{fold, phrase, text_field};
use super::parts::{write_alternatives, write_text};
use knotpost_core::replies::{Auto, Drawn, Letter};

/// Why a letter cannot be written.
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
    let mut out = headers(letter)?;
    match &letter.html {
        None => write_text(&mut out, "plain", &letter.text),
        Some(page) => write_alternatives(&mut out, letter, page, pictures)?,
    }
    Ok(out.into_bytes())
}

fn headers(letter: &Letter) -> Result<String, ComposeError> {
    let mut out = String::with_capacity(letter.text.len() + 1024);
    let _ = write!(out, "Date: {}\r\n", rfc5322_date(letter.date)?);
    let from = format!("{} <{}>", phrase(&letter.from.0), address(&letter.from.1, "From")?);
    out.push_str(&fold("From", from.trim_start().split(' ')));
    let to = address(&letter.to, "To")?;
    match &letter.to_name {
        Some(name) => {
            out.push_str(&fold("To", format!("{} <{to}>", phrase(name)).trim_start().split(' ')));
        }
        None => {
            let _ = write!(out, "To: {to}\r\n");
        }
    }
    if let Some(reply_to) = &letter.reply_to {
        let _ = write!(out, "Reply-To: {}\r\n", address(reply_to, "Reply-To")?);
    }
    out.push_str(&text_field("Subject", &letter.subject));
    let _ = write!(out, "Message-ID: {}\r\n", bracketed(&letter.message_id, "Message-ID")?);
    if let Some(id) = &letter.in_reply_to {
        let _ = write!(out, "In-Reply-To: {}\r\n", bracketed(id, "In-Reply-To")?);
    }
    if !letter.references.is_empty() {
        let ids: Vec<String> =
            letter.references.iter().map(|id| bracketed(id, "References")).collect::<Result<_, _>>()?;
        out.push_str(&fold("References", ids.iter().map(String::as_str)));
    }
    out.push_str(match letter.auto {
        Auto::Generated => "Auto-Submitted: auto-generated\r\n",
        Auto::Replied => "Auto-Submitted: auto-replied\r\n",
    });
    out.push_str("X-Auto-Response-Suppress: All\r\n");
    let _ = write!(out, "X-Loop: {}\r\n", address(&letter.x_loop, "X-Loop")?);
    if let Some((name, id)) = &letter.list_id {
        let list = format!("{} {}", phrase(name), bracketed(id, "List-Id")?);
        out.push_str(&fold("List-Id", list.trim_start().split(' ')));
    }
    if let Some(link) = &letter.unsubscribe {
        let by_mail = match &letter.unsubscribe_to {
            Some(to) => format!("<mailto:{}?subject=unsubscribe>", address(to, "List-Unsubscribe")?),
            None => String::new(),
        };
        let page = bracketed(link, "List-Unsubscribe")?;
        let ways = [by_mail, page].into_iter().filter(|way| !way.is_empty()).collect::<Vec<_>>().join(", ");
        out.push_str(&fold("List-Unsubscribe", ways.split(' ')));
        out.push_str("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
    }
    out.push_str("MIME-Version: 1.0\r\n");
    Ok(out)
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
