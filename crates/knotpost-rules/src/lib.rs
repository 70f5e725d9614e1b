//! The rules of the games.
//!
//! This crate is the one place that knows how a game is played: its options, moves, positions, results and
//! boards. It does no input or output, reads no clock, draws no ambient randomness and logs nothing; users, mail
//! and storage do not exist here.
//!
//! Authors of games implement [`Game`] and [`Show`]; all other code holds `&dyn` [`AnyGame`] from the [`Registry`] and
//! `Box<dyn` [`Position`]`>`, which a blanket implementation derives from the typed traits.

#![warn(missing_docs)]

mod choice;
#[cfg(feature = "test-kit")]
pub mod conformance;
mod departure;
mod error;
mod game;
mod help;
mod key;
pub mod kit;
pub mod knot;
mod meta;
mod moves;
mod options;
pub mod oracle;
mod position;
mod puzzle;
pub mod record;
mod registry;
pub mod rng;
mod seat;
mod seed;
mod swap;
mod turn;
mod unseen;
pub mod view;

pub use choice::{Choice, Choices, Part, PartKind};
pub use departure::{Departure, Departures};
pub use error::{Illegal, PositionError, Rejected, SyntaxError, echo};
pub use game::{Forbidden, Game, Show};
pub use help::{HelpPage, HelpSection, draw_moves};
pub use key::Key;
pub use meta::{Abilities, Ability, GameKind, Meta, Preset, SeatNames};
pub use options::{
    ChoiceOption, DecimalOption, EitherOption, FlagOption, GameOptions, GivenOption, NumberOption,
    OptionError, OptionKind, OptionSpec, Problem, TextOption,
};
pub use position::{AnyGame, Kind, Position};
pub use puzzle::Puzzle;
pub use record::Record;
pub use registry::Registry;
pub use seat::{Seat, Seats};
pub use seed::{ParseSeedError, Seed};
pub use swap::SwapRight;
pub use turn::{Figure, Outcome, Placings, Played, Scores, Status, Steps, Turn, lead};
pub use unseen::Unseen;
pub use view::{Cast, Layout, Now, View, Viewer};
