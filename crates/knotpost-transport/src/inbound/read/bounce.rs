//! Bounces: reports that a mail of ours was not delivered, read by the standard (RFC 3464) or else by the phrases that
//! mail servers use.
//!
//! Whether a report is genuine is not known here; the signed return path proves that.

use knotpost_mail::{Message, Section, outline};

use crate::inbound::read::classify::{is_mailer, is_postmaster};
use knotpost_model::{BounceKind, Trouble, find_status};

/// Prefixes and parts of the Subjects of reports, in lower case.
const SUBJECTS: [&str; 16] = [
    "undeliver",
    "delivery status notification",
    "delivery failure",
    "delivery has failed",
    "delivery notification",
    "failure notice",
    "mail delivery failed",
    "mail delivery system",
    "message not delivered",
    "returned mail",
    "returned to sender",
    "returning message to sender",
    "non delivery",
    "nondeliver",
    "delayed",
    "unzustellbar",
];

/// Lines after which a report repeats the mail it is about.
const COPIES: [&str; 8] = [
    "below this line is a copy of the message",
    "this is a copy of the message",
    "this is a copy of your message",
    "original message",
    "copy of the original",
    "message headers follow",
    "the body of your message",
    "unsent message below",
];

/// The failure that a report is about; `None`: it reports none. `sender` is the return path, `None` the null path.
pub(in crate::inbound) fn read_report(
    raw: &[u8],
    message: &Message,
    sender: Option<&str>,
) -> Option<Trouble> {
    let sections = outline(raw).unwrap_or_default();
    let statuses: Vec<&Section> = sections.iter().filter(|section| is_status(section)).collect();
    if !statuses.is_empty() {
        return statuses
            .into_iter()
            .filter_map(|section| read_status(section.text.as_deref()?))
            .reduce(worse);
    }
    if message.content_type_report || !looks_like_report(message, sender) {
        // Read receipts and complaints are reports too, about mails that were delivered.
        return None;
    }
    read_words(message.text.as_deref().unwrap_or_default())
}

fn is_status(section: &Section) -> bool {
    matches!(section.kind.as_str(), "message/delivery-status" | "message/global-delivery-status")
}

fn worse(one: Trouble, other: Trouble) -> Trouble {
    if one.kind == BounceKind::Hard { one } else { other }
}

/// The groups of fields of a delivery status: of the message, then of each recipient.
fn read_status(text: &str) -> Option<Trouble> {
    let text = text.replace("\r\n", "\n");
    text.split("\n\n").filter_map(read_recipient).reduce(worse)
}

fn read_recipient(group: &str) -> Option<Trouble> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in group.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_lowercase(), value.trim().to_owned()));
        }
    }
    let field = |name: &str| {
        fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    };
    let status = find_status(field("status")).unwrap_or_default();
    let said = field("diagnostic-code");
    let said = said.split_once(';').map_or(said, |(_, words)| words.trim());
    let said = if said.is_empty() { field("status") } else { said };
    let action = field("action").to_lowercase();
    match action.split([' ', '(']).next() {
        Some("failed") => Trouble::judge(&status, said).or_else(|| Trouble::judge("5.0.0", said)),
        Some("delayed") => {
            Trouble::judge(if status.starts_with('4') { status.as_str() } else { "4.0.0" }, said)
        }
        _ => None,
    }
}

/// Whether a mail without a machine-readable part may be a report, by its sender or its Subject.
fn looks_like_report(message: &Message, sender: Option<&str>) -> bool {
    message.from.iter().map(String::as_str).chain(sender).any(|name| is_mailer(name) || is_postmaster(name))
        || has_report_subject(message)
}

/// Whether a mail has the Subject of a report.
pub(in crate::inbound) fn has_report_subject(message: &Message) -> bool {
    let subject = message.subject.to_lowercase();
    SUBJECTS.iter().any(|known| subject.contains(known))
}

fn read_words(text: &str) -> Option<Trouble> {
    let is_copy = |line: &&str| {
        let line = line.to_lowercase();
        line.starts_with("--") && COPIES.iter().any(|known| line.contains(known))
    };
    let told: Vec<&str> = text.lines().take_while(|line| !is_copy(line)).collect();
    // A line with a status code says more than the text around it.
    let telling =
        told.iter().position(|line| find_status(line).is_some_and(|status| !status.starts_with('2')));
    let telling = telling.or_else(|| told.iter().position(|line| Trouble::from_words(line).is_some()))?;
    let words = told.get(telling..(telling + 2).min(told.len()))?.join(" ");
    let whole = told.join(" ").to_lowercase();
    let trouble = Trouble::from_words(&words)?;
    let is_warning =
        ["will be retried", "will retry", "has not been delivered yet", "not yet been delivered"]
            .iter()
            .any(|known| whole.contains(known))
            || whole.contains("you do not need to resend");
    if is_warning { Trouble::judge("4.0.0", &words) } else { Some(trouble) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use knotpost_mail::parse;

    fn read(raw: &str) -> Option<(BounceKind, String)> {
        let raw = raw.replace('\n', "\r\n");
        let message = parse(raw.as_bytes()).unwrap();
        read_report(raw.as_bytes(), &message, None).map(|trouble| (trouble.kind, trouble.status))
    }

    fn dsn(fields: &str) -> String {
        format!(
            "From: MAILER-DAEMON@mx.example\nSubject: Undelivered Mail\nMIME-Version: 1.0\n\
             Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\n\n\
             --b\nContent-Type: text/plain\n\nSorry.\n\n--b\nContent-Type: message/delivery-status\n\n\
             Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; a@b.example\n{fields}\n\n\
             --b\nContent-Type: message/rfc822\n\nSubject: hi\n\nStatus: 5.1.1\n--b--\n"
        )
    }

    #[test]
    fn reports_by_the_standard_say_it_in_fields() {
        let hard = Some((BounceKind::Hard, "5.1.1".to_owned()));
        assert_eq!(read(&dsn("Action: failed\nStatus: 5.1.1")), hard);
        let folded = "Action: Failed\nStatus: 5.0.0 (permanent)\nDiagnostic-Code: smtp; 550 5.1.1\n <a@b>: User\n unknown";
        assert_eq!(read(&dsn(folded)).unwrap().0, BounceKind::Hard);
        assert_eq!(read(&dsn("Action: failed\nStatus: 5.2.2")).unwrap().0, BounceKind::Soft);
        assert_eq!(read(&dsn("Action: failed\nStatus: 4.4.7")).unwrap().0, BounceKind::Soft);
        assert_eq!(read(&dsn("Action: delayed\nStatus: 4.4.1")).unwrap().0, BounceKind::Soft);
        assert_eq!(read(&dsn("Action: failed")).unwrap().0, BounceKind::Hard, "without a code");
        for action in ["delivered", "relayed", "expanded"] {
            assert_eq!(read(&dsn(&format!("Action: {action}\nStatus: 2.0.0"))), None, "{action}");
        }
    }

    #[test]
    fn other_reports_tell_of_mails_that_arrived() {
        for kind in ["message/disposition-notification", "message/feedback-report"] {
            let raw = dsn("Action: failed\nStatus: 5.1.1").replace("message/delivery-status", kind);
            assert_eq!(read(&raw), None, "{kind}");
        }
    }

    #[test]
    fn a_holiday_is_no_trouble_even_on_the_null_path() {
        let away = "From: ann@ann.example\nSubject: Out of office: Osbox Board 7 ann\n\n\
                    My mailbox is full and mail is delayed. Error 550 5.1.1. Back on Monday.\n";
        assert_eq!(read(away), None);
    }

    #[test]
    fn servers_in_the_wild_are_understood() {
        for (name, raw, kind) in super::wild::REPORTS {
            assert_eq!(read(raw).map(|(kind, _)| kind), Some(*kind), "{name}");
        }
    }
}

#[cfg(test)]
mod wild;
