//! The parts of a mail, and which of them is its text.
//!
//! It walks the tree of parts within limits; mail-parser reads single headers, transfer encodings and charsets. It does not
//! know what a message is; `parse` does.

use std::borrow::Cow;

use mail_parser::{ContentType, Header, HeaderName, HeaderValue, MessageParser};

use super::decode::{clean_lines, decode_base64, decode_charset, decode_quoted, header_text};
use super::{flowed, html};

/// Header bytes of one part.
const MAX_HEADER_BYTES: usize = 128 * 1024;
/// Header fields of one part.
const MAX_FIELDS: usize = 500;
/// Bytes of one header field.
const MAX_FIELD_BYTES: usize = 32 * 1024;
/// Parts of a mail, at all depths.
const MAX_PARTS: usize = 200;
/// Multiparts within multiparts.
const MAX_DEPTH: usize = 16;
/// Decoded text of all parts together, in bytes.
const MAX_TEXT: usize = 1024 * 1024;

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
    /// More than 1 MiB of decoded text in all parts together.
    #[error("too much text")]
    TextLength,
}

/// One header field: its name, its value as mail-parser reads it, and as it was written.
pub(super) struct Field<'a> {
    pub(super) name: &'a HeaderName<'a>,
    pub(super) value: &'a HeaderValue<'a>,
    pub(super) raw: Cow<'a, str>,
}

/// A mail or a part of one: headers read, body untouched.
pub(super) struct Part<'x> {
    /// The header in UTF-8, followed by an empty line.
    head: Vec<u8>,
    headers: Vec<Header<'static>>,
    body: &'x [u8],
}

/// The kind of report of which a part of this type is the part for machines.
fn report_part(media_type: &str) -> Option<&'static str> {
    match media_type {
        "message/delivery-status" | "message/global-delivery-status" => Some("delivery-status"),
        "message/disposition-notification" => Some("disposition-notification"),
        "message/feedback-report" => Some("feedback-report"),
        _ => None,
    }
}

impl<'x> Part<'x> {
    /// Splits header from body and reads the header.
    pub(super) fn read(raw: &'x [u8]) -> Result<Self, Limit> {
        let (head, body) = split_head(raw);
        if head.len() > MAX_HEADER_BYTES {
            return Err(Limit::HeaderLength);
        }
        check_fields(head)?;
        // Without the empty line mail-parser drops the field at the end of the input.
        let mut head = header_text(&without_blank_lines(head));
        head.extend_from_slice(b"\r\n\r\n");
        let headers = MessageParser::new()
            .parse_headers(&head)
            .and_then(|message| message.parts.into_iter().next())
            .map(|part| part.headers.into_iter().map(Header::into_owned).collect())
            .unwrap_or_default();
        Ok(Self { head, headers, body })
    }

    /// The header fields in order.
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

    /// What kind of report of a mail system this is, such as `delivery-status`; empty where nothing says it.
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

    pub(super) fn transfer_encoding(&self) -> Option<&str> {
        let header = self.headers.iter().find(|header| header.name == HeaderName::ContentTransferEncoding)?;
        header.value.as_text().map(str::trim)
    }

    fn is_attachment(&self) -> bool {
        let disposition = self.content(&HeaderName::ContentDisposition);
        disposition.is_some_and(|value| value.is_attachment() || value.has_attribute("filename"))
            || self.content(&HeaderName::ContentType).is_some_and(|value| value.has_attribute("name"))
    }

    fn kind(&self) -> Kind<'_> {
        let Some(content) = self.content(&HeaderName::ContentType) else { return Kind::Plain };
        match (content.ctype(), content.subtype()) {
            ("multipart", subtype) => {
                match content.attribute("boundary").filter(|boundary| !boundary.is_empty()) {
                    Some(boundary) => Kind::Multipart(Arrangement::of(subtype), boundary),
                    None => Kind::Plain,
                }
            }
            ("text", Some("html")) => Kind::Html,
            ("text", Some("plain") | None) => Kind::Plain,
            _ => Kind::Other,
        }
    }

    /// The bytes of the body without its transfer encoding; data that cannot be decoded is left as it is.
    pub(super) fn decoded(&self) -> Cow<'x, [u8]> {
        match self.transfer_encoding() {
            Some(name) if name.eq_ignore_ascii_case("base64") => Cow::Owned(decode_base64(self.body)),
            Some(name) if name.eq_ignore_ascii_case("quoted-printable") => {
                Cow::Owned(decode_quoted(self.body))
            }
            _ => Cow::Borrowed(self.body),
        }
    }

    /// The text of a leaf, in Unicode and with `\n` line ends.
    pub(super) fn text(&self) -> String {
        let bytes = self.decoded();
        let charset = self.content(&HeaderName::ContentType).and_then(|content| content.attribute("charset"));
        clean_lines(&decode_charset(&bytes, charset))
    }
}

impl<'x> Part<'x> {
    /// The media type in lower case; without a declaration it is plain text (RFC 2045, section 5.2).
    pub(super) fn media_type(&self) -> String {
        let Some(content) = self.content(&HeaderName::ContentType) else { return "text/plain".to_owned() };
        let subtype = content.subtype().unwrap_or("plain");
        format!("{}/{subtype}", content.ctype()).to_lowercase()
    }

    /// The undecoded bytes of the body.
    pub(super) fn size(&self) -> usize {
        self.body.len()
    }

    /// The unparsed parts of a multipart; empty for any other type.
    pub(super) fn children(&self) -> Result<Vec<&'x [u8]>, Limit> {
        match self.kind() {
            Kind::Multipart(_, boundary) => split_parts(self.body, boundary.as_bytes()),
            _ => Ok(Vec::new()),
        }
    }

    /// The header fields for display: each on one line, encoded words decoded where a field is text.
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
    Plain,
    Html,
    Multipart(Arrangement, &'a str),
    Other,
}

/// How the parts of a multipart are related.
#[derive(Clone, Copy)]
enum Arrangement {
    /// Alternative forms of the same content.
    Alternative,
    /// The first readable part is the text; the others accompany it (pictures, signatures, machine reports).
    FirstCounts,
    /// One after the other.
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

/// The text of a mail: see `Message::text`.
pub(super) fn readable_text(root: &Part<'_>) -> Result<Option<String>, Limit> {
    let mut walk = Walk { parts: 0, text: 0 };
    Ok(walk.visit(root, 0)?.map(|readable| readable.text))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Plain,
    Html,
}

struct Readable {
    source: Source,
    text: String,
}

impl Readable {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

struct Walk {
    parts: usize,
    text: usize,
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
                let children = split_parts(part.body, boundary.as_bytes())?;
                match arrangement {
                    Arrangement::Alternative => self.choose(&children, depth),
                    Arrangement::FirstCounts => self.first(&children, depth),
                    Arrangement::Sequence => self.join(&children, depth),
                }
            }
            Kind::Plain | Kind::Html if depth > 0 && part.is_attachment() => Ok(None),
            Kind::Plain => {
                let text = flowed::unflow_if_declared(part.text(), part.content(&HeaderName::ContentType));
                self.leaf(Source::Plain, text)
            }
            Kind::Html => self.leaf(Source::Html, html::to_text(&part.text())),
            Kind::Other => Ok(None),
        }
    }

    fn leaf(&mut self, source: Source, text: String) -> Result<Option<Readable>, Limit> {
        self.text += text.len();
        if self.text > MAX_TEXT {
            return Err(Limit::TextLength);
        }
        Ok(Some(Readable { source, text }))
    }

    /// Orders plain text before HTML, and HTML before nothing.
    fn choose(&mut self, children: &[&[u8]], depth: usize) -> Result<Option<Readable>, Limit> {
        let mut best: Option<Readable> = None;
        for child in children {
            let Some(found) = self.visit(&Part::read(child)?, depth + 1)? else { continue };
            if found.source == Source::Plain && !found.is_blank() {
                return Ok(Some(found));
            }
            if best.as_ref().is_none_or(|best| best.is_blank() && !found.is_blank()) {
                best = Some(found);
            }
        }
        Ok(best)
    }

    fn first(&mut self, children: &[&[u8]], depth: usize) -> Result<Option<Readable>, Limit> {
        for child in children {
            if let Some(found) = self.visit(&Part::read(child)?, depth + 1)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn join(&mut self, children: &[&[u8]], depth: usize) -> Result<Option<Readable>, Limit> {
        let mut whole: Option<Readable> = None;
        for child in children {
            let Some(found) = self.visit(&Part::read(child)?, depth + 1)? else { continue };
            match &mut whole {
                Some(whole) => {
                    whole.text.push('\n');
                    whole.text.push_str(&found.text);
                }
                None => whole = Some(found),
            }
        }
        Ok(whole)
    }
}

/// Drops the `From ` line that mbox files and some pipes put before the headers.
pub fn without_envelope_line(raw: &[u8]) -> &[u8] {
    if !raw.starts_with(b"From ") && !raw.starts_with(b">From ") {
        return raw;
    }
    raw.iter().position(|byte| *byte == b'\n').and_then(|end| raw.get(end + 1..)).unwrap_or_default()
}

/// The lines of a slice, each with its line end.
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

/// Whether every line of the header begins or continues a field. Programs disagree about other lines: what one takes for
/// the end of the header, another skips, and `F rom:` may count as From. So they would see different authors.
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

/// Without lines of blanks only, which continue a field and add nothing; mail-parser may take one for the end of the header.
fn without_blank_lines(head: &[u8]) -> Vec<u8> {
    lines(head).filter(|line| !line.trim_ascii().is_empty()).flatten().copied().collect()
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

/// The parts between the boundary lines; a missing last boundary ends with the bytes (RFC 2046, section 5.1.1).
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
