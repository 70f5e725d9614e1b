//! From bytes to a [`Message`]: decoded and unfolded headers, and the text that a person would read.
//!
//! Every mail gives a value; other bytes give [`Broken`].

use core::net::IpAddr;

use mail_parser::{HeaderName, HeaderValue};

use super::encoded::decode_words;
pub use super::mime::Sealed;
use super::mime::{self, Found, Limit, Part};
use super::reaction;
use super::received::client_address;
use super::signs;
use super::trimmings;

/// The error of bytes that are no mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Without any header field.
    #[error("the message has no headers")]
    NoHeaders,
    /// With a header line that neither begins nor continues a field.
    #[error("the message has a line in its header that is no header field")]
    NoField,
    /// Beyond a limit, so that a malicious mail costs no more than an ordinary one.
    #[error("the message has {0}")]
    Limit(#[from] Limit),
}

/// The facts of a mail for the later stages. Addresses are bare (`local@domain`), ids without brackets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// Addresses of all `From` headers, in order.
    pub from: Vec<String>,
    /// Address in `Sender`.
    pub sender: Option<String>,
    /// Addresses in `Reply-To`.
    pub reply_to: Vec<String>,
    /// Addresses in `To` and `Cc`.
    pub to: Vec<String>,
    /// Envelope recipients that mail servers recorded: `Delivered-To`, `X-Original-To`, `Envelope-To`.
    pub delivered_to: Vec<String>,
    /// First `Subject`, decoded and on one line; empty without one.
    pub subject: String,
    /// Id in `Message-ID`.
    pub message_id: Option<String>,
    /// Ids in `In-Reply-To`.
    pub in_reply_to: Vec<String>,
    /// Ids in `References`, oldest first.
    pub references: Vec<String>,
    /// `Date` in Unix milliseconds, if it parses.
    pub date: Option<i64>,
    /// `Date` as written.
    pub date_raw: Option<String>,
    /// Readable text with `\n` line ends, quotes included: plain text if there is any, else converted HTML, whose
    /// quotes are marked with `>`. `None` without a readable part.
    pub text: Option<String>,
    /// Form that hides some or all of the words.
    pub sealed: Option<Sealed>,
    /// True for nothing but an emoji or a word of approval that a program sent for a person.
    pub is_reaction: bool,
    /// `Return-Path`; an empty string stands for `<>`.
    pub return_path: Option<String>,
    /// First word of `Auto-Submitted`, in lower case.
    pub auto_submitted: Option<String>,
    /// `Precedence`, in lower case.
    pub precedence: Option<String>,
    /// `List-Id`.
    pub list_id: Option<String>,
    /// Name of another mailing list header, in lower case, such as `list-post` or `mailing-list`.
    pub list_header: Option<String>,
    /// All `X-Loop` headers.
    pub x_loop: Vec<String>,
    /// Lower-case name of a header that marks an automatic reply.
    pub machine_sign: Option<String>,
    /// Kind of report, such as `delivery-status`; empty if the mail does not say.
    pub report_type: Option<String>,
    /// Number of `Received` headers.
    pub received_count: usize,
    /// Client address in each `Received`, topmost first; `None` if it names none.
    pub received_from: Vec<Option<IpAddr>>,
    /// All `Authentication-Results`, topmost first.
    pub authentication_results: Vec<String>,
}

impl Message {
    /// Returns the author, if there is exactly one.
    pub fn author(&self) -> Option<&str> {
        match self.from.as_slice() {
            [author] => Some(author),
            _ => None,
        }
    }

    /// Returns the return path for transports without an envelope: `Return-Path`, or else the author; `None` is the
    /// null path.
    pub fn envelope_sender(&self) -> Option<&str> {
        match self.return_path.as_deref() {
            Some("") => None,
            Some(path) => Some(path),
            None => self.from.first().map(String::as_str),
        }
    }
}

/// Most `Received` fields that are read; more of them mean a mail loop.
const MOST_HOPS: usize = 32;

/// Reads a mail.
///
/// # Errors
/// [`Broken`] without headers, with a line among them that is none, or beyond a limit.
pub fn parse(raw: &[u8]) -> Result<Message, Broken> {
    let raw = mime::without_envelope_line(raw);
    let root = Part::read(raw)?;
    let mut message = Message::default();
    let mut seen = Seen::default();
    for field in root.fields() {
        take_field(&mut message, &mut seen, &field);
    }
    if !seen.any {
        return Err(Broken::NoHeaders);
    }
    if !mime::has_fields_only(raw) {
        return Err(Broken::NoField);
    }
    message.report_type = root.report_type();
    let Found { text, sealed, is_reaction } = mime::read_text(&root)?;
    message.is_reaction = is_reaction || text.as_deref().is_some_and(reaction::is_reaction);
    message.sealed =
        sealed.or_else(|| trimmings::holds_ciphertext(text.as_deref()?).then_some(Sealed::Encrypted));
    message.text = text;
    Ok(message)
}

#[derive(Default)]
struct Seen {
    any: bool,
    subject: bool,
}

fn take_field(message: &mut Message, seen: &mut Seen, field: &mime::Field<'_>) {
    seen.any = true;
    match field.name {
        HeaderName::From => message.from.extend(addresses(field.value)),
        HeaderName::Sender => message.sender = addresses(field.value).next(),
        HeaderName::ReplyTo => message.reply_to.extend(addresses(field.value)),
        HeaderName::To | HeaderName::Cc => message.to.extend(addresses(field.value)),
        HeaderName::Subject if !seen.subject => {
            seen.subject = true;
            message.subject = unfold(&decode_words(&unfold(&field.raw)));
        }
        HeaderName::MessageId if message.message_id.is_none() => message.message_id = ids(field.value).pop(),
        HeaderName::InReplyTo => message.in_reply_to = ids(field.value),
        HeaderName::References => message.references = ids(field.value),
        HeaderName::Date if message.date_raw.is_none() => {
            message.date_raw = Some(unfold(&field.raw));
            message.date = field
                .value
                .as_datetime()
                .filter(|date| date.is_valid())
                .map(|date| date.to_timestamp() * 1000);
        }
        // The server that delivered the mail wrote its own on top.
        HeaderName::ReturnPath if message.return_path.is_none() => {
            message.return_path = Some(unfold(&field.raw).trim_matches(['<', '>', ' ']).to_owned());
        }
        HeaderName::ListId => message.list_id = Some(unfold(&field.raw)),
        HeaderName::Received => {
            message.received_count += 1;
            if message.received_from.len() < MOST_HOPS {
                message.received_from.push(client_address(&unfold(&field.raw)));
            }
        }
        HeaderName::AuthenticationResults => message.authentication_results.push(unfold(&field.raw)),
        _ => take_mark(message, field),
    }
}

/// Reads the headers of automatic mail, most of which mail-parser does not know by name.
fn take_mark(message: &mut Message, field: &mime::Field<'_>) {
    let value = unfold(&field.raw);
    let name = field.name.as_str().to_ascii_lowercase();
    if message.machine_sign.is_none() && signs::is_of_machine(&name, &value) {
        message.machine_sign = Some(name.clone());
    }
    match name.as_str() {
        "auto-submitted" => {
            let word = value.split([';', ' ', '(']).next().unwrap_or_default();
            message.auto_submitted = Some(word.to_ascii_lowercase());
        }
        "precedence" => message.precedence = Some(value.to_ascii_lowercase()),
        "x-loop" => message.x_loop.push(value),
        name @ ("mailing-list" | "x-mailing-list" | "x-listname") => {
            message.list_header = Some(name.to_owned());
        }
        name if name.starts_with("list-") => message.list_header = Some(name.to_owned()),
        "delivered-to" | "x-original-to" | "envelope-to" => {
            let noted = value.split(',').map(|address| address.trim_matches(['<', '>', ' ']).to_owned());
            message.delivered_to.extend(noted.filter(|address| !address.is_empty()));
        }
        _ => {}
    }
}

fn addresses<'a>(value: &'a HeaderValue<'_>) -> impl Iterator<Item = String> + 'a {
    value
        .as_address()
        .into_iter()
        .flat_map(mail_parser::Address::iter)
        .filter_map(|addr| addr.address.as_deref())
        .map(unfold)
        .filter(|address| !address.is_empty())
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    match value {
        HeaderValue::Text(id) => vec![unfold(id)],
        HeaderValue::TextList(list) => list.iter().map(|id| unfold(id)).collect(),
        _ => Vec::new(),
    }
}

/// Unfolds to one line: a fold and the blanks after it become one blank, tabs become blanks, other control characters
/// go.
fn unfold(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut folded = false;
    for c in text.trim().chars() {
        match c {
            '\n' => folded = true,
            ' ' | '\t' if folded => {}
            '\t' => line.push(' '),
            c if c.is_control() => {}
            c => {
                if std::mem::take(&mut folded) {
                    line.push(' ');
                }
                line.push(c);
            }
        }
    }
    line
}
