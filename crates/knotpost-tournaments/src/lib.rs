//! Tournaments as values: pairings, tables, tie-breaks, ladders, leagues, and the files they are reported in.
//!
//! Everything is a function of what is handed in; there is no file, clock or chance of its own. Users, boards, mail and
//! storage are unknown here: a player is an index into a list.

#![warn(missing_docs)]

mod berger;
mod ladder;
mod league;
mod random;
mod record;
mod standings;
mod swiss;
mod trf;

pub use berger::berger_rounds;
pub use ladder::Ladder;
pub use league::{Finisher, next_season, snake_groups};
pub use random::{Chances, random_tournament};
pub use record::{Colour, Entry, KeptApart, Outcome, Pairing, Player, Points, Record, Scoring};
pub use standings::{Form, Line, TieBreak, UnknownTieBreak, Value, standings};
pub use swiss::{NoPairing, check_round, pair_next, pair_round};
pub use trf::{TrfError, read_trf, write_trf};
