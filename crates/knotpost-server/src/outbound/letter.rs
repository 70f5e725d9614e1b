//! A letter and its bytes: RFC 5322 headers and a text body that nobody re-wraps.
//!
//! The same letter always gives the same bytes, so that a mail sent again after a crash is the same mail. Knows
//! nothing of why it is written.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::encoding::{crlf_lines, fold, is_7bit, phrase, quoted_printable, text_field};

/// Whether a mail answers another one: RFC 3834, section 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Auto {
    /// Written without being asked by this mail's recipient.
    Generated,
    /// The answer to a mail.
    Replied,
}

/// What a mail says and to whom.
///
/// Addresses are bare (`local@domain`), ids without brackets. Line ends in display texts become blanks; anywhere
/// else they are an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// The name and the address in `From`.
    pub from: (String, String),
    /// The recipient.
    pub to: String,
    /// The Subject, in any script.
    pub subject: String,
    /// The text, in any script, with any line ends.
    pub text: String,
    /// The `Message-ID`.
    pub message_id: String,
    /// The `Date`, in Unix milliseconds.
    pub date: i64,
    /// The mail that this one answers or follows.
    pub in_reply_to: Option<String>,
    /// The thread, oldest first.
    pub references: Vec<String>,
    /// `Auto-Submitted`.
    pub auto: Auto,
    /// What the list is called, and its id (a name of labels and dots).
    pub list_id: Option<(String, String)>,
    /// The address that a reply goes to.
    pub reply_to: Option<String>,
    /// The address by which we know our own mail when it comes back.
    pub x_loop: String,
    /// Where one request ends mails of this kind (RFC 8058).
    pub unsubscribe: Option<String>,
}

/// Why a letter cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// An address that is none, or holds more than an address.
    #[error("the {0} address cannot be written into a mail")]
    Address(&'static str),
    /// An id or a link with characters that end it.
    #[error("the {0} cannot be written into a mail")]
    Id(&'static str),
    /// A time that no calendar has.
    #[error("the date of the mail is out of range")]
    Date,
}

/// Writes a letter as RFC 5322 bytes with CRLF line ends.
///
/// # Errors
/// [`ComposeError`] when an address, an id or the date is not one. Texts are never refused.
pub fn compose(letter: &Letter) -> Result<Vec<u8>, ComposeError> {
    let mut out = headers(letter)?;
    write_text_part(&mut out, &letter.text);
    Ok(out.into_bytes())
}

fn headers(letter: &Letter) -> Result<String, ComposeError> {
    let mut out = String::with_capacity(letter.text.len() + 1024);
    let _ = write!(out, "Date: {}\r\n", rfc5322_date(letter.date)?);
    let from = format!("{} <{}>", phrase(&letter.from.0), address(&letter.from.1, "From")?);
    out.push_str(&fold("From", from.trim_start().split(' ')));
    let _ = write!(out, "To: {}\r\n", address(&letter.to, "To")?);
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
        let _ = write!(out, "List-Unsubscribe: {}\r\n", bracketed(link, "List-Unsubscribe")?);
        out.push_str("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
    }
    out.push_str("MIME-Version: 1.0\r\n");
    Ok(out)
}

/// The content headers and the body of a text part. A part of a multipart is written in just this way.
fn write_text_part(out: &mut String, text: &str) {
    let body = crlf_lines(text);
    let (encoding, body) =
        if is_7bit(&body) { ("7bit", body) } else { ("quoted-printable", quoted_printable(&body)) };
    out.push_str("Content-Type: text/plain; charset=utf-8\r\n");
    let _ = write!(out, "Content-Transfer-Encoding: {encoding}\r\n\r\n");
    out.push_str(&body);
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

fn bracketed(id: &str, field: &'static str) -> Result<String, ComposeError> {
    let plain = !id.is_empty()
        && id.len() <= 900
        && id.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'<' && byte != b'>');
    if plain { Ok(format!("<{id}>")) } else { Err(ComposeError::Id(field)) }
}
