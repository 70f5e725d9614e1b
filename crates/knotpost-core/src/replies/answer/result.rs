//! What came of a command.

use super::Reply;
use crate::boards::Code;
use knotpost_model::BoardRef;

/// To whom an answer goes when the command came by mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// To the address the command came from.
    Sender,
    /// To registered addresses; those mails are queued already.
    Registered,
}

/// A failure, for scripts.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which of the distinct errors.
    pub code: Code,
    /// The sentence.
    pub message: String,
    /// Seconds until trying again makes sense.
    pub retry_after: Option<u64>,
}

/// What came of a command.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Why it was not carried out, when it was not.
    pub failure: Option<Failure>,
    /// What the one who sent it reads. One question has one reply, which is one mail at most.
    pub reply: Reply,
    /// To whom the reply goes by mail.
    pub audience: Audience,
    /// The boards it was about.
    pub boards: Vec<BoardRef>,
    /// Whether it changed anything, so that mails may wait to be sent.
    pub changed: bool,
    /// Notices for its reader beside it.
    pub notices: Vec<String>,
}

impl Answer {
    /// An answer to a query.
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

    /// An answer to a change; its mails are queued.
    pub fn to_registered(reply: Reply) -> Self {
        Self { audience: Audience::Registered, changed: true, ..Self::to_sender(reply) }
    }

    /// Whether it says that what was asked for had been done before, and nothing was done.
    pub fn is_repetition(&self) -> bool {
        matches!(self.reply, Reply::AlreadyPlayed { .. })
    }

    /// What came of it in a word, for the log: `done`, `repeated`, or the code of the refusal.
    pub fn outcome(&self) -> &'static str {
        match &self.failure {
            Some(failure) => failure.code.as_str(),
            None if self.is_repetition() => "repeated",
            None => "done",
        }
    }

    /// Names a board it was about.
    #[must_use]
    pub fn about(mut self, board: BoardRef) -> Self {
        self.boards.push(board);
        self
    }
}
