//! The meaning of a bounce: whether the address is invalid, or only this mail could not be delivered.
//!
//! Reads the status codes of RFC 3463 and the words in which mail servers explain them; knows nothing of
//! messages.

use std::fmt;

/// How much a returned mail says about its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BounceKind {
    /// The mailbox does not exist.
    Hard,
    /// This mail did not arrive; the next one may.
    Soft,
}

impl BounceKind {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hard => "hard",
            Self::Soft => "soft",
        }
    }
}

impl fmt::Display for BounceKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Why a mail came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What that says about the address.
    pub kind: BounceKind,
    /// The enhanced status code; empty when none was given.
    pub status: String,
    /// What the other side said, one line of limited length.
    pub said: String,
}

/// Characters kept of what the other side said.
const MOST_SAID: usize = 300;

/// Phrases that say that the mailbox does not exist, whatever the code.
const NO_MAILBOX: [&str; 17] = [
    "user unknown",
    "unknown user",
    "no such user",
    "no such recipient",
    "no such mailbox",
    "no mailbox here",
    "mailbox not found",
    "mailbox does not exist",
    "user not found",
    "recipient not found",
    "recipientnotfound",
    "address not found",
    "invalid recipient",
    "does not exist",
    "unrouteable address",
    "unknown recipient",
    "recipient unknown",
];

/// Phrases that say that the failure does not concern the address, or is temporary.
const PASSING: [&str; 10] = [
    "quota",
    "mailbox is full",
    "mailbox full",
    "temporar",
    "try again",
    "will be retried",
    "will retry",
    "delayed",
    "timed out",
    "timeout exceeded",
];

/// Phrases with which a server refuses a mail that it might take from another server, or with other words in it.
const POLICY: [&str; 9] = [
    "spam",
    "relay",
    "not permitted",
    "not allowed",
    "blocked",
    "blacklist",
    "blocklist",
    "policy",
    "authenticat",
];

impl Trouble {
    /// Judges a status code and the words that came with it. `None`: the code tells of success.
    pub fn judge(status: &str, said: &str) -> Option<Self> {
        let status = specific_status(status, said);
        let kind = judge(&status, &said.to_lowercase())?;
        Some(Self { kind, status, said: one_line(said) })
    }

    /// Judges the reply of a mail server, such as `550 5.1.1 no such user`, or whatever words there are.
    pub fn from_words(said: &str) -> Option<Self> {
        let status = find_status(said).or_else(|| find_reply_code(said)).unwrap_or_default();
        Self::judge(&status, said)
    }
}

/// The status that a code with a second and third part of zero stands for: Exim writes 5.0.0 into every report of a
/// failure, and the other server's code into the diagnostic.
fn specific_status(status: &str, said: &str) -> String {
    let told = || find_status(said).or_else(|| find_reply_code(said)).filter(|told| !told.starts_with('2'));
    let told = if status.starts_with('5') && is_vague(status) { told() } else { None };
    told.filter(|told| !is_vague(told)).unwrap_or_else(|| status.to_owned())
}

fn is_vague(status: &str) -> bool {
    status.ends_with(".0.0")
}

fn judge(status: &str, said: &str) -> Option<BounceKind> {
    let holds = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let mut parts = status.split('.');
    let (class, subject, detail) = (parts.next(), parts.next().unwrap_or("0"), parts.next().unwrap_or("0"));
    match class {
        Some("2") => None,
        Some("4") => Some(BounceKind::Soft),
        Some("5") if holds(&NO_MAILBOX) => Some(BounceKind::Hard),
        Some("5") if is_vague(status) && (holds(&PASSING) || holds(&POLICY)) => Some(BounceKind::Soft),
        // RFC 3463: a full box, a size, the system, time, the content and policies are no fault of the address.
        Some("5") => match (subject, detail) {
            ("2", "2" | "3") | ("3" | "6" | "7", _) | ("4", "7") => Some(BounceKind::Soft),
            _ => Some(BounceKind::Hard),
        },
        _ if holds(&PASSING) => Some(BounceKind::Soft),
        _ if holds(&NO_MAILBOX) || said.contains("permanent") => Some(BounceKind::Hard),
        _ => None,
    }
}

/// The first enhanced status code (`5.1.1`) in a text.
pub fn find_status(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    text.split(|c: char| !is_part(c)).find_map(|word| {
        let word = word.trim_matches('.');
        let parts: Vec<&str> = word.split('.').collect();
        let [class, subject, detail] = parts.as_slice() else { return None };
        let short = |part: &str| !part.is_empty() && part.len() <= 3;
        let sound = matches!(*class, "2" | "4" | "5") && short(subject) && short(detail);
        sound.then(|| word.to_owned())
    })
}

/// The first three-digit reply of SMTP that tells of a failure, as a status of that class.
fn find_reply_code(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let code = words.into_iter().find(|word| {
        word.len() == 3
            && word.bytes().all(|byte| byte.is_ascii_digit())
            && word.parse::<u16>().is_ok_and(|code| matches!(code, 421 | 450..=459 | 550..=559))
    })?;
    match code {
        "552" => Some("5.2.2".to_owned()),
        code if code.starts_with('4') => Some("4.0.0".to_owned()),
        _ => Some("5.0.0".to_owned()),
    }
}

fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(MOST_SAID).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_say_whether_the_address_is_of_no_use() {
        let hard = ["5.1.1", "5.1.10", "5.2.1", "5.4.4", "5.0.0", "5.1.2"];
        let soft = ["4.2.2", "4.4.1", "5.2.2", "5.3.4", "5.4.7", "5.6.0", "5.7.1", "4.0.0"];
        for status in hard {
            assert_eq!(Trouble::judge(status, "").unwrap().kind, BounceKind::Hard, "{status}");
        }
        for status in soft {
            assert_eq!(Trouble::judge(status, "").unwrap().kind, BounceKind::Soft, "{status}");
        }
        assert_eq!(Trouble::judge("2.0.0", "delivered"), None);
    }

    #[test]
    fn words_count_where_codes_are_missing_or_vague() {
        for (said, kind) in [
            ("550 5.7.1 no such user here", BounceKind::Hard),
            ("550 go away", BounceKind::Hard),
            ("550 relay not permitted", BounceKind::Soft),
            ("554 message looks like spam", BounceKind::Soft),
            ("550 unknown user, relay not permitted", BounceKind::Hard),
            ("450 come later", BounceKind::Soft),
            ("552 box is at its limit", BounceKind::Soft),
            ("Unrouteable address", BounceKind::Hard),
            ("the mailbox is full", BounceKind::Soft),
            ("retry timeout exceeded", BounceKind::Soft),
        ] {
            assert_eq!(Trouble::from_words(said).unwrap().kind, kind, "{said}");
        }
        assert_eq!(Trouble::from_words("I am on holiday until Monday"), None);
    }

    /// Exim writes `Status: 5.0.0` whatever the other server said.
    #[test]
    fn a_vague_status_is_that_of_the_diagnostic() {
        for (said, status, kind) in [
            ("552-5.2.2 the box of this user is over its limit", "5.2.2", BounceKind::Soft),
            ("552 the box is at its limit", "5.2.2", BounceKind::Soft),
            ("550-5.7.1 likely unsolicited", "5.7.1", BounceKind::Soft),
            ("550 5.1.1 nobody", "5.1.1", BounceKind::Hard),
            ("550 mailbox quota exceeded", "5.0.0", BounceKind::Soft),
            ("550 go away", "5.0.0", BounceKind::Hard),
        ] {
            let found = Trouble::judge("5.0.0", said).unwrap();
            assert_eq!((found.status.as_str(), found.kind), (status, kind), "{said}");
        }
        let found = Trouble::judge("5.1.1", "552 5.2.2 what a server before it said").unwrap();
        assert_eq!((found.status.as_str(), found.kind), ("5.1.1", BounceKind::Hard));
    }

    #[test]
    fn a_status_is_no_network_address_and_no_version() {
        assert_eq!(find_status("host mx[5.6.7.8] said: 550-5.1.1 nobody").as_deref(), Some("5.1.1"));
        assert_eq!(find_status("5.6.7.8 and 1.2.3 and 5.1000.1"), None);
        assert_eq!(find_status("(#5.1.1)").as_deref(), Some("5.1.1"));
    }

    proptest! {
        #[test]
        fn whatever_was_said_fits_on_a_line(said in "\\PC{0,400}") {
            if let Some(trouble) = Trouble::from_words(&said) {
                prop_assert!(trouble.said.chars().count() <= MOST_SAID && !trouble.said.contains('\n'));
            }
        }
    }
}
