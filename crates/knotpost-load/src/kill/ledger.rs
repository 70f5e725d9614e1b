//! What was mailed to the server, and what it answered.

use std::sync::{Mutex, PoisonError};

/// What a mail is about, and with that what must come of it.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A new board for a pair of players, and its number once it is known.
    Challenge { game: &'static str, pair: usize, board: u64 },
    /// A legal move of that number, as the move list will show it.
    Move { game: &'static str, pair: usize, board: u64, number: u64, userid: String, text: String },
    /// A command that is refused: one answer to its sender.
    Refused,
    /// A question: one answer to its sender.
    Question,
}

/// The ways a mail can come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Smtp,
    Lmtp,
    /// Piped into `knotpost deliver`.
    Deliver,
    /// `POST /inbound`.
    Hook,
    /// The watched Maildir.
    Folder,
}

impl Way {
    /// Every way.
    pub(super) const ALL: [Self; 5] = [Self::Smtp, Self::Lmtp, Self::Deliver, Self::Hook, Self::Folder];
}

/// A mail.
#[derive(Clone, Debug)]
pub(super) struct Mail {
    pub(super) what: What,
    pub(super) way: Way,
    pub(super) from: String,
    /// How often it was handed over, to a server that was there.
    pub(super) tries: u32,
    /// How many of these broke off without an answer.
    pub(super) unanswered: u32,
    /// How many of them found the doors closed.
    pub(super) shut_out: u32,
    /// How many were asked to come again.
    pub(super) put_off: u32,
    /// The last of them was taken.
    pub(super) is_taken: bool,
}

/// How one try ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Try {
    Taken,
    PutOff,
    Unanswered,
    /// There was no server to talk to.
    ShutOut,
}

/// All mails by their serial numbers, which are their marks too.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Vec<Mail>>);

impl Ledger {
    /// Enters a mail before it is sent; its number.
    pub(super) fn enter(&self, what: What, way: Way, from: &str) -> u64 {
        let mail = Mail {
            what,
            way,
            from: from.to_owned(),
            tries: 0,
            unanswered: 0,
            shut_out: 0,
            put_off: 0,
            is_taken: false,
        };
        let mut mails = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        mails.push(mail);
        mails.len() as u64 - 1
    }

    pub(super) fn tried(&self, serial: u64, ended: Try) {
        self.change(serial, |mail| {
            mail.tries += u32::from(!matches!(ended, Try::ShutOut));
            match ended {
                Try::Taken => mail.is_taken = true,
                Try::PutOff => mail.put_off += 1,
                Try::Unanswered => mail.unanswered += 1,
                Try::ShutOut => mail.shut_out += 1,
            }
        });
    }

    /// The number of the board that a challenge led to.
    pub(super) fn found(&self, serial: u64, number: u64) {
        self.change(serial, |mail| {
            if let What::Challenge { board, .. } = &mut mail.what {
                *board = number;
            }
        });
    }

    fn change(&self, serial: u64, how: impl FnOnce(&mut Mail)) {
        let mut mails = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mail) = mails.get_mut(serial as usize) {
            how(mail);
        }
    }

    /// Everything that was mailed.
    pub(super) fn close(&self) -> Vec<Mail> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
