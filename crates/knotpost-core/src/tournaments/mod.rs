//! Tournaments: announcing, entering and directing them, and what happens in them by itself.
//!
//! Ends of boards reach them through `play`, which sets the points of seats; the process that runs the clock takes the
//! steps in `work`.

mod announcing;
mod boards;
mod directing;
mod entering;
mod ladder;
mod layout;
mod league;
mod queries;
mod reading;
mod rounds;
pub(crate) mod swiss;
mod tables;
pub(crate) mod telling;
mod view;
pub(crate) mod work;

pub use announcing::{Announcement, announce};
pub use directing::direct;
pub use entering::{enter, withdraw};
pub use ladder::{Challenged, Rival, challenge};
pub use layout::{Shown, ShownGroup, group_tables, legend, result, standing, state_text, terms_text};
pub use queries::{report_tournament, view_log, view_rivals, view_tournament, view_tournaments};
pub use reading::{TournamentQuery, list, log, view};
pub use view::{
    PairingSeat, PairingState, TournamentLine, TournamentLog, TournamentLogLine, TournamentPage,
    TournamentPairing, TournamentPlayer, TournamentView,
};
