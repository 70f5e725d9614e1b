//! The mails sent to the servers, and the answers.

use std::sync::{Mutex, PoisonError};

/// What a mail is about, which determines its outcome.
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
    /// No mail: `POST /commands` with a key of its own.
    Api,
}

impl Way {
    /// Every way.
    pub(crate) const ALL: [Self; 6] =
        [Self::Smtp, Self::Lmtp, Self::Deliver, Self::Hook, Self::Folder, Self::Api];
}

/// The share of each way in percent; SMTP gets the rest.
pub(crate) type Habit = &'static [(Way, u64)];

impl Way {
    /// The way of the `drawn`th of a hundred mails.
    pub(crate) fn of(habit: Habit, drawn: u64) -> Self {
        let mut passed = 0;
        let found = habit.iter().find(|(_, share)| {
            passed += share;
            drawn < passed
        });
        found.map_or(Self::Smtp, |(way, _)| *way)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Mail {
    pub(crate) what: What,
    pub(crate) way: Way,
    pub(crate) from: String,
    /// How often it was sent to a server that answered the connection.
    pub(crate) tries: u32,
    /// How many of these connections broke without an answer.
    pub(crate) unanswered: u32,
    /// How many further attempts found no server; `tries` does not count them.
    pub(crate) shut_out: u32,
    /// How many were deferred.
    pub(crate) put_off: u32,
    /// Whether the last one was accepted.
    pub(crate) is_taken: bool,
}

/// How one try ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Try {
    Taken,
    PutOff,
    Unanswered,
    /// No server accepted the connection.
    ShutOut,
}

/// All mails by their serial numbers, which are their marks too.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Vec<Mail>>);

impl Ledger {
    /// Records a mail before it is sent; returns its number.
    pub(crate) fn enter(&self, what: What, way: Way, from: &str) -> u64 {
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

    pub(crate) fn tried(&self, serial: u64, ended: Try) {
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
    pub(crate) fn found(&self, serial: u64, number: u64) {
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
    pub(crate) fn close(&self) -> Vec<Mail> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_drawn_in_their_shares_and_the_rest_by_smtp() {
        let habit: Habit = &[(Way::Api, 40), (Way::Lmtp, 10)];
        let drawn = [0, 39, 40, 49, 50, 99].map(|drawn| Way::of(habit, drawn));
        assert_eq!(drawn, [Way::Api, Way::Api, Way::Lmtp, Way::Lmtp, Way::Smtp, Way::Smtp]);
    }
}
