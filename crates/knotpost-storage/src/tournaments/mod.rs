//! Tournaments: their players, pairings, seats and log.

mod log;
mod pairings;
mod players;
mod seats;
mod tournament;
mod work;

pub use log::{LogRow, NewLogEntry, Told};
pub use pairings::{NewPairing, NewTournamentSeat, PairedSeat, WaitingSeat};
pub use players::{EntryRow, PlayerRow};
pub use seats::{BoardPlace, SeatResult};
pub use tournament::{NewTournament, TournamentFilter, TournamentRow};
