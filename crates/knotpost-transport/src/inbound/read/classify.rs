//! Classifies a mail as sent by a person, by a mailing list, or by a program that must never be answered.
//!
//! Prevents mail loops: a mail with any sign of an automatic sender is neither executed nor answered.

use super::bounce::has_report_subject;
use knotpost_core::intake::{Class, Reason};
use knotpost_mail::Message;
use knotpost_mail::signs::{
    is_away_subject, is_complaint_subject, is_mailer, is_no_reply, is_postmaster, is_report_subject,
};
use knotpost_model::OwnAddresses;

/// Servers that a mail may have passed through.
const MAX_HOPS: usize = 30;

/// `envelope_from` is `None` for the null path `<>`; without an envelope, pass [`Message::envelope_sender`].
pub fn classify(message: &Message, envelope_from: Option<&str>, own: &OwnAddresses) -> Class {
    if let Some(reason) = find_automaton(message, envelope_from, own) {
        return Class::Automatic(reason);
    }
    let from_postmaster = message.from.iter().map(String::as_str).chain(envelope_from).any(is_postmaster);
    if is_bulk(message) || from_postmaster { Class::Bulk } else { Class::Person }
}

fn find_automaton(message: &Message, envelope_from: Option<&str>, own: &OwnAddresses) -> Option<Reason> {
    let sender = envelope_from.map(str::trim).unwrap_or_default();
    let senders = || message.from.iter().chain(&message.sender).map(String::as_str).chain([sender]);
    if message.received_count > MAX_HOPS {
        return Some(Reason::TooManyHops);
    }
    if is_own(message, senders(), own) {
        return Some(Reason::OwnMessage);
    }
    match message.report_type.as_deref() {
        Some("feedback-report") => return Some(Reason::Complaint),
        Some(_) => return Some(Reason::DeliveryReport),
        None if is_complaint_subject(&message.subject) => return Some(Reason::Complaint),
        None => {}
    }
    if sender.is_empty() || sender == "<>" || message.return_path.as_deref() == Some("") {
        return Some(Reason::NullSender);
    }
    // Return paths of people's mail may begin with `bounces`, too: forwarding services rewrite them.
    if senders().any(is_mailer) || message.from.iter().any(|name| is_no_reply(name)) {
        return Some(Reason::MailerDaemon);
    }
    let is_of_postmaster = senders().any(is_postmaster);
    if is_report_subject(&message.subject) || (is_of_postmaster && has_report_subject(message)) {
        return Some(Reason::MailerDaemon);
    }
    if message.auto_submitted.as_deref().is_some_and(|word| word != "no") {
        return Some(Reason::AutoSubmitted);
    }
    (message.machine_sign.is_some() || is_away_subject(&message.subject)).then_some(Reason::AutoReply)
}

fn is_own<'a>(message: &Message, mut senders: impl Iterator<Item = &'a str>, own: &OwnAddresses) -> bool {
    let loops = || message.x_loop.iter().any(|value| own.is_own(value.trim_matches(['<', '>', ' '])));
    let made_here = || message.message_id.as_deref().is_some_and(|id| own.is_own_message_id(id));
    senders.any(|sender| own.is_own(sender)) || loops() || made_here()
}

fn is_bulk(message: &Message) -> bool {
    let precedence =
        message.precedence.as_deref().is_some_and(|word| matches!(word, "bulk" | "junk" | "list"));
    message.list_id.is_some() || message.list_header.is_some() || precedence
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn own() -> OwnAddresses {
        OwnAddresses::new("games@example.org").unwrap()
    }

    fn mail(change: impl FnOnce(&mut Message)) -> Message {
        let mut message = Message { from: vec!["fred@example.net".into()], ..Message::default() };
        change(&mut message);
        message
    }

    fn class(change: impl FnOnce(&mut Message)) -> Class {
        classify(&mail(change), Some("fred@example.net"), &own())
    }

    #[test]
    fn a_persons_mail_is_a_persons() {
        assert_eq!(class(|_| {}), Class::Person);
        assert_eq!(class(|mail| mail.auto_submitted = Some("no".into())), Class::Person);
        assert_eq!(class(|mail| mail.received_count = MAX_HOPS), Class::Person);
        assert_eq!(class(|mail| mail.x_loop.push("other@example.net".into())), Class::Person);
        assert_eq!(class(|mail| mail.references.push("knotpost.1@example.org".into())), Class::Person);
    }

    #[test]
    fn every_mark_of_an_automaton_counts() {
        let automatic = |change: fn(&mut Message)| class(change);
        assert_eq!(
            automatic(|mail| mail.auto_submitted = Some("auto-replied".into())),
            Class::Automatic(Reason::AutoSubmitted)
        );
        let reply = Class::Automatic(Reason::AutoReply);
        assert_eq!(automatic(|mail| mail.machine_sign = Some("x-autoreply".into())), reply);
        assert_eq!(automatic(|mail| mail.subject = "Automatische Antwort: x".into()), reply);
        for (kind, reason) in [
            ("delivery-status", Reason::DeliveryReport),
            ("disposition-notification", Reason::DeliveryReport),
            ("", Reason::DeliveryReport),
            ("feedback-report", Reason::Complaint),
        ] {
            assert_eq!(
                class(|mail| mail.report_type = Some(kind.into())),
                Class::Automatic(reason),
                "{kind}"
            );
        }
        assert_eq!(
            automatic(|mail| mail.received_count = MAX_HOPS + 1),
            Class::Automatic(Reason::TooManyHops)
        );
        assert_eq!(
            automatic(|mail| mail.from = vec!["MAILER-DAEMON@example.net".into()]),
            Class::Automatic(Reason::MailerDaemon)
        );
        assert_eq!(
            automatic(|mail| mail.return_path = Some(String::new())),
            Class::Automatic(Reason::NullSender)
        );
        assert_eq!(classify(&mail(|_| {}), None, &own()), Class::Automatic(Reason::NullSender));
    }

    #[test]
    fn mail_systems_are_known_however_they_spell_themselves() {
        let from = |address: &str| class(|mail| mail.from = vec![address.to_owned()]);
        for name in [
            "MAILER-DAEMON",
            "Mailer_Daemon",
            "mailerdaemon",
            "mail-daemon",
            "mailer.daemon",
            "mailer-daemon+x",
        ] {
            let automatic = Class::Automatic(Reason::MailerDaemon);
            assert_eq!(from(&format!("{name}@example.net")), automatic, "{name}");
        }
        for name in ["daemon", "mailer", "maildaemonia"] {
            assert_eq!(from(&format!("{name}@example.net")), Class::Person, "{name}");
        }
    }

    #[test]
    fn who_forwards_a_mail_is_not_who_wrote_it() {
        let path = "bounces+SRS=abcde=FG@forwarder.example";
        assert_eq!(classify(&mail(|_| {}), Some(path), &own()), Class::Person);
        let no_reply = class(|mail| mail.from = vec!["no-reply@example.net".into()]);
        assert_eq!(no_reply, Class::Automatic(Reason::MailerDaemon));
    }

    #[test]
    fn a_postmaster_may_play_and_their_reports_may_not() {
        let subject = |subject: &str| {
            class(|mail| {
                mail.from = vec!["postmaster@example.net".into()];
                mail.subject = subject.into();
            })
        };
        assert_eq!(
            subject("osbox move 1 fred secret f1"),
            Class::Bulk,
            "obeyed with a password, never told of errors"
        );
        for name in
            ["Undeliverable: Osbox Board 1 fred", "Delivery Status Notification (Failure)", "Unzustellbar: x"]
        {
            assert_eq!(subject(name), Class::Automatic(Reason::MailerDaemon), "{name}");
        }
    }

    #[test]
    fn what_a_mail_answers_says_nothing_about_its_author() {
        let answers = |mail: &mut Message| {
            mail.in_reply_to = vec![own().message_id("17")];
            mail.references = vec![own().message_id("16"), own().message_id("17")];
        };
        assert_eq!(class(answers), Class::Person);
    }

    #[test]
    fn our_own_mail_never_speaks_to_us() {
        let own_message = Class::Automatic(Reason::OwnMessage);
        assert_eq!(class(|mail| mail.from = vec!["Games+r.x@example.org".into()]), own_message);
        assert_eq!(class(|mail| mail.sender = Some("postmaster@example.org".into())), own_message);
        assert_eq!(class(|mail| mail.x_loop.push("<games@example.org>".into())), own_message);
        assert_eq!(class(|mail| mail.message_id = Some(own().message_id("17"))), own_message);
        assert_eq!(classify(&mail(|_| {}), Some("games+b.1.x@example.org"), &own()), own_message);
    }

    #[test]
    fn lists_are_bulk() {
        assert_eq!(class(|mail| mail.list_id = Some("<x.example>".into())), Class::Bulk);
        assert_eq!(class(|mail| mail.list_header = Some("list-post".into())), Class::Bulk);
        for word in ["bulk", "junk", "list"] {
            assert_eq!(class(|mail| mail.precedence = Some(word.into())), Class::Bulk);
        }
    }
}
