//! Words of the domain as types: ids, addresses, boards, times. Pure values that know neither
//! the store nor any way in or out.

mod address;
mod board;
mod ids;
mod time;

pub use address::{Address, AddressError};
pub use board::{BoardRef, BoardState, MoveKind, RemarkKind, SeatState};
pub use ids::{BoardKey, InboxKey, OutboxKey, RemarkKey, UserKey};
pub use time::{Millis, Span};
