use super::Reply;
use crate::boards::Code;
use knotpost_model::{BoardRef, UserKey};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    Sender,
    /// Registered addresses; those mails are queued already.
    Registered,
}

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
    /// The tournament it was about, as programs read it.
    pub tournament: Option<serde_json::Value>,
    pub changed: bool,
    /// True for a change that does not count against the rate of its command.
    pub(crate) is_free: bool,
    /// Readers to charge: each is mailed only so much by others.
    pub(crate) mailed: Vec<UserKey>,
    /// Readers whose wishes spare them the board by mail; one who commands by mail is answered all the same.
    pub(crate) unmailed: Vec<UserKey>,
    pub notices: Vec<String>,
}

impl Answer {
    pub fn to_sender(reply: Reply) -> Self {
        Self {
            failure: None,
            reply,
            audience: Audience::Sender,
            boards: Vec::new(),
            tournament: None,
            changed: false,
            is_free: false,
            mailed: Vec::new(),
            unmailed: Vec::new(),
            notices: Vec::new(),
        }
    }

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
