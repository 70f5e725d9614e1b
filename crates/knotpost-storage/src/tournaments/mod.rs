//! Tournaments: their players, pairings, seats and log.

mod ladder;
mod log;
mod pairings;
mod players;
mod seats;
mod tournament;
mod work;

pub use ladder::{ClimbRow, LadderSeat, OpenChallenge, StayRow, TallyRow};
pub use log::{LogRow, NewLogEntry, Told};
pub use pairings::{NewPairing, NewTournamentSeat, PairedSeat, WaitingSeat};
pub use players::{EntryRow, PlayerRow};
pub use seats::{BoardPlace, SeatResult};
pub use tournament::{NewTournament, TournamentFilter, TournamentRow};
