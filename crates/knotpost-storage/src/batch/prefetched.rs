//! Rows that were read for the moves of a batch before the moves query them.

use std::mem;

use crate::rows::{MoverRow, ReaderFacts, SavedResponse, SeatedBoard, StoredMail};
use knotpost_model::{BoardKey, RemarkKey, UserKey};

/// Rows that wait for their queries. Each is taken once, or dropped as soon as something is written that it depends on.
#[derive(Debug, Default)]
pub(crate) struct Prefetched {
    pub(crate) boards: Vec<SeatedBoard>,
    pub(crate) movers: Vec<PrefetchedMover>,
    pub(crate) readers: Vec<PrefetchedReaders>,
    pub(crate) remark_keys: Vec<RemarkKey>,
    pub(crate) mails: Vec<PrefetchedMail>,
    /// Addresses from which no mail has come back.
    pub(crate) sound_addresses: Vec<String>,
    pub(crate) responses: Vec<PrefetchedResponse>,
}

#[derive(Debug)]
pub(crate) struct PrefetchedMover {
    pub(crate) game: String,
    /// The API key of the query.
    pub(crate) key: Option<i64>,
    pub(crate) row: MoverRow,
}

#[derive(Debug)]
pub(crate) struct PrefetchedReaders {
    pub(crate) board: BoardKey,
    pub(crate) players: Vec<UserKey>,
    pub(crate) facts: ReaderFacts,
}

#[derive(Debug)]
pub(crate) struct PrefetchedMail {
    pub(crate) dedupe_key: String,
    pub(crate) stored: StoredMail,
}

/// The response stored under a request's key.
#[derive(Debug)]
pub(crate) struct PrefetchedResponse {
    pub(crate) key_digest: String,
    pub(crate) saved: Option<SavedResponse>,
}

impl Prefetched {
    pub(crate) fn take_board(&mut self, game: &str, number: u32) -> Option<SeatedBoard> {
        let number = i64::from(number);
        take(&mut self.boards, |found| found.board.game == game && found.board.number == number)
    }

    pub(crate) fn take_mover(&mut self, user: UserKey, game: &str, key: Option<i64>) -> Option<MoverRow> {
        let is_wanted =
            |found: &PrefetchedMover| found.row.user.id == user && found.game == game && found.key == key;
        take(&mut self.movers, is_wanted).map(|found| found.row)
    }

    pub(crate) fn take_readers(&mut self, board: BoardKey, players: &[UserKey]) -> Option<ReaderFacts> {
        take(&mut self.readers, |found| found.board == board && found.players == players)
            .map(|found| found.facts)
    }

    /// Whether no mail has come back from this address; `false`: unknown.
    pub(crate) fn is_sound(&self, address_key: &str) -> bool {
        self.sound_addresses.iter().any(|sound| sound == address_key)
    }

    /// The response stored for a request; `None`: it was not prefetched.
    pub(crate) fn take_response(&mut self, key_digest: &str) -> Option<PrefetchedResponse> {
        take(&mut self.responses, |found| found.key_digest == key_digest)
    }

    /// A key that was reserved for a remark.
    pub(crate) fn take_remark_key(&mut self) -> Option<RemarkKey> {
        self.remark_keys.pop()
    }

    /// What became of a mail when it was stored.
    pub(crate) fn take_mail(&mut self, dedupe_key: &str) -> Option<StoredMail> {
        take(&mut self.mails, |found| found.dedupe_key == dedupe_key).map(|found| found.stored)
    }

    /// After a move on it.
    pub(crate) fn drop_board(&mut self, board: BoardKey) {
        self.boards.retain(|found| found.board.id != board);
    }

    /// After a mail about it.
    pub(crate) fn drop_readers(&mut self, board: BoardKey) {
        self.readers.retain(|found| found.board != board);
    }

    /// After any other change. Reserved keys are used by no other write, stored mails stay stored, and the response
    /// to a request is written only by the move that has queried it before.
    pub(crate) fn invalidate(&mut self) {
        let Self { remark_keys, mails, responses, .. } = mem::take(self);
        *self = Self { remark_keys, mails, responses, ..Self::default() };
    }
}

fn take<T>(found: &mut Vec<T>, is_wanted: impl FnMut(&T) -> bool) -> Option<T> {
    let index = found.iter().position(is_wanted)?;
    Some(found.swap_remove(index))
}
