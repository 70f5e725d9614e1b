//! Phrases of mail servers in bounces.

/// Prefixes of phrases, in lower case: mailbox or domain does not exist.
const NO_MAILBOX: [&str; 53] = [
    "user unknown",
    "unknown user",
    "unknown local",
    "user not known",
    "user not found",
    "user doesn't",
    "no such user",
    "no such recipient",
    "no such mailbox",
    "no such address",
    "no such account",
    "no such person",
    "no mailbox here",
    "no account by that name",
    "mailbox not found",
    "mailbox unknown",
    "unknown mailbox",
    "mailbox disabled",
    "mailbox is disabled",
    "not a valid mailbox",
    "recipient not found",
    "recipientnotfound",
    "recipnotfound",
    "address not found",
    "address couldn't be found",
    "address you entered couldn't be found",
    "wasn't found at",
    "does not exist",
    "doesn't exist",
    "no longer exists",
    "invalid recipient",
    "invalid mailbox",
    "invalid final delivery userid",
    "unrouteable address",
    "unroutable address",
    "unknown recipient",
    "recipient unknown",
    "unknown address",
    "address unknown",
    "recipient name is not recognized",
    "not listed in domino directory",
    "not listed in public name",
    "account has been disabled",
    "account is disabled",
    "account that you tried to reach is disabled",
    "disabled or discontinued",
    "host unknown",
    "unknown host",
    "host not found",
    "domain not found",
    "domain name not found",
    "no mx record",
    "empfänger unbekannt",
];

/// Prefixes of phrases: temporary, or unrelated to the address.
const PASSING: [&str; 19] = [
    "quota",
    "overquota",
    "mailbox is full",
    "mailbox full",
    "mailfolder is full",
    "box is full",
    "over its limit",
    "exceeded storage",
    "insufficient storage",
    "temporar",
    "try again",
    "try later",
    "will be retried",
    "will retry",
    "timed out",
    "timeout",
    "at a rate",
    "too quickly",
    "too many",
];

/// Prefixes of phrases that blame the sender, their host, the content or a policy. Alone they indicate no
/// failure.
const OTHER_CAUSE: [&str; 25] = [
    "sender",
    "spf",
    "dkim",
    "dmarc",
    "ptr",
    "reverse dns",
    "reverse name",
    "rdns",
    "helo",
    "ehlo",
    "your ip",
    "your host",
    "your domain",
    "client host",
    "authenticat",
    "spam",
    "virus",
    "malware",
    "blocked",
    "blacklist",
    "blocklist",
    "block list",
    "reputation",
    "policy",
    "greylist",
];

/// Normalised text of a report: lower case, a blank before each word, without addresses and host names, which
/// may contain any word.
pub(crate) struct Words(String);

impl Words {
    pub(crate) fn of(said: &str) -> Self {
        let is_name = |word: &&str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            word.contains('@') || word.contains('.')
        };
        let mut words = String::with_capacity(said.len() + 1);
        for word in said.split_whitespace().filter(|word| !is_name(word)) {
            let word = word.to_lowercase().replace('’', "'");
            for part in
                word.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|part| !part.is_empty())
            {
                words.push(' ');
                words.push_str(part);
            }
        }
        Self(words)
    }

    fn hold(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.0.match_indices(phrase).any(|(at, _)| self.0[..at].ends_with(' ')))
    }

    pub(crate) fn deny_the_mailbox(&self) -> bool {
        self.hold(&NO_MAILBOX)
    }

    /// True for a temporary cause, or one other than the mailbox.
    pub(crate) fn name_another_cause(&self) -> bool {
        self.hold(&PASSING) || self.name_the_sender()
    }

    /// True if the sender, their host, the content or a policy is blamed.
    pub(crate) fn name_the_sender(&self) -> bool {
        self.hold(&OTHER_CAUSE)
    }

    pub(crate) fn tell_of_failure(&self) -> bool {
        self.hold(&NO_MAILBOX) || self.hold(&PASSING)
    }
}
