//! The parts of a mail, and the choice of its text.
//!
//! It walks the tree of parts within limits; mail-parser reads single headers, transfer encodings and charsets.

use std::borrow::Cow;

use mail_parser::{ContentType, Header, HeaderName, HeaderValue, MessageParser};

use super::charset::decode_charset;
use super::decode::{clean_lines, decode_base64, decode_quoted, header_text};
use super::extract::extract;
use super::{enriched, flowed, html, smime};

const MAX_HEADER_BYTES: usize = 128 * 1024;
const MAX_FIELDS: usize = 500;
const MAX_FIELD_BYTES: usize = 32 * 1024;
const MAX_PARTS: usize = 200;
const MAX_DEPTH: usize = 16;
/// Levels that an S/MIME content counts for, since it is copied: it nests once at most.
const SMIME_DEPTH: usize = 8;
/// Bytes of all texts together, still encoded; the rest is not read.
pub(super) const MOST_TEXT: usize = 512 * 1024;

/// A limit that a mail exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Limit {
    /// More than 128 KiB of header, or a field of more than 32 KiB.
    #[error("headers that are too long")]
    HeaderLength,
    /// More than 500 fields in a header.
    #[error("too many headers")]
    HeaderCount,
    /// More than 200 parts.
    #[error("too many parts")]
    Parts,
    /// Parts nested more than 16 deep.
    #[error("parts nested too deeply")]
    Depth,
}

/// A header field: its name, its value as mail-parser reads it, and its source.
pub(super) struct Field<'a> {
    pub(super) name: &'a HeaderName<'a>,
    pub(super) value: &'a HeaderValue<'a>,
    pub(super) raw: Cow<'a, str>,
}

/// A mail or a part of one, its body not yet parsed.
pub(super) struct Part<'x> {
    /// Header in UTF-8, followed by an empty line.
    head: Vec<u8>,
    headers: Vec<Header<'static>>,
    body: &'x [u8],
}

/// Kind of report to which a machine-readable part of this type belongs.
fn report_part(media_type: &str) -> Option<&'static str> {
    match media_type {
        "message/delivery-status" | "message/global-delivery-status" => Some("delivery-status"),
        "message/disposition-notification" => Some("disposition-notification"),
        "message/feedback-report" => Some("feedback-report"),
        _ => None,
    }
}

impl<'x> Part<'x> {
    pub(super) fn read(raw: &'x [u8]) -> Result<Self, Limit> {
        let (head, body) = split_head(raw);
        if head.len() > MAX_HEADER_BYTES {
            return Err(Limit::HeaderLength);
        }
        check_fields(head)?;
        // Without the empty line mail-parser drops the field at the end of the input.
        let mut head = header_text(&with_whole_mime_fields(&without_blank_lines(head)));
        head.extend_from_slice(b"\r\n\r\n");
        let headers = MessageParser::new()
            .parse_headers(&head)
            .and_then(|message| message.parts.into_iter().next())
            .map(|part| part.headers.into_iter().map(Header::into_owned).collect())
            .unwrap_or_default();
        Ok(Self { head, headers, body })
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        self.headers.iter().map(|header| Field {
            name: &header.name,
            value: &header.value,
            raw: self
                .head
                .get(header.offset_start as usize..(header.offset_end as usize).min(self.head.len()))
                .map_or(Cow::Borrowed(""), String::from_utf8_lossy),
        })
    }

    /// Kind of report, such as `delivery-status`; empty if not given.
    pub(super) fn report_type(&self) -> Option<String> {
        let content = self.content(&HeaderName::ContentType)?;
        if (content.ctype(), content.subtype()) != ("multipart", Some("report")) {
            return report_part(&self.media_type()).map(ToOwned::to_owned);
        }
        if let Some(kind) = content.attribute("report-type") {
            return Some(kind.trim().to_ascii_lowercase());
        }
        let parts = self.children().unwrap_or_default();
        let kinds = parts.into_iter().filter_map(|part| Part::read(part).ok());
        Some(
            kinds.into_iter().find_map(|part| report_part(&part.media_type())).unwrap_or_default().to_owned(),
        )
    }

    fn content(&self, name: &HeaderName<'_>) -> Option<&ContentType<'static>> {
        self.headers
            .iter()
            .find(|header| header.name == *name)
            .and_then(|header| header.value.as_content_type())
    }

    /// Transfer encoding as one word in lower case; programs put it in quotation marks, or comments and semicolons
    /// beside it.
    pub(super) fn transfer_encoding(&self) -> Option<String> {
        let field = self.fields().find(|field| *field.name == HeaderName::ContentTransferEncoding)?;
        let mut depth = 0_usize;
        let outside = field.raw.chars().filter(|c| {
            depth += usize::from(*c == '(');
            let is_outside = depth == 0;
            depth = depth.saturating_sub(usize::from(*c == ')'));
            is_outside
        });
        let text: String = outside.collect();
        let mut words =
            text.split(|c: char| c.is_whitespace() || c.is_control() || matches!(c, ';' | '"' | '\'' | ','));
        words.find(|word| !word.is_empty()).map(str::to_ascii_lowercase)
    }

    fn is_attachment(&self) -> bool {
        self.content(&HeaderName::ContentDisposition).is_some_and(ContentType::is_attachment)
    }

    fn file_name(&self) -> Option<&str> {
        let attribute = |header, name| self.content(header).and_then(|value| value.attribute(name));
        attribute(&HeaderName::ContentDisposition, "filename")
            .or_else(|| attribute(&HeaderName::ContentType, "name"))
    }

    fn kind(&self) -> Kind<'_> {
        let Some(content) = self.content(&HeaderName::ContentType) else { return Kind::Text(Form::Plain) };
        let is_named = |name: &str| self.file_name().is_some_and(|file| file.eq_ignore_ascii_case(name));
        match (content.ctype(), content.subtype()) {
            ("multipart", Some("encrypted")) | ("application", Some("pgp-encrypted")) => {
                Kind::Sealed(Sealed::Encrypted)
            }
            ("multipart", subtype) => Kind::Multipart(
                Arrangement::of(subtype),
                content.attribute("boundary").map(str::trim_end).filter(|boundary| !boundary.is_empty()),
            ),
            ("text", Some("html")) | ("application", Some("xhtml+xml")) => Kind::Text(Form::Page),
            ("text", Some("plain")) | (_, None) => Kind::Text(Form::Plain),
            ("text", Some("vnd.google.email-reaction+json")) => Kind::Reaction,
            ("text", Some(subtype)) if !NO_PROSE.contains(&subtype) => Kind::Text(match subtype {
                "enriched" => Form::Enriched,
                "richtext" => Form::Richtext,
                _ => Form::Other,
            }),
            ("application", Some("pkcs7-mime" | "x-pkcs7-mime")) => Kind::SmimeMessage,
            ("application", Some("ms-tnef" | "vnd.ms-tnef")) => Kind::Sealed(Sealed::Winmail),
            ("application", _) if is_named("smime.p7m") => Kind::SmimeMessage,
            _ if is_named("winmail.dat") => Kind::Sealed(Sealed::Winmail),
            _ => Kind::Other,
        }
    }

    /// Removes the transfer encoding; data that cannot be decoded is left as it is.
    pub(super) fn decoded(&self) -> Cow<'x, [u8]> {
        self.decode(self.body)
    }

    fn decode(&self, body: &'x [u8]) -> Cow<'x, [u8]> {
        match self.transfer_encoding().as_deref() {
            Some("base64") => Cow::Owned(decode_base64(body)),
            Some("quoted-printable") => Cow::Owned(decode_quoted(body)),
            _ => Cow::Borrowed(body),
        }
    }

    /// Text of a leaf, in Unicode with `\n` line ends, as far as `budget` lasts, which counts encoded bytes.
    pub(super) fn text(&self, budget: &mut usize) -> String {
        let body = self.body.get(..*budget).unwrap_or(self.body);
        *budget -= body.len();
        let bytes = self.decode(body);
        let charset = self.content(&HeaderName::ContentType).and_then(|content| content.attribute("charset"));
        clean_lines(&decode_charset(&bytes, charset))
    }
}

impl<'x> Part<'x> {
    /// In lower case; plain text by default (RFC 2045, section 5.2).
    pub(super) fn media_type(&self) -> String {
        let Some(content) = self.content(&HeaderName::ContentType) else { return "text/plain".to_owned() };
        let subtype = content.subtype().unwrap_or("plain");
        format!("{}/{subtype}", content.ctype()).to_lowercase()
    }

    /// Size of the undecoded body in bytes.
    pub(super) fn size(&self) -> usize {
        self.body.len()
    }

    /// Unparsed parts of a multipart; empty for any other type.
    pub(super) fn children(&self) -> Result<Vec<&'x [u8]>, Limit> {
        match self.kind() {
            Kind::Multipart(_, boundary) => Ok(self.split(boundary)?.unwrap_or_default()),
            _ => Ok(Vec::new()),
        }
    }

    /// Splits at the declared boundary or, if it does not occur, at the one found in the body; `None` without either.
    fn split(&self, boundary: Option<&str>) -> Result<Option<Vec<&'x [u8]>>, Limit> {
        if let Some(boundary) = boundary {
            let parts = split_parts(self.body, boundary.as_bytes())?;
            if !parts.is_empty() {
                return Ok(Some(parts));
            }
        }
        match guess_boundary(self.body) {
            Some(shown) => split_parts(self.body, shown).map(Some),
            None => Ok(boundary.map(|_| Vec::new())),
        }
    }

    /// Header fields for display: each on one line, encoded words decoded where a field is text.
    pub(super) fn readable_fields(&self) -> Vec<(String, String)> {
        let fields = self.fields().map(|field| {
            let text = field.value.as_text().map_or(field.raw, Cow::Borrowed);
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            (field.name.as_str().to_owned(), line.chars().filter(|c| !c.is_control()).collect())
        });
        fields.collect()
    }
}

enum Kind<'a> {
    Text(Form),
    Multipart(Arrangement, Option<&'a str>),
    /// Signed or encrypted by S/MIME; only the content tells.
    SmimeMessage,
    Sealed(Sealed),
    /// An emoji in response to a mail.
    Reaction,
    Other,
}

/// From the best to the worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Plain,
    Page,
    Enriched,
    Richtext,
    Other,
}

/// Text types without words of a person.
const NO_PROSE: &[&str] = &[
    "calendar",
    "css",
    "csv",
    "directory",
    "javascript",
    "rfc822-headers",
    "rtf",
    "vcard",
    "x-amp-html",
    "x-vcard",
    "xml",
];

/// A form that hides the words of a mail from this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sealed {
    /// Encrypted with S/MIME or `OpenPGP`.
    Encrypted,
    /// Packed in `winmail.dat`, a format of Outlook.
    Winmail,
}

#[derive(Clone, Copy)]
enum Arrangement {
    Alternative,
    /// The first readable part is the text; the others accompany it (pictures, signatures, machine reports).
    FirstCounts,
    Sequence,
}

impl Arrangement {
    fn of(subtype: Option<&str>) -> Self {
        match subtype {
            Some("alternative") => Self::Alternative,
            Some("related" | "signed" | "report") => Self::FirstCounts,
            _ => Self::Sequence,
        }
    }
}

pub(super) struct Found {
    pub(super) text: Option<String>,
    pub(super) sealed: Option<Sealed>,
    /// True if a part declares that an emoji stands for the mail.
    pub(super) is_reaction: bool,
}

pub(super) fn read_text(root: &Part<'_>) -> Result<Found, Limit> {
    let mut walk = Walk { parts: 0, budget: MOST_TEXT, sealed: None, is_reaction: false };
    let readable = walk.visit(root, 0)?;
    let text = readable.map(|readable| readable.text);
    Ok(Found { text, sealed: walk.sealed, is_reaction: walk.is_reaction })
}

struct Readable {
    form: Form,
    text: String,
    /// True if it has a file name: the text only if there is no other.
    is_named: bool,
    /// True if its words stand in an indent.
    is_indented: bool,
}

impl Readable {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

struct Walk {
    parts: usize,
    budget: usize,
    sealed: Option<Sealed>,
    is_reaction: bool,
}

impl Walk {
    fn visit(&mut self, part: &Part<'_>, depth: usize) -> Result<Option<Readable>, Limit> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(Limit::Parts);
        }
        if depth > MAX_DEPTH {
            return Err(Limit::Depth);
        }
        match part.kind() {
            Kind::Multipart(arrangement, boundary) => {
                let Some(children) = part.split(boundary)? else {
                    return Ok(Some(self.leaf(part, Form::Plain, depth)));
                };
                let children: Vec<Part<'_>> =
                    children.into_iter().map(Part::read).collect::<Result<_, _>>()?;
                self.is_reaction |= children.iter().any(|child| matches!(child.kind(), Kind::Reaction));
                match arrangement {
                    Arrangement::Alternative => self.choose(&children, depth),
                    Arrangement::FirstCounts => self.first(&children, depth),
                    Arrangement::Sequence => self.join(&children, depth),
                }
            }
            Kind::Text(_) if depth > 0 && part.is_attachment() => Ok(None),
            Kind::Text(form) => Ok(Some(self.leaf(part, form, depth))),
            Kind::SmimeMessage => match smime::signed_content(&part.decoded()) {
                Some(content) => self.visit(&Part::read(&content)?, depth + SMIME_DEPTH),
                None => Ok(self.seal(Sealed::Encrypted)),
            },
            Kind::Sealed(sealed) => Ok(self.seal(sealed)),
            Kind::Reaction => {
                self.is_reaction = true;
                Ok(None)
            }
            Kind::Other => Ok(None),
        }
    }

    fn seal(&mut self, sealed: Sealed) -> Option<Readable> {
        self.sealed = self.sealed.or(Some(sealed));
        None
    }

    fn leaf(&mut self, part: &Part<'_>, form: Form, depth: usize) -> Readable {
        let text = part.text(&mut self.budget);
        let (text, is_indented) = match form {
            Form::Plain | Form::Other => {
                (flowed::unflow_if_declared(text, part.content(&HeaderName::ContentType)), false)
            }
            Form::Page => read_page(&text),
            Form::Enriched | Form::Richtext => (enriched::to_text(&text, form == Form::Richtext), false),
        };
        Readable { form, text, is_named: depth > 0 && part.file_name().is_some(), is_indented }
    }

    /// Prefers plain text to HTML, HTML to other forms, and all to nothing.
    fn choose(&mut self, children: &[Part<'_>], depth: usize) -> Result<Option<Readable>, Limit> {
        let mut best: Option<Readable> = None;
        for child in children {
            let Some(found) = self.visit(child, depth + 1)? else { continue };
            if found.form == Form::Plain && !extract(&found.text).lines.is_empty() {
                best = Some(found);
                break;
            }
            // An indent in HTML is a quote in plain text.
            let rank = |readable: &Readable| (readable.is_blank(), !readable.is_indented, readable.form);
            if best.as_ref().is_none_or(|best| rank(&found) < rank(best)) {
                best = Some(found);
            }
        }
        Ok(best.map(|best| Readable { is_named: false, ..best }))
    }

    fn first(&mut self, children: &[Part<'_>], depth: usize) -> Result<Option<Readable>, Limit> {
        let mut named = None;
        for child in children {
            match self.visit(child, depth + 1)? {
                Some(found) if found.is_named => named = named.or(Some(found)),
                Some(found) => return Ok(Some(found)),
                None => {}
            }
        }
        Ok(named)
    }

    fn join(&mut self, children: &[Part<'_>], depth: usize) -> Result<Option<Readable>, Limit> {
        let (mut whole, mut named): (Option<Readable>, Option<Readable>) = (None, None);
        for child in children {
            let Some(found) = self.visit(child, depth + 1)? else { continue };
            match &mut whole {
                _ if found.is_named || found.form == Form::Other => named = named.or(Some(found)),
                Some(whole) => {
                    whole.text.push('\n');
                    whole.text.push_str(&found.text);
                }
                None => whole = Some(found),
            }
        }
        let is_blank = whole.as_ref().is_none_or(Readable::is_blank);
        Ok(if is_blank { named.or(whole) } else { whole })
    }
}

/// Returns the text, and true if its words stand in an indent. An indent counts as the sender's words only if nothing
/// else does and no attribution stands above it.
fn read_page(page: &str) -> (String, bool) {
    let text = html::to_text(page);
    if !extract(&text).lines.is_empty() {
        return (text, false);
    }
    let Some(unindented) = html::unindented(page) else { return (text, false) };
    let first = unindented.lines().map(str::trim).find(|line| !line.is_empty());
    let is_own = first.is_some() && extract(&unindented).split_first().map(|(line, _)| line) == first;
    if is_own { (unindented, true) } else { (text, false) }
}

/// Drops the `From ` line that mbox files and some pipes put before the headers.
pub fn without_envelope_line(raw: &[u8]) -> &[u8] {
    if !raw.starts_with(b"From ") && !raw.starts_with(b">From ") {
        return raw;
    }
    raw.iter().position(|byte| *byte == b'\n').and_then(|end| raw.get(end + 1..)).unwrap_or_default()
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

fn split_head(raw: &[u8]) -> (&[u8], &[u8]) {
    let mut offset = 0;
    for line in lines(raw) {
        if line == b"\r\n" || line == b"\n" {
            let (head, rest) = raw.split_at(offset);
            return (head, rest.get(line.len()..).unwrap_or_default());
        }
        offset += line.len();
    }
    (raw, &[])
}

/// True if every header line begins or continues a field. Programs disagree about other lines: what one takes for the
/// end of the header, another skips, and `F rom:` may count as From. So they would see different authors.
pub(super) fn has_fields_only(raw: &[u8]) -> bool {
    let mut lines = lines(split_head(raw).0);
    lines.next().is_none_or(begins_field) && lines.all(|line| continues_field(line) || begins_field(line))
}

/// RFC 5322: printable ASCII up to a colon; blanks before the colon are obsolete and allowed.
fn begins_field(line: &[u8]) -> bool {
    let name = line.iter().position(|byte| *byte == b':').and_then(|colon| line.get(..colon));
    name.map(<[u8]>::trim_ascii_end)
        .is_some_and(|name| !name.is_empty() && name.iter().all(u8::is_ascii_graphic))
}

fn continues_field(line: &[u8]) -> bool {
    matches!(line.first(), Some(b' ' | b'\t'))
}

/// Drops blank continuation lines, which mail-parser may take for the end of the header.
fn without_blank_lines(head: &[u8]) -> Vec<u8> {
    lines(head).filter(|line| !line.trim_ascii().is_empty()).flatten().copied().collect()
}

/// Unfolds the fields of MIME: mail-parser misses a value folded away from its `=`.
fn with_whole_mime_fields(head: &[u8]) -> Vec<u8> {
    let mut whole: Vec<u8> = Vec::with_capacity(head.len());
    let mut is_mime = false;
    for line in lines(head) {
        if continues_field(line) && is_mime {
            whole.truncate(whole.trim_ascii_end().len());
        } else {
            is_mime = line.get(..8).is_some_and(|name| name.eq_ignore_ascii_case(b"content-"));
        }
        whole.extend_from_slice(line);
    }
    whole
}

fn check_fields(head: &[u8]) -> Result<(), Limit> {
    let (mut fields, mut length) = (0, 0);
    for line in lines(head) {
        if continues_field(line) {
            length += line.len();
        } else {
            fields += 1;
            length = line.len();
        }
        if length > MAX_FIELD_BYTES {
            return Err(Limit::HeaderLength);
        }
    }
    if fields > MAX_FIELDS { Err(Limit::HeaderCount) } else { Ok(()) }
}

/// Finds an undeclared boundary: the first line that begins with two hyphens, has no blanks, and stands above a header
/// field or an empty line.
fn guess_boundary(body: &[u8]) -> Option<&[u8]> {
    let mut lines = lines(body).peekable();
    while let Some(line) = lines.next() {
        let Some(boundary) = line.strip_prefix(b"--").map(<[u8]>::trim_ascii_end) else { continue };
        let is_boundary = (2..=70).contains(&boundary.len())
            && boundary.iter().all(u8::is_ascii_graphic)
            && boundary.iter().any(u8::is_ascii_alphanumeric)
            && !boundary.ends_with(b"--");
        if is_boundary
            && lines.peek().is_some_and(|below| begins_field(below) || below.trim_ascii().is_empty())
        {
            return Some(boundary);
        }
    }
    None
}

/// Splits at the boundary lines; without the closing one the last part reaches to the end (RFC 2046, section 5.1.1).
fn split_parts<'x>(body: &'x [u8], boundary: &[u8]) -> Result<Vec<&'x [u8]>, Limit> {
    let (mut parts, mut start, mut offset) = (Vec::new(), None, 0);
    for line in lines(body) {
        if let Some(rest) = line.strip_prefix(b"--").and_then(|rest| rest.strip_prefix(boundary)) {
            let last = rest.starts_with(b"--");
            if last || rest.trim_ascii().is_empty() {
                if let Some(start) = start {
                    parts.push(without_last_line_end(body.get(start..offset).unwrap_or_default()));
                }
                if parts.len() > MAX_PARTS {
                    return Err(Limit::Parts);
                }
                start = (!last).then_some(offset + line.len());
                if last {
                    break;
                }
            }
        }
        offset += line.len();
    }
    if let Some(rest) = start.and_then(|start| body.get(start..)).filter(|rest| !rest.is_empty()) {
        parts.push(rest);
    }
    Ok(parts)
}

/// The line end before a boundary belongs to the boundary.
fn without_last_line_end(part: &[u8]) -> &[u8] {
    part.strip_suffix(b"\r\n").or_else(|| part.strip_suffix(b"\n")).unwrap_or(part)
}
