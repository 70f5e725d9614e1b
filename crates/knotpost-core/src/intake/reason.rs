//! Reasons: outcomes of mail as stored in the inbox and shown to administrators.
//!
//! Names are stored, so their meaning never changes; new ones may be added.

use std::fmt;

use knotpost_model::words;

words! {
    Reason {
        Executed = "executed",
        /// Understood and refused (a rule, a limit, a wrong password), with an answer.
        Refused = "refused",
        /// Not understood; the sender got an error.
        AnsweredError = "answered_error",
        Duplicate = "duplicate",
        /// Lines of a `multiple`, executed one by one.
        Multiple = "multiple",
        Postmaster = "postmaster",
        /// Complaint about mail of this server, reported to the administrators.
        Complaint = "complaint",
        BounceRecorded = "bounce_recorded",
        BounceRepeated = "bounce_repeated",
        /// Bounce to a forged return path, or of a mail no longer stored.
        BounceUnknown = "bounce_unknown",
        /// Mail of a program to a return path that reports no failure.
        BounceUnclear = "bounce_unclear",
        Dropped = "dropped_by_administrator",
        /// No mail at all, or beyond all limits.
        Broken = "broken",
        TooLarge = "too_large",
        Unreadable = "unreadable",
        NoSender = "no_sender",
        SeveralFrom = "several_from",
        /// No possible command in Subject or text.
        NoCommand = "no_command",
        UnknownRecipient = "unknown_recipient",
        /// Null return path, as in bounces.
        NullSender = "null_sender",
        AutoSubmitted = "auto_submitted",
        /// Automatic reply, by header or Subject.
        AutoReply = "auto_reply",
        /// Emoji or word of approval sent by a mail program for a person.
        Reaction = "reaction",
        /// Notice of delivery, non-delivery or reading.
        DeliveryReport = "delivery_report",
        /// From a mail system, not a person.
        MailerDaemon = "mailer_daemon",
        /// Our own mail returned, or mail in the name of one of our addresses.
        OwnMessage = "own_message",
        /// More `Received` headers than honest mail has.
        TooManyHops = "too_many_hops",
        /// Bulk mail without a valid command.
        MailingList = "mailing_list",
        AnswerBudget = "answer_budget",
        GlobalBudget = "global_budget",
        /// Suspended or limited sender.
        NotAllowed = "not_allowed",
        /// Reply address expired, revoked or forged.
        BadToken = "bad_token",
        /// Sent to a valid reply address from a foreign address; confirmation requested.
        ForeignSender = "foreign_sender",
        Unauthenticated = "unauthenticated",
        /// Processing failed; the raw mail is kept.
        Failed = "failed",
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
