//! The mails sent to the servers, and the answers.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The subject of a mail, which determines its outcome.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A new board for a pair of players, and its number once it is known.
    Challenge { game: &'static str, pair: usize, board: u64 },
    /// A legal move of that number, as the move list will show it.
    Move { game: &'static str, pair: usize, board: u64, number: u64, userid: String, text: String },
    /// A command that is refused: one answer to its sender.
    Refused,
    /// A query: one answer to its sender.
    Question,
}

/// The ways a mail can come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Smtp,
    Lmtp,
    /// Piped into `knotpost deliver`.
    Deliver,
    /// `POST /inbound`.
    Hook,
    /// The watched Maildir.
    Folder,
    /// No mail: an HTTP request of the command.
    Api,
}

impl Way {
    /// Every way.
    pub(crate) const ALL: [Self; 6] =
        [Self::Smtp, Self::Lmtp, Self::Deliver, Self::Hook, Self::Folder, Self::Api];
}

/// The share of each way in percent.
pub(crate) type Habit = &'static [(Way, u64)];

/// The end of one try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Try {
    Taken,
    PutOff,
    /// The connection broke without an answer.
    Unanswered,
    /// No server accepted the connection.
    ShutOut,
}

#[derive(Clone, Debug)]
pub(crate) struct Mail {
    pub(crate) what: What,
    pub(crate) way: Way,
    pub(crate) from: String,
    pub(crate) tries: Vec<Try>,
}

impl Mail {
    /// The number of tries that ended so.
    pub(crate) fn count(&self, ended: Try) -> usize {
        self.tries.iter().filter(|one| **one == ended).count()
    }
}

/// All mails by their serial numbers, which are their marks too.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Vec<Mail>>);

impl Ledger {
    fn mails(&self) -> MutexGuard<'_, Vec<Mail>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a mail before it is sent; returns its number.
    pub(crate) fn enter(&self, what: What, way: Way, from: &str) -> u64 {
        let mut mails = self.mails();
        mails.push(Mail { what, way, from: from.to_owned(), tries: Vec::new() });
        mails.len() as u64 - 1
    }

    pub(crate) fn tried(&self, serial: u64, ended: Try) {
        if let Some(mail) = self.mails().get_mut(serial as usize) {
            mail.tries.push(ended);
        }
    }

    /// The number of the board that a challenge led to.
    pub(crate) fn found(&self, serial: u64, number: u64) {
        if let Some(Mail { what: What::Challenge { board, .. }, .. }) = self.mails().get_mut(serial as usize)
        {
            *board = number;
        }
    }

    /// Everything that was mailed.
    pub(crate) fn close(&self) -> Vec<Mail> {
        self.mails().clone()
    }
}
