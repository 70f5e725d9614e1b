//! Notices that no verb gives, to senders of mails.

use serde::Serialize;

use super::{Content, Facts};

/// What a user says on boards by mail is not passed on for a while.
#[derive(Debug, Serialize)]
pub struct ChatsSpent {
    /// How many were passed on in an hour.
    pub chats: i64,
}

impl Content for ChatsSpent {
    fn template(&self) -> &'static str {
        "chats_spent"
    }

    fn facts(&self) -> Facts {
        Facts::of(self)
    }
}

/// The error answer to a sender who is not known: always the same words.
#[derive(Debug)]
pub struct Stranger;

impl Content for Stranger {
    fn template(&self) -> &'static str {
        "stranger"
    }

    fn facts(&self) -> Facts {
        Facts::none()
    }
}

/// The last answer of this hour.
#[derive(Debug)]
pub struct BudgetSpent;

impl Content for BudgetSpent {
    fn template(&self) -> &'static str {
        "budget_spent"
    }

    fn facts(&self) -> Facts {
        Facts::none()
    }
}
