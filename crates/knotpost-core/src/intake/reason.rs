//! Reasons: why a mail ended as it did, as stored on the inbox row and shown to administrators.
//!
//! The names are stored, so they never change their meaning; new ones may be added.

use std::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// What became of a mail, and why.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Reason {
            $($(#[$doc])* $variant,)+
        }

        impl Reason {
            /// Every reason, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The stored name: lower-case words joined by underscores.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

reasons! {
    /// A command was carried out and answered.
    Executed = "executed",
    /// The command was understood and refused (a rule, a limit, a wrong password); the answer says why.
    Refused = "refused",
    /// The mail could not be understood, and its sender got an error.
    AnsweredError = "answered_error",
    /// The same mail had been processed before.
    Duplicate = "duplicate",
    /// The commands of a `multiple` mail were carried out one by one.
    Multiple = "multiple",
    /// A mail to the postmaster, handed to the administrators.
    Postmaster = "postmaster",
    /// A complaint about mail of this server, shown to the administrators.
    Complaint = "complaint",
    /// A report about a mail of ours that did not arrive, counted against its address.
    BounceRecorded = "bounce_recorded",
    /// The same report once more.
    BounceRepeated = "bounce_repeated",
    /// A report that came to a return path which is not one of ours, or whose mail is gone.
    BounceUnknown = "bounce_unknown",
    /// A mail of a program that came to a return path and does not say that a mail failed.
    BounceUnclear = "bounce_unclear",
    /// Ended by an administrator.
    Dropped = "dropped_by_administrator",
    /// The bytes are no mail, or a mail beyond all limits.
    Broken = "broken",
    /// More bytes than this server takes.
    TooLarge = "too_large",
    /// A file in the watched folder that could not be read.
    Unreadable = "unreadable",
    /// The mail names no author.
    NoSender = "no_sender",
    /// The mail names several authors.
    SeveralFrom = "several_from",
    /// Neither the Subject nor the text holds anything that could be a command.
    NoCommand = "no_command",
    /// None of the recipients is an address of this server.
    UnknownRecipient = "unknown_recipient",
    /// Sent with an empty return path, as reports are.
    NullSender = "null_sender",
    /// Declared by `Auto-Submitted` to come from a program.
    AutoSubmitted = "auto_submitted",
    /// An automatic reply, by a header or by its Subject.
    AutoReply = "auto_reply",
    /// An emoji or a word of approval that a program sent for a person.
    Reaction = "reaction",
    /// A report that a mail was delivered, read or not delivered.
    DeliveryReport = "delivery_report",
    /// Written by a mail system rather than by a person.
    MailerDaemon = "mailer_daemon",
    /// One of our own mails come back, or a mail in the name of one of our addresses.
    OwnMessage = "own_message",
    /// Passed through more servers than any honest mail.
    TooManyHops = "too_many_hops",
    /// Bulk mail without a valid command: neither executed nor answered.
    MailingList = "mailing_list",
    /// An answer withheld because its sender has had enough of them for an hour.
    AnswerBudget = "answer_budget",
    /// An answer withheld because a budget that its sender shares with others is spent for the hour.
    GlobalBudget = "global_budget",
    /// The sender may not write at the moment (suspended or limited).
    NotAllowed = "not_allowed",
    /// A reply address that has expired, was revoked or never was ours.
    BadToken = "bad_token",
    /// Sent to a valid reply address from an address that is not the player's; confirmation asked for.
    ForeignSender = "foreign_sender",
    /// The authentication policy of this server refuses the mail.
    Unauthenticated = "unauthenticated",
    /// Processing failed; the raw mail is kept.
    Failed = "failed",
}

impl Reason {
    /// Reads a stored name back.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.as_str() == name)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_unique_and_reads_back() {
        for reason in Reason::ALL {
            assert_eq!(Reason::from_name(reason.as_str()), Some(*reason));
        }
        assert_eq!(Reason::from_name("no such reason"), None);
    }
}
