//! The mail that stays on this machine instead of leaving it: what a list of it and a single one look like to whoever
//! may read it. Where it lies is known to the transport that wrote it.

use std::io;

use data_encoding::BASE64;
use knotpost_mail::{Section, body_of, outline};

/// Mail that was delivered on this machine. Its functions block on the disk.
pub trait LocalMailbox: Send + Sync {
    /// The names of the newest mails older than `before`, the newest first, at most `count`.
    ///
    /// # Errors
    /// When the folder cannot be read.
    fn newest(&self, before: Option<&str>, count: usize) -> io::Result<Vec<String>>;

    /// The first bytes of a mail, at most `most`; `None`: there is none of that name.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    fn read_up_to(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>>;
}

/// Mails of a page.
const LINES: usize = 50;
/// Mails looked through for a page, when only some of them are asked for.
const MOST_LOOKED_AT: usize = 2000;
/// Bytes of a mail that hold its header.
const HEAD: u64 = 16 * 1024;
/// Larger mails are handed out as they are and not laid out.
const MOST_SHOWN: u64 = 4 * 1024 * 1024;

/// A mail in a list.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct MailLine {
    /// Name by which it is asked for.
    pub name: String,
    /// To whom it was delivered.
    pub to: String,
    pub subject: String,
    pub date: String,
}

/// A page of mails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailLines {
    /// The newest first.
    pub lines: Vec<MailLine>,
    /// Cursor of the next page; `None`: that was all.
    pub next: Option<String>,
}

/// A mail laid out.
#[derive(Clone, Debug, Default)]
pub struct LocalMail {
    /// Its header fields.
    pub fields: Vec<(String, String)>,
    pub text: Option<String>,
    /// Its page, with the pictures that it brings put into it.
    pub html: Option<String>,
    /// Its parts, a line each.
    pub parts: Vec<String>,
}

/// A page of the mails to recipients with `to` in their addresses, the newest first.
///
/// # Errors
/// When the folder cannot be read.
pub fn list_local_mail(mails: &dyn LocalMailbox, to: &str, before: Option<&str>) -> io::Result<MailLines> {
    let to = to.trim().to_lowercase();
    let most = if to.is_empty() { LINES } else { MOST_LOOKED_AT };
    let names = mails.newest(before, most + 1)?;
    let mut page = MailLines::default();
    for (index, name) in names.iter().enumerate() {
        if index == most || page.lines.len() == LINES {
            page.next = index.checked_sub(1).and_then(|last| names.get(last)).cloned();
            break;
        }
        // Gone since: another program moved it.
        let Some(head) = mails.read_up_to(name, HEAD)? else { continue };
        let line = read_line(name, &head);
        if line.to.to_lowercase().contains(&to) {
            page.lines.push(line);
        }
    }
    Ok(page)
}

fn read_line(name: &str, head: &[u8]) -> MailLine {
    let end = head
        .windows(2)
        .position(|two| two == b"\n\n")
        .or_else(|| head.windows(4).position(|end| end == b"\r\n\r\n"));
    let head = end.and_then(|end| head.get(..end)).unwrap_or(head);
    let fields = outline(head).ok().and_then(|parts| parts.into_iter().next()).map(|part| part.fields);
    let fields = fields.unwrap_or_default();
    let field = |name| field(&fields, name).unwrap_or_default().to_owned();
    MailLine {
        name: name.to_owned(),
        to: field("Delivered-To"),
        subject: field("Subject"),
        date: field("Date"),
    }
}

fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// A mail as it lies there; `None`: there is none of that name.
///
/// # Errors
/// When it is there and cannot be read.
pub fn read_local_mail(mails: &dyn LocalMailbox, name: &str) -> io::Result<Option<Vec<u8>>> {
    mails.read_up_to(name, u64::MAX)
}

/// A mail laid out; `None`: there is none of that name.
///
/// # Errors
/// When it is there and cannot be read.
pub fn show_local_mail(mails: &dyn LocalMailbox, name: &str) -> io::Result<Option<LocalMail>> {
    let Some(message) = mails.read_up_to(name, MOST_SHOWN + 1)? else { return Ok(None) };
    let sections = if message.len() as u64 > MOST_SHOWN {
        Err("it is too large".to_owned())
    } else {
        outline(&message).map_err(|limit| format!("it has {limit}"))
    };
    Ok(Some(match sections {
        Ok(sections) => lay_out(&message, &sections),
        Err(why) => LocalMail { parts: vec![format!("(not laid out: {why})")], ..LocalMail::default() },
    }))
}

fn lay_out(message: &[u8], sections: &[Section]) -> LocalMail {
    let text = |kind: &str| {
        let found = sections.iter().find(|section| section.kind == kind);
        found.and_then(|section| section.text.clone())
    };
    LocalMail {
        fields: sections.first().map(|whole| whole.fields.clone()).unwrap_or_default(),
        text: text("text/plain"),
        html: text("text/html").map(|html| with_pictures(html, message, sections)),
        parts: sections.iter().map(crate::mailing::inspector::mail_text::describe).collect(),
    }
}

/// The page with its pictures in it: nothing is fetched to show it.
fn with_pictures(mut html: String, message: &[u8], sections: &[Section]) -> String {
    for (index, section) in sections.iter().enumerate() {
        // A drawing in SVG may hold a script; pictures of boards are PNG.
        if !matches!(section.kind.as_str(), "image/png" | "image/jpeg" | "image/gif") {
            continue;
        }
        let Some(id) = field(&section.fields, "Content-ID") else { continue };
        let address = format!("cid:{}", id.trim().trim_start_matches('<').trim_end_matches('>'));
        if let Ok(Some(bytes)) = body_of(message, index) {
            html = html.replace(&address, &format!("data:{};base64,{}", section.kind, BASE64.encode(&bytes)));
        }
    }
    html
}
