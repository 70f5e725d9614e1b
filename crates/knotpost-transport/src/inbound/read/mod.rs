//! Reading: turns the bytes of a message into a [`Mail`] or a [`Refusal`].
//!
//! Pure: asks neither the database nor the network. Parsing and the search for the command line are in the crate
//! `knotpost-mail`.

pub(super) mod addressed;
pub(super) mod bounce;
pub(super) mod classify;
pub(super) mod complaint;
pub(super) mod digest;
pub(super) mod hosts;
pub(super) mod relay_hint;
pub(super) mod reply_claim;
mod request;
pub(super) mod returned;

use self::classify::classify;
use self::digest::dedupe_key;
use self::reply_claim::read_reply_claim;
use self::returned::is_to_return_path;
use super::intake::Receipt;
use super::{Address as Addressed, Identified, Message, Sealed, identify, parse};
use knotpost_core::app::App;
use knotpost_core::intake::{Class, CommandText, IncomingMail, Reason};
use knotpost_core::mailing::Claim;
use knotpost_model::Address;
use knotpost_platform::secret::Purpose;

/// A mail, read as far as possible without looking anything up.
pub(super) struct Mail {
    pub(super) message: Message,
    pub(super) class: Class,
    pub(super) sender: Option<Address>,
    pub(super) found: Identified,
    /// Proof that may let its sender act without a password.
    pub(super) claim: Option<Claim>,
    pub(super) dedupe_key: String,
}

/// A refusal while the sending server waits for the reply.
#[derive(Debug)]
pub(super) struct Refusal {
    /// Stored if there is no session.
    pub(super) reason: Reason,
    /// "5.x.y".
    pub(super) enhanced: &'static str,
    pub(super) text: String,
}

impl Refusal {
    pub(super) fn into_receipt(self) -> Receipt {
        Receipt::Refused { code: 550, enhanced: self.enhanced, text: self.text }
    }
}

impl Mail {
    pub(super) fn read(
        app: &App,
        raw: &[u8],
        envelope_from: Option<&str>,
        recipients: &[String],
    ) -> Result<Self, Refusal> {
        let broken =
            |broken| Refusal { reason: Reason::Broken, enhanced: "5.6.0", text: format!("{broken}") };
        let message = parse(raw).map_err(broken)?;
        let mut class = classify(&message, envelope_from, &app.own);
        if class == Class::Person && is_to_return_path(&app.own, recipients) {
            // Some mail programs and autoresponders write to the return path.
            class = Class::Bulk;
        }
        if message.is_reaction && !matches!(class, Class::Automatic(_)) {
            class = Class::Automatic(Reason::Reaction);
        }
        if matches!(class, Class::Automatic(_)) {
            // Neither executed nor answered, so not read any further, unless it may end something.
            let claim =
                Some(read_reply_claim(&app.own, &message, recipients)).filter(Claim::may_end_something);
            let found = match claim {
                Some(_) => identify(&message, Addressed::Reply, &app.vocabulary),
                None => nothing(),
            };
            let complains = class == Class::Automatic(Reason::Complaint);
            let sender = message.author().filter(|_| complains).and_then(|author| author.parse().ok());
            return Ok(Self { message, class, sender, found, claim, dedupe_key: String::new() });
        }
        if message.from.len() != 1 {
            let text = "a mail to this server has exactly one address in its From".to_owned();
            let reason = if message.from.is_empty() { Reason::NoSender } else { Reason::SeveralFrom };
            return Err(Refusal { reason, enhanced: "5.7.1", text });
        }
        let sender: Option<Address> = message.author().and_then(|author| author.parse().ok());
        let Some(sender) = sender else {
            let text = "the address in the From is not one that could be answered".to_owned();
            return Err(Refusal { reason: Reason::NoSender, enhanced: "5.1.7", text });
        };
        let claim = Some(read_reply_claim(&app.own, &message, recipients)).filter(|claim| !claim.is_empty());
        let address = if claim.is_some() { Addressed::Reply } else { Addressed::Plain };
        let found = identify(&message, address, &app.vocabulary);
        if let Identified::Unclear { subject, .. } = &found
            && subject.is_empty()
            && message.text.is_none()
        {
            let text = format!(
                "there is no command in the Subject, and {}; write a command such as `help` into the Subject",
                why_wordless(&message)
            );
            return Err(Refusal { reason: Reason::NoCommand, enhanced: "5.6.0", text });
        }
        let key = app.secret.derive(Purpose::Dedupe);
        let dedupe_key = dedupe_key(&message, &sender.to_string(), &key);
        Ok(Self { message, class, sender: Some(sender), found, claim, dedupe_key })
    }

    pub(super) fn into_incoming(self) -> IncomingMail {
        let Self { message, class, sender, found, claim: _, dedupe_key } = self;
        let command = match found {
            Identified::Subject { .. } | Identified::Unclear { .. } => CommandText::Subject,
            Identified::Body { line, .. } => CommandText::Body(line),
            Identified::Multiple { lines, .. } => CommandText::Multiple(lines),
        };
        let Message { subject, text, message_id, .. } = message;
        IncomingMail { class, sender, subject, text, message_id, command, dedupe_key }
    }

    pub(super) fn first_line(&self) -> &str {
        match &self.found {
            Identified::Body { line, .. } => line,
            _ => &self.message.subject,
        }
    }

    /// Empty unless there is exactly one author.
    pub(super) fn author_domain(&self) -> &str {
        self.message.author().and_then(|author| author.rsplit_once('@')).map_or("", |(_, domain)| domain)
    }
}

fn why_wordless(message: &Message) -> &'static str {
    match (message.sealed, &message.text) {
        (Some(Sealed::Encrypted), _) => {
            "the mail is encrypted, and this server has no key to it: send it again as plain text, without encryption"
        }
        (Some(Sealed::Winmail), _) => {
            "the mail holds nothing but `winmail.dat`, which only Outlook can read: send it again as plain text"
        }
        (None, Some(text)) if !text.trim().is_empty() => {
            "the mail has no words of yours, only what was quoted and what your mail program added"
        }
        (None, _) => "the mail has no text that could be read: write it in the mail itself, as plain text",
    }
}

fn nothing() -> Identified {
    Identified::Unclear { subject: String::new(), comment: String::new() }
}
