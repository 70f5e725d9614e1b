//! Notices that no verb gives, to senders of mails.

use knotpost_commands::{Password, Userid};
use serde::Serialize;

use super::{Content, Facts};

/// How long no more answers follow.
#[derive(Debug, Serialize)]
pub struct Silence {
    /// When it ends.
    pub until: String,
    /// In how many minutes that is.
    pub minutes: i64,
}

/// What a user says on boards by mail is not passed on for a while.
#[derive(Debug, Serialize)]
pub struct ChatsSpent {
    /// How many were passed on in an hour.
    pub chats: i64,
    /// How long no more are.
    pub silence: Silence,
}

impl Content for ChatsSpent {
    fn template(&self) -> &'static str {
        "chats_spent"
    }

    fn facts(&self) -> Facts {
        Facts::of(self)
    }
}

/// A command was carried out for a user none of whose addresses is confirmed.
#[derive(Debug, Serialize)]
pub struct DoneUnconfirmed {
    pub userid: String,
    /// The command, passwords masked.
    pub echo: String,
    /// When the mail that asks for the confirmation went to the sender's address; `None`: none has gone there.
    pub asked: Option<String>,
}

impl Content for DoneUnconfirmed {
    fn template(&self) -> &'static str {
        "done_unconfirmed"
    }

    fn facts(&self) -> Facts {
        Facts::of(self)
    }
}

/// The error answer to a sender who is not known. It holds no word of theirs.
#[derive(Debug)]
pub struct Stranger {
    /// Why the mail was not carried out, in words of the server alone; `None`: it is no command.
    pub reason: Option<String>,
}

impl Content for Stranger {
    fn template(&self) -> &'static str {
        "stranger"
    }

    fn facts(&self) -> Facts {
        let reason =
            self.reason.as_ref().map(|reason| format!("Your mail could not be carried out: {reason}."));
        Facts::none()
            .prose("reason", reason)
            .prose("rules", format!("A userid has {}. A password has {}.", Userid::rule(), Password::rule()))
    }
}

/// The last answer of this hour.
#[derive(Debug, Serialize)]
pub struct BudgetSpent {
    /// How many errors were answered, when only errors are answered no more; `None`: nothing is.
    pub errors: Option<i64>,
    /// How long that lasts.
    pub silence: Silence,
}

impl Content for BudgetSpent {
    fn template(&self) -> &'static str {
        "budget_spent"
    }

    fn facts(&self) -> Facts {
        Facts::of(self)
    }
}
