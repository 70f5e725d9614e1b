//! Notices to senders of mails, not caused by a verb.

use knotpost_commands::{Password, Userid};
use serde::Serialize;

use super::{Content, Facts};

#[derive(Debug, Serialize)]
pub struct Silence {
    pub until: String,
    pub minutes: i64,
}

#[derive(Debug, Serialize)]
pub struct ChatsSpent {
    pub chats: i64,
    pub silence: Silence,
}

impl Content for ChatsSpent {
    const TEMPLATE: &'static str = "chats_spent";
}

/// Notice: a command was carried out for a user without a confirmed address.
#[derive(Debug, Serialize)]
pub struct DoneUnconfirmed {
    pub userid: String,
    pub echo: String,
    /// Time of the confirmation mail to the sender's address; `None`: none was sent there.
    pub asked: Option<String>,
}

impl Content for DoneUnconfirmed {
    const TEMPLATE: &'static str = "done_unconfirmed";
}

/// Error answer to an unknown sender, without any of their words.
#[derive(Debug, Serialize)]
pub struct Stranger {
    /// Reason in fixed words; `None`: not a command.
    pub reason: Option<String>,
}

impl Content for Stranger {
    const TEMPLATE: &'static str = "stranger";

    fn facts(&self) -> Facts {
        let reason =
            self.reason.as_ref().map(|reason| format!("Your mail could not be carried out: {reason}."));
        Facts::none()
            .prose("reason", reason)
            .prose("rules", format!("A userid has {}. A password has {}.", Userid::rule(), Password::rule()))
    }
}

#[derive(Debug, Serialize)]
pub struct BudgetSpent {
    /// Number of errors answered, if only errors are silenced; `None`: everything is.
    pub errors: Option<i64>,
    pub silence: Silence,
}

impl Content for BudgetSpent {
    const TEMPLATE: &'static str = "budget_spent";
}
