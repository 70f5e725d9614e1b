//! Bounces: reports of failed delivery, read by the standard (RFC 3464) or else by the phrases of mail servers.
//!
//! The signed return path proves them genuine, not this module.

use knotpost_mail::signs::{is_mailer, is_postmaster, is_report_subject};
use knotpost_mail::{Message, Section, outline};
use knotpost_model::{Failure, Trouble, find_reply_code, find_status};

/// Parts of Subjects in lower case; people write them too.
const SUBJECTS: [&str; 12] = [
    "undeliver",
    "delivery status notification",
    "delivery failure",
    "delivery has failed",
    "delivery notification",
    "failure notice",
    "mail delivery failed",
    "returned mail",
    "returned to sender",
    "returning message to sender",
    "nondeliver",
    "unzustellbar",
];

/// Words, in lower case, of a delayed mail that may yet arrive: these say nothing about an address.
const DELAYS: [&str; 9] = [
    "will be retried",
    "will retry",
    "has not been delivered yet",
    "not yet been delivered",
    "has been delayed",
    "delivery attempts will continue",
    "will continue to try",
    "still being retried",
    "you do not need to resend",
];

/// Words, in lower case, of a failure without a reason.
const FAILURES: [&str; 9] = [
    "permanent",
    "could not be delivered",
    "couldn't be delivered",
    "cannot be delivered",
    "can't be delivered",
    "wasn't delivered",
    "was not delivered",
    "unable to deliver",
    "delivery failed",
];

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

const MOST_NAMED: usize = 100;

/// Empty if the mail reports no failure. `sender` is the return path, `None` the null path.
pub(in crate::inbound) fn read_report(raw: &[u8], message: &Message, sender: Option<&str>) -> Vec<Failure> {
    // Read receipts and complaints are reports too, about mails that were delivered.
    if message.report_type.as_deref().is_some_and(|kind| !matches!(kind, "" | "delivery-status")) {
        return Vec::new();
    }
    let sections = outline(raw).unwrap_or_default();
    let has = |kind: &str| sections.iter().any(|section| section.kind == kind);
    if has("message/disposition-notification") || has("message/feedback-report") {
        return Vec::new();
    }
    let statuses =
        sections.iter().filter(|section| is_status(section)).filter_map(|section| section.text.as_deref());
    let groups: Vec<Vec<Failure>> = statuses.flat_map(read_status).collect();
    if !groups.is_empty() {
        return groups.into_iter().flatten().collect();
    }
    if message.report_type.is_none() && !looks_like_report(message, sender) {
        return Vec::new();
    }
    read_words(&message.subject, message.text.as_deref().unwrap_or_default()).into_iter().collect()
}

fn is_status(section: &Section) -> bool {
    matches!(section.kind.as_str(), "message/delivery-status" | "message/global-delivery-status")
}

fn read_status(text: &str) -> Vec<Vec<Failure>> {
    text.replace("\r\n", "\n").split("\n\n").filter_map(read_recipient).collect()
}

/// `None` for a group about the message, not about a recipient.
fn read_recipient(group: &str) -> Option<Vec<Failure>> {
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
    let (status, action) = (find_status(field("status")).unwrap_or_default(), field("action").to_lowercase());
    if action.is_empty() && status.is_empty() {
        return None;
    }
    let said = after_type(field("diagnostic-code"));
    let said = if said.is_empty() { field("status") } else { said };
    let trouble = match action.split([' ', '(', ';']).next().unwrap_or_default() {
        "delivered" | "relayed" | "expanded" | "delayed" | "delay" | "deferred" => None,
        "failed" => Trouble::judge(&status, said).or_else(|| Trouble::judge("5.0.0", said)),
        _ => Trouble::judge(&status, said),
    };
    let named = after_type(field("final-recipient")).trim_matches(['<', '>', ' ']);
    let named = Some(named.to_owned()).filter(|named| !named.is_empty()).into_iter().collect();
    Some(trouble.map(|trouble| Failure { named, trouble }).into_iter().collect())
}

/// Drops the type of a value such as `rfc822; ann@example.org`.
fn after_type(value: &str) -> &str {
    value.split_once(';').map_or(value, |(_, value)| value).trim()
}

fn looks_like_report(message: &Message, sender: Option<&str>) -> bool {
    message.from.iter().map(String::as_str).chain(sender).any(|name| is_mailer(name) || is_postmaster(name))
        || is_report_subject(&message.subject)
        || has_report_subject(message)
}

pub(in crate::inbound) fn has_report_subject(message: &Message) -> bool {
    let subject = message.subject.to_lowercase();
    SUBJECTS.iter().any(|known| subject.contains(known))
}

fn read_words(subject: &str, text: &str) -> Option<Failure> {
    let is_copy = |line: &&str| {
        let line = line.to_lowercase();
        line.starts_with("--") && COPIES.iter().any(|known| line.contains(known))
    };
    let told: Vec<&str> = text.lines().take_while(|line| !is_copy(line)).collect();
    let whole = told.join(" ").to_lowercase().replace('\u{2019}', "'");
    if subject.to_lowercase().contains("delay") || DELAYS.iter().any(|known| whole.contains(known)) {
        return None;
    }
    // A line with a code says more than the text around it, and one with known words more than the rest.
    let has_status = |line: &&str| find_status(line).is_some_and(|status| !status.starts_with('2'));
    let telling = told
        .iter()
        .position(has_status)
        .or_else(|| told.iter().position(|line| find_reply_code(line).is_some()));
    let telling = telling.or_else(|| told.iter().position(|line| Trouble::from_words(line).is_some()));
    let said = telling.and_then(|at| told.get(at..(at + 2).min(told.len()))).map(|lines| lines.join(" "));
    let trouble = match said {
        Some(said) => Trouble::from_words(&said)?,
        None if FAILURES.iter().any(|known| whole.contains(known)) => Trouble::judge("5.0.0", "")?,
        None => return None,
    };
    let is_address = |word: &&str| {
        word.split_once('@').is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.'))
    };
    // Exim: the address that an alias led on from did not fail.
    let failed = told.iter().filter(|line| !line.contains("generated from"));
    let words = failed.flat_map(|line| line.split(|c: char| c.is_whitespace() || "<>()[]\"',;:".contains(c)));
    let named = words
        .map(|word| word.trim_end_matches('.'))
        .filter(is_address)
        .take(MOST_NAMED)
        .map(ToOwned::to_owned)
        .collect();
    Some(Failure { named, trouble })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use knotpost_mail::parse;
    use knotpost_model::BounceKind;

    fn read(raw: &str) -> Option<(BounceKind, String)> {
        let raw = raw.replace('\n', "\r\n");
        let message = parse(raw.as_bytes()).unwrap();
        let failures = read_report(raw.as_bytes(), &message, None);
        Failure::of_address(&failures, "ann@b.example").map(|trouble| (trouble.kind, trouble.status))
    }

    fn dsn(fields: &str) -> String {
        format!(
            "From: MAILER-DAEMON@mx.example\nSubject: Undelivered Mail\nMIME-Version: 1.0\n\
             Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\n\n\
             --b\nContent-Type: text/plain\n\nSorry.\n\n--b\nContent-Type: message/delivery-status\n\n\
             Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; ann@b.example\n{fields}\n\n\
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
        assert_eq!(read(&dsn("Action: failed")).unwrap().0, BounceKind::Soft, "without a code");
        for action in ["error", "failure", "expired", "FAILED (5.1.1)"] {
            assert_eq!(read(&dsn(&format!("Action: {action}\nStatus: 5.1.1"))), hard, "{action}");
        }
        assert_eq!(read(&dsn("Status: 5.1.1")), hard, "without an action");
        for action in ["delivered", "relayed", "expanded", "delayed"] {
            for status in ["2.0.0", "4.4.1", "5.1.1"] {
                assert_eq!(read(&dsn(&format!("Action: {action}\nStatus: {status}"))), None, "{action}");
            }
        }
        let alias = dsn("Action: failed\nStatus: 5.1.1").replace("822; ann@", "822; dora@");
        assert_eq!(read(&alias).unwrap().0, BounceKind::Soft, "another mailbox is dead");
    }

    #[test]
    fn other_reports_tell_of_mails_that_arrived() {
        for kind in ["disposition-notification", "feedback-report"] {
            let failed = dsn("Action: failed\nStatus: 5.1.1");
            let raw = failed.replace("message/delivery-status", &format!("message/{kind}"));
            assert_eq!(read(&raw), None, "{kind}");
            let raw = failed.replace("report-type=delivery-status", &format!("report-type={kind}"));
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
            assert_eq!(read(raw).map(|(kind, _)| kind), *kind, "{name}");
        }
    }
}

#[cfg(test)]
mod wild;
