//! Replying to a mail, as a mail program does it.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use knotpost_transport::inbound::Receipt;

use super::{ADDRESS, Letter, TestApp};

/// A reply, as it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft<'a> {
    /// The words above the quote.
    pub(crate) text: &'a str,
    /// Envelope recipients, and those of the To; none: where the mail asks to be answered.
    pub(crate) recipients: Vec<String>,
    /// The Subject, when it is not `Re:` and the mail's own.
    pub(crate) subject: Option<String>,
    /// More header lines, without the last line end; none: those that name the mail.
    pub(crate) headers: Option<String>,
}

impl TestApp {
    /// `from` replies to this mail with these words above the quote. Says what became of it.
    pub(crate) async fn reply(&self, from: &str, letter: &Letter, text: &str) -> String {
        self.send_reply(from, letter, Draft { text, ..Draft::default() }).await
    }

    /// The mail that a mail program sends to unsubscribe from such mails.
    pub(crate) async fn unsubscribe_by_mail(&self, letter: &Letter) {
        let raw = String::from_utf8_lossy(&letter.bytes).replace("\r\n ", " ");
        let rest = raw.split_once("\r\nList-Unsubscribe: <mailto:").expect("an address").1;
        let address = rest.split_once("?subject=unsubscribe>").expect("its end").0;
        let mail = format!(
            "From: {0}\r\nTo: {address}\r\nSubject: unsubscribe\r\nMessage-ID: <stop-{1}\r\n\r\n",
            letter.to,
            format_args!("{}>", letter.message_id),
        );
        self.hand_in(&letter.to, &[address], &mail).await;
    }

    /// The same, written in some other way.
    pub(crate) async fn send_reply(&self, from: &str, letter: &Letter, draft: Draft<'_>) -> String {
        let number = self.mails.fetch_add(1, Ordering::Relaxed) + 1;
        let raw = raw_reply(from, letter, &draft, &number.to_string());
        let recipients = recipients_of(letter, &draft);
        let recipients: Vec<&str> = recipients.iter().map(String::as_str).collect();
        self.hand_in(from, &recipients, &raw).await
    }

    /// Hands a message in and does what follows from it. Says what became of it.
    pub(crate) async fn hand_in(&self, from: &str, recipients: &[&str], raw: &str) -> String {
        let receipt = self.receive_at(Some(from), recipients, raw.as_bytes()).await;
        self.work().await;
        match receipt {
            Receipt::Stored { text } => text,
            other => format!("{other:?}"),
        }
    }
}

fn recipients_of(letter: &Letter, draft: &Draft<'_>) -> Vec<String> {
    if draft.recipients.is_empty() {
        vec![letter.reply_to.clone().unwrap_or_else(|| ADDRESS.to_owned())]
    } else {
        draft.recipients.clone()
    }
}

/// The reply as it travels.
pub(crate) fn raw_reply(from: &str, letter: &Letter, draft: &Draft<'_>, id: &str) -> String {
    let to = recipients_of(letter, draft).join(", ");
    let subject = draft.subject.clone().unwrap_or_else(|| format!("Re: {}", letter.subject));
    let named = || format!("In-Reply-To: <{0}>\r\nReferences: <{0}>", letter.message_id);
    let headers = draft.headers.clone().unwrap_or_else(named);
    let quoted: Vec<String> = letter.text.lines().map(|line| format!("> {line}")).collect();
    let body = format!(
        "{}\n\nOn Fri, 20 Nov 2026 at 10:00, Knotpost <{ADDRESS}> wrote:\n{}\n",
        draft.text,
        quoted.join("\n")
    );
    format!(
        "From: {from}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <reply-{id}@{from}>\r\n{headers}\r\n\r\n{}",
        body.replace('\n', "\r\n")
    )
}

/// The latest mail to each player, as it lies on top of their mailbox.
#[derive(Debug, Default)]
pub(crate) struct Mailboxes(BTreeMap<String, Letter>);

impl Mailboxes {
    /// Takes in what was sent since the last look.
    pub(crate) fn fill(&mut self, app: &TestApp) -> Vec<Letter> {
        let letters = app.letters();
        for letter in &letters {
            self.0.insert(letter.to.clone(), letter.clone());
        }
        letters
    }

    /// The mail on top of this player's mailbox.
    pub(crate) fn top(&self, name: &str) -> &Letter {
        self.0.get(&format!("{name}@{name}.example")).unwrap_or_else(|| panic!("{name} has no mail"))
    }

    /// The latest mail to this address.
    pub(crate) fn at(&self, address: &str) -> &Letter {
        self.0.get(address).unwrap_or_else(|| panic!("no mail to {address}"))
    }

    /// `name` replies to the mail on top; what follows is delivered. Says what became of it.
    pub(crate) async fn reply(&mut self, app: &TestApp, name: &str, text: &str) -> String {
        let top = self.top(name).clone();
        let became = app.reply(&format!("{name}@{name}.example"), &top, text).await;
        self.fill(app);
        became
    }
}
