//! Result of a command.

use super::Reply;
use crate::boards::Code;
use knotpost_model::BoardRef;

/// Recipient of the answer to a mailed command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The address the command came from.
    Sender,
    /// Registered addresses; those mails are queued already.
    Registered,
}

/// A failure, for scripts.
#[derive(Clone, Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    /// Seconds until a retry makes sense.
    pub retry_after: Option<u64>,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub failure: Option<Failure>,
    /// Reply to the sender, at most one mail.
    pub reply: Reply,
    pub audience: Audience,
    pub boards: Vec<BoardRef>,
    /// True if something changed and mails may be queued.
    pub changed: bool,
    /// Notices beside the reply.
    pub notices: Vec<String>,
}

impl Answer {
    /// Answer of a query.
    pub fn to_sender(reply: Reply) -> Self {
        Self {
            failure: None,
            reply,
            audience: Audience::Sender,
            boards: Vec::new(),
            changed: false,
            notices: Vec::new(),
        }
    }

    /// Answer of a change, whose mails are queued.
    pub fn to_registered(reply: Reply) -> Self {
        Self { audience: Audience::Registered, changed: true, ..Self::to_sender(reply) }
    }

    /// True if the command had been carried out before.
    pub fn is_repetition(&self) -> bool {
        matches!(self.reply, Reply::AlreadyPlayed { .. })
    }

    /// Word for the log: `done`, `repeated`, or the code of the refusal.
    pub fn outcome(&self) -> &'static str {
        match &self.failure {
            Some(failure) => failure.code.as_str(),
            None if self.is_repetition() => "repeated",
            None => "done",
        }
    }

    #[must_use]
    pub fn about(mut self, board: BoardRef) -> Self {
        self.boards.push(board);
        self
    }
}
