//! Decides on a mail that was read. Pure: the result, a [`Disposition`], is all that the commit needs.

pub(super) mod policy;

use self::policy::{Ruling, refusal};
use super::read::complaint::read_complaint;
use super::read::returned::read_returned;
use super::read::{Mail, Refusal};
use knotpost_core::intake::{Arrival, Class, Disposition, Ending, Place, Reason, Way};
use knotpost_core::mailing::Claim;
use knotpost_core::requests::Ready;
use knotpost_model::{OwnAddresses, Recipient};

#[derive(Debug)]
pub(super) enum Decision {
    /// Refused in the session, and not stored.
    Refuse(Refusal),
    Commit(Disposition),
}

impl From<Disposition> for Decision {
    fn from(disposition: Disposition) -> Self {
        Self::Commit(disposition)
    }
}

pub(super) enum CommandState {
    /// Mail of strangers is not taken at the moment; the text says so.
    NotWelcome(String),
    Ready(Box<Ready>),
    /// Preparing it takes a worker, for whom it waits in this place.
    Unprepared(Place),
}

/// Decides by the mail and its arrival; `None` for a command, see [`decide_command`].
pub(super) fn decide(
    mail: &Mail,
    arrival: &Arrival<'_>,
    ruling: Ruling,
    own: &OwnAddresses,
) -> Option<Decision> {
    if mail.class == Class::Automatic(Reason::Complaint) {
        return Some(Disposition::Complaint(read_complaint(arrival.raw, own)).into());
    }
    let otherwise = match mail.class {
        Class::Automatic(reason) => Some(reason),
        Class::Bulk | Class::Person if ruling == Ruling::Refused => Some(Reason::Unauthenticated),
        Class::Bulk | Class::Person => None,
    };
    if let Some(otherwise) = otherwise
        && let Some(claim) = mail.claim.clone().filter(Claim::may_end_something)
    {
        let line = mail.first_line().to_owned();
        return Some(Disposition::End(Ending { claim, line, otherwise }).into());
    }
    if ruling == Ruling::Refused && arrival.way.has_session() {
        let text = refusal(mail.author_domain());
        return Some(refuse(Reason::Unauthenticated, text));
    }
    if let Some(returned) = read_returned(own, arrival, mail.class, &mail.message) {
        return Some(Disposition::Bounce(returned).into());
    }
    if let Class::Automatic(reason) = mail.class {
        return Some(Disposition::Record(reason).into());
    }
    if ruling == Ruling::Refused {
        // Without a session a refusal would go to the address that was forged.
        return Some(Disposition::Record(Reason::Unauthenticated).into());
    }
    is_to_postmaster(own, arrival.recipients).then_some(Disposition::Postmaster.into())
}

pub(super) fn decide_command(way: Way, state: CommandState) -> Decision {
    match state {
        CommandState::NotWelcome(text) if way.has_session() => refuse(Reason::NotAllowed, text),
        // Without a session a refusal might go to an address that was forged.
        CommandState::NotWelcome(_) => Disposition::Record(Reason::NotAllowed).into(),
        CommandState::Ready(ready) => Disposition::Execute(ready).into(),
        CommandState::Unprepared(place) => Disposition::Queue(place).into(),
    }
}

fn refuse(reason: Reason, text: String) -> Decision {
    Decision::Refuse(Refusal { reason, enhanced: "5.7.1", text })
}

/// True if the mail is for the operators alone.
fn is_to_postmaster(own: &OwnAddresses, recipients: &[String]) -> bool {
    recipients.iter().all(|address| matches!(own.recipient(address), Some(Recipient::Postmaster)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::inbound::{Envelope, Identified, Message};
    use knotpost_model::Millis;

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
        match decide(&mail, &envelope.arrival(b"", Millis(0)), ruling, &own) {
            None => "command".to_owned(),
            Some(Decision::Refuse(refusal)) => format!("refuse {}", refusal.reason),
            Some(Decision::Commit(Disposition::Record(reason))) => format!("record {reason}"),
            Some(Decision::Commit(Disposition::Bounce(_))) => "bounce".to_owned(),
            Some(Decision::Commit(Disposition::Postmaster)) => "postmaster".to_owned(),
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
        assert!(matches!(not_welcome(Way::Smtp), Decision::Refuse(_)));
        assert!(matches!(not_welcome(Way::Http), Decision::Commit(Disposition::Record(Reason::NotAllowed))));
    }

    #[test]
    fn mail_to_the_postmaster_alone_is_theirs() {
        let to = |to: &[&str]| decided(Class::Person, Ruling::Unproven, Way::Smtp, to);
        assert_eq!(to(&["postmaster@knotpost.example"]), "postmaster");
        assert_eq!(to(&["postmaster@knotpost.example", "games@knotpost.example"]), "command");
        assert_eq!(to(&["games@knotpost.example"]), "command");
    }
}
