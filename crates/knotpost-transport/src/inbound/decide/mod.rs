//! Deciding: what becomes of a mail that was read.
//!
//! Pure: [`decide`] sees a mail and what is known about its arrival, [`decide_command`] what was looked up for its
//! command. Nothing is written here; [`Disposition`] is all that the commit needs to know.

pub(super) mod places;
pub(super) mod policy;
mod strangers;

use self::policy::{Ruling, refusal};
use super::intake::{Envelope, Way};
use super::read::classify::Class;
use super::read::returned::{Returned, read_returned};
use super::read::{Mail, Refusal};
use super::reason::Reason;
use knotpost_core::requests::Prepared;
use knotpost_model::{Host, Millis, OwnAddresses, Recipient, Verdicts};
use knotpost_storage::NewPlace;

/// How and when a mail arrived.
pub(super) struct Arrival<'a> {
    pub(super) envelope: &'a Envelope,
    pub(super) raw: &'a [u8],
    /// What authentication found; `None`: it was not checked.
    pub(super) verdicts: Option<Verdicts>,
    pub(super) ruling: Ruling,
    /// The host that counts as the sender's.
    pub(super) host: Option<Host>,
    pub(super) now: Millis,
}

/// What becomes of a mail.
#[derive(Debug)]
pub(super) enum Disposition {
    /// It is refused in the session, and not stored.
    Refuse(Refusal),
    /// It is stored for the record, and nothing else happens.
    Record(Reason),
    /// It is stored, and the failure it reports is recorded.
    Bounce(Returned),
    /// It is stored, and a copy goes to each administrator.
    Postmaster,
    /// It is stored, and its command is executed, in one transaction.
    Execute(Box<Prepared>),
    /// It is stored until a worker executes its command.
    Queue(NewPlace),
}

/// What was looked up for the command of a mail.
pub(super) enum CommandState {
    /// Mail of strangers is not taken at the moment; the text says so.
    NotWelcome(String),
    /// The command can be executed at once.
    Prepared(Box<Prepared>),
    /// Preparing it takes a worker, for whom it waits in this place.
    Unprepared(NewPlace),
}

/// What becomes of a mail, as far as that follows from the mail and its arrival; `None`: it brings a command, about
/// which [`decide_command`] decides.
pub(super) fn decide(mail: &Mail, arrival: &Arrival<'_>, own: &OwnAddresses) -> Option<Disposition> {
    let Arrival { envelope, raw, ruling, .. } = arrival;
    if *ruling == Ruling::Refused && envelope.way.has_session() {
        let text = refusal(mail.author_domain());
        return Some(refuse(Reason::Unauthenticated, text));
    }
    if let Some(returned) = read_returned(own, envelope, mail.class, &mail.message, raw) {
        return Some(Disposition::Bounce(returned));
    }
    if let Class::Automatic(reason) = mail.class {
        return Some(Disposition::Record(reason));
    }
    if *ruling == Ruling::Refused {
        // Without a session a refusal would go to the address that was forged.
        return Some(Disposition::Record(Reason::Unauthenticated));
    }
    is_to_postmaster(own, &envelope.recipients).then_some(Disposition::Postmaster)
}

/// What becomes of a mail that brings a command.
pub(super) fn decide_command(way: Way, state: CommandState) -> Disposition {
    match state {
        CommandState::NotWelcome(text) if way.has_session() => refuse(Reason::NotAllowed, text),
        // Without a session a refusal might go to an address that was forged.
        CommandState::NotWelcome(_) => Disposition::Record(Reason::NotAllowed),
        CommandState::Prepared(prepared) => Disposition::Execute(prepared),
        CommandState::Unprepared(place) => Disposition::Queue(place),
    }
}

fn refuse(reason: Reason, text: String) -> Disposition {
    Disposition::Refuse(Refusal { reason, enhanced: "5.7.1", text })
}

/// Whether a mail is for the people who run the server, and for no other address here.
fn is_to_postmaster(own: &OwnAddresses, recipients: &[String]) -> bool {
    recipients.iter().all(|address| matches!(own.recipient(address), Some(Recipient::Postmaster)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::inbound::{Identified, Message};

    fn decided(class: Class, ruling: Ruling, way: Way, recipients: &[&str]) -> String {
        let own = OwnAddresses::new("games@knotpost.example").unwrap();
        let recipients = recipients.iter().map(|address| (*address).to_owned()).collect();
        let envelope = Envelope { way, peer: None, helo: None, mail_from: None, recipients };
        let mail = Mail {
            message: Message { from: vec!["ann@ann.example".to_owned()], ..Message::default() },
            class,
            sender: None,
            found: Identified::Unclear { subject: String::new(), comment: String::new() },
            claim: None,
            dedupe_key: String::new(),
        };
        let (verdicts, host, now) = (None, None, Millis(0));
        let arrival = Arrival { envelope: &envelope, raw: b"", verdicts, ruling, host, now };
        match decide(&mail, &arrival, &own) {
            None => "command".to_owned(),
            Some(Disposition::Refuse(refusal)) => format!("refuse {}", refusal.reason),
            Some(Disposition::Record(reason)) => format!("record {reason}"),
            Some(Disposition::Bounce(_)) => "bounce".to_owned(),
            Some(Disposition::Postmaster) => "postmaster".to_owned(),
            Some(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn a_mail_of_a_program_is_recorded_or_counted_as_a_bounce() {
        let automatic = Class::Automatic(Reason::AutoReply);
        let to = |address| decided(automatic, Ruling::Believed, Way::Smtp, &[address]);
        assert_eq!(to("games@knotpost.example"), "record auto_reply");
        assert_eq!(to("postmaster@knotpost.example"), "record auto_reply");
        assert_eq!(to("games+b.17.0123456789abcdef@knotpost.example"), "bounce");
    }

    #[test]
    fn only_a_session_is_told_of_a_refusal() {
        let refused = |way| decided(Class::Person, Ruling::Refused, way, &["games@knotpost.example"]);
        assert_eq!(refused(Way::Smtp), "refuse unauthenticated");
        assert_eq!(refused(Way::Lmtp), "refuse unauthenticated");
        for way in [Way::Pipe, Way::Http, Way::Maildir] {
            assert_eq!(refused(way), "record unauthenticated");
        }
        let not_welcome = |way| decide_command(way, CommandState::NotWelcome("no".to_owned()));
        assert!(matches!(not_welcome(Way::Smtp), Disposition::Refuse(_)));
        assert!(matches!(not_welcome(Way::Http), Disposition::Record(Reason::NotAllowed)));
    }

    #[test]
    fn mail_to_the_postmaster_alone_is_theirs() {
        let to = |to: &[&str]| decided(Class::Person, Ruling::Unproven, Way::Smtp, to);
        assert_eq!(to(&["postmaster@knotpost.example"]), "postmaster");
        assert_eq!(to(&["postmaster@knotpost.example", "games@knotpost.example"]), "command");
        assert_eq!(to(&["games@knotpost.example"]), "command");
    }
}
