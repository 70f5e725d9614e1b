//! Classification of bounces: an invalid address, or a temporary or unrelated failure.
//!
//! Reads the status codes of RFC 3463 and the phrases of mail servers; independent of message formats.

use crate::address::Address;
use crate::bounce_words::Words;
use crate::words;

words! {
    BounceKind {
        /// The mailbox does not exist.
        Hard = "hard",
        /// This mail did not arrive; the next one may.
        Soft = "soft",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub kind: BounceKind,
    pub status: String,
    /// Text of the other side, one line, shortened.
    pub said: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub named: Vec<String>,
    pub trouble: Trouble,
}

impl Failure {
    /// Trouble of the address a mail was sent to. A failure behind its alias is ignored: the alias is
    /// reached.
    pub fn of_address(failures: &[Self], address: &str) -> Option<Trouble> {
        let key = address_key(address);
        let names = |failure: &&Self| {
            failure.named.is_empty() || failure.named.iter().any(|named| address_key(named) == key)
        };
        let own =
            failures.iter().filter(names).min_by_key(|failure| failure.trouble.kind == BounceKind::Hard);
        if let Some(own) = own {
            return Some(own.trouble.clone());
        }
        failures.first().map(|other| Trouble { kind: BounceKind::Soft, ..other.trouble.clone() })
    }
}

fn address_key(address: &str) -> String {
    address.parse::<Address>().map_or_else(|_| address.trim().to_lowercase(), |address| address.key())
}

/// Characters stored of the other side's text.
const MOST_SAID: usize = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    Absent,
    None,
    /// Another cause, or temporary.
    OtherCause,
}

impl Trouble {
    /// Judges a status code with its text: an address is invalid only by evidence, and in a contradiction the
    /// milder reading counts. `None`: success, or no sign of failure.
    pub fn judge(status: &str, said: &str) -> Option<Self> {
        if status.starts_with('2') {
            return None;
        }
        let told: Vec<&str> = statuses(said).filter(|told| !told.starts_with('2')).collect();
        let given = Some(status).filter(|status| !status.is_empty());
        let (reply, words) = (find_reply_code(said), Words::of(said));
        if given.is_none() && told.is_empty() && reply.is_none() && !words.tell_of_failure() {
            return None;
        }
        let codes = given.into_iter().chain(told.iter().copied());
        let evidence: Vec<Evidence> = codes
            .map(of_status)
            .chain(reply.map(of_reply))
            .chain([if words.name_another_cause() { Evidence::OtherCause } else { Evidence::None }])
            .chain([if words.deny_the_mailbox() { Evidence::Absent } else { Evidence::None }])
            .collect();
        let is_absent = evidence.contains(&Evidence::Absent) && !evidence.contains(&Evidence::OtherCause);
        let kind = if is_absent { BounceKind::Hard } else { BounceKind::Soft };
        // Exim writes 5.0.0 into every report, and the other server's code into the diagnostic.
        let named = given.filter(|given| !is_vague(given)).or_else(|| told.first().copied()).or(given);
        let status = named.map(ToOwned::to_owned).or_else(|| reply.map(|code| format!("{}.0.0", code / 100)));
        Some(Self { kind, status: status.unwrap_or_default(), said: one_line(said) })
    }

    /// True if the sending server, its names or its policies were refused, not the recipient.
    pub fn blames_the_sender(&self) -> bool {
        let is_blame = |status: &str| status.starts_with("5.7.") || matches!(status, "5.1.7" | "5.1.8");
        statuses(&self.said).chain([self.status.as_str()]).any(is_blame)
            || Words::of(&self.said).name_the_sender()
    }

    /// Judges the reply of a mail server, such as `550 5.1.1 no such user`, or free text.
    pub fn from_words(said: &str) -> Option<Self> {
        Self::judge("", said)
    }
}

/// Evidence of a code, by RFC 3463.
fn of_status(status: &str) -> Evidence {
    match status {
        "5.1.1" | "5.1.2" | "5.1.3" | "5.1.6" | "5.1.10" | "5.2.1" | "5.4.4" => Evidence::Absent,
        status if is_vague(status) => Evidence::None,
        // Not caused by the address: full box, size, sender, system, content, policy.
        _ => Evidence::OtherCause,
    }
}

/// True for a permanent code without a specific cause.
fn is_vague(status: &str) -> bool {
    matches!(status, "5.0.0" | "5.1.0" | "5.2.0" | "5.3.0" | "5.4.0" | "5.5.0")
}

fn of_reply(code: u16) -> Evidence {
    match code {
        551 => Evidence::Absent,
        522 | 552 => Evidence::OtherCause,
        500.. => Evidence::None,
        _ => Evidence::OtherCause,
    }
}

/// First enhanced status code (`5.1.1`) in a text.
pub fn find_status(text: &str) -> Option<String> {
    statuses(text).next().map(ToOwned::to_owned)
}

fn statuses(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    text.split(move |c: char| !is_part(c)).filter_map(|word| {
        let word = word.trim_matches('.');
        let parts: Vec<&str> = word.split('.').collect();
        let [class, subject, detail] = parts.as_slice() else { return None };
        let short = |part: &str| !part.is_empty() && part.len() <= 3;
        let sound = matches!(*class, "2" | "4" | "5") && short(subject) && short(detail);
        sound.then_some(word)
    })
}

/// First three-digit SMTP reply code of a failure.
pub fn find_reply_code(text: &str) -> Option<u16> {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    words.find_map(|word| {
        let code: u16 = Some(word).filter(|word| word.len() == 3)?.parse().ok()?;
        matches!(code, 421 | 450..=459 | 521 | 522 | 550..=559).then_some(code)
    })
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

    use BounceKind::{Hard, Soft};

    #[test]
    fn codes_say_whether_the_address_is_of_no_use() {
        let hard = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1", "5.4.4"];
        let soft = [
            "4.2.2", "4.4.1", "4.0.0", "4.1.1", "5.0.0", "5.1.0", "5.1.7", "5.1.8", "5.2.0", "5.2.2",
            "5.3.0", "5.3.4", "5.4.1", "5.4.6", "5.4.7", "5.4.312", "5.4.316", "5.5.0", "5.6.0", "5.7.1",
            "5.7.26",
        ];
        for status in hard {
            assert_eq!(Trouble::judge(status, "").unwrap().kind, Hard, "{status}");
        }
        for status in soft {
            assert_eq!(Trouble::judge(status, "").unwrap().kind, Soft, "{status}");
        }
        assert_eq!(Trouble::judge("2.0.0", "delivered"), None);
    }

    #[test]
    fn what_a_server_says_is_judged_by_evidence() {
        for (said, kind) in [
            (
                "550 5.1.1 <ann@spam.example>: Recipient address rejected: User unknown in relay recipient table",
                Hard,
            ),
            ("550 no such user here", Hard),
            ("551 not one of ours", Hard),
            ("550 unknown user, relay not permitted", Hard),
            ("550-5.2.1 The email account that you tried to reach is disabled", Hard),
            ("Unrouteable address", Hard),
            ("User ann (ann@b.example) not listed in Domino Directory", Hard),
            ("Invalid final delivery userid: ann@b.example", Hard),
            ("The recipient name is not recognized", Hard),
            ("553 5.3.0 <ann@b.example>... User unknown", Hard),
            ("550 go away", Soft),
            ("550 5.1.8 Sender address rejected: Domain not found", Soft),
            ("550 5.7.1 no such user here", Soft),
            ("550 relay not permitted", Soft),
            (
                "550-Verification failed for <games@b.example> 550-No Such User Here 550 Sender verify failed",
                Soft,
            ),
            ("554 message looks like spam", Soft),
            ("450 4.1.1 user unknown", Soft),
            ("450 come later", Soft),
            ("552 box is at its limit", Soft),
            ("522 over quota", Soft),
            ("550 5.1.1 mailbox of the user is over quota", Soft),
            (
                "550-5.2.1 The user you are trying to contact is receiving mail at a rate that prevents more",
                Soft,
            ),
            ("550 the SPF record of games.example does not exist", Soft),
            ("550 PTR record does not exist", Soft),
            ("550 5.5.0 Requested action not taken: mailbox unavailable", Soft),
            ("551 5.7.1 user not local", Soft),
            ("the mailbox is full", Soft),
            ("retry timeout exceeded", Soft),
            ("This is a permanent error.", Soft),
        ] {
            let found = Trouble::from_words(said).or_else(|| Trouble::judge("5.0.0", said));
            assert_eq!(found.unwrap().kind, kind, "{said}");
        }
        for nothing in ["I am on holiday until Monday", "This is a permanent error.", "the sender wrote"] {
            assert_eq!(Trouble::from_words(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn where_status_and_diagnostic_disagree_the_more_lenient_counts() {
        for (status, said, named, kind) in [
            ("5.0.0", "552-5.2.2 the box of this user is over its limit", "5.2.2", Soft),
            ("5.0.0", "552 the box is at its limit", "5.0.0", Soft),
            ("5.0.0", "550-5.7.1 likely unsolicited", "5.7.1", Soft),
            ("5.0.0", "550 5.1.1 nobody", "5.1.1", Hard),
            ("5.0.0", "550 Bad SPF records for games.example", "5.0.0", Soft),
            ("5.0.0", "550 Virus detected; content rejected", "5.0.0", Soft),
            ("5.1.1", "550 5.7.1 IP address is listed, ask your provider", "5.1.1", Soft),
            ("5.1.1", "552 5.2.2 Over quota", "5.1.1", Soft),
            ("5.1.1", "450 4.2.0 greylisted", "5.1.1", Soft),
            ("5.7.1", "550 5.1.1 user unknown", "5.7.1", Soft),
            ("5.1.7", "550 5.1.7 no such domain games.example", "5.1.7", Soft),
            ("5.1.1", "550 5.1.1 <ann@b.example>: user unknown", "5.1.1", Hard),
            ("5.1.1", "", "5.1.1", Hard),
            ("5.1.1", "x-unix; 67", "5.1.1", Hard),
        ] {
            let found = Trouble::judge(status, said).unwrap();
            assert_eq!((found.status.as_str(), found.kind), (named, kind), "{status} {said}");
        }
    }

    #[test]
    fn a_dead_mailbox_behind_an_alias_is_not_the_alias() {
        let failure = |named: &[&str], said: &str| Failure {
            named: named.iter().map(|&named| named.to_owned()).collect(),
            trouble: Trouble::from_words(said).unwrap(),
        };
        let hard = "550 5.1.1 nobody";
        for (failures, kind) in [
            (vec![failure(&["Cat@CAT.example"], hard)], Some(Hard)),
            (vec![failure(&[], hard)], Some(Hard)),
            (vec![failure(&["dora@other.example", "cat@cat.example"], hard)], Some(Hard)),
            (vec![failure(&["dora@other.example"], hard)], Some(Soft)),
            (vec![failure(&["dora@other.example"], hard), failure(&["cat@cat.example"], hard)], Some(Hard)),
            (
                vec![failure(&["cat@cat.example"], hard), failure(&["cat@cat.example"], "552 full")],
                Some(Soft),
            ),
            (vec![], None),
        ] {
            let found = Failure::of_address(&failures, "cat@cat.example").map(|trouble| trouble.kind);
            assert_eq!(found, kind, "{failures:?}");
        }
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
