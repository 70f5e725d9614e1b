//! Rows that several subjects or crates know, as plain values. A row that only its table knows is declared there.

mod boards;
mod mail;
mod readers;
mod requests;
mod users;

pub use boards::{BoardFilter, BoardRow, MoveRow, NewBoard, RemarkRow, SeatRow, SeatedBoard, Turn};
pub use mail::{BoardMail, MAIL_LEASE_MS, NewInbox, NewOutbox, OutboxContent};
pub use readers::{DroppedMail, ReaderAddress, ReaderFacts, ReaderWish};
pub use requests::{RequestKey, SavedResponse};
pub use users::{MoverRow, PROGRAM, UserRow, UserState};

/// SQL condition: another user has confirmed this address.
macro_rules! is_shared {
    ($address:literal, $user:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM addresses o WHERE o.address_key = ",
            $address,
            " AND o.verified_at IS NOT NULL AND o.user_id <> ",
            $user,
            ") AS is_shared"
        )
    };
}
pub(crate) use is_shared;
