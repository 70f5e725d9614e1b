//! A board in memory: its moves, its position, its clock, and why something on it is refused.

pub(crate) mod board;
pub(crate) mod chance;
pub(crate) mod choosing;
pub(crate) mod depiction;
pub(crate) mod drawing;
pub(crate) mod history;
pub(crate) mod recent_boards;
pub(crate) mod refusal;
pub(crate) mod repeated;
pub(crate) mod replay;
pub(crate) mod time;

pub use board::{Board, Entry, Standing};
pub use chance::{Chance, chance, commitment};
pub use choosing::{Choosing, choose};
pub use depiction::{Basis, view_again};
pub use drawing::{Drawing, Scene};
pub use history::{Entries, History};
pub use recent_boards::RecentBoards;
pub use refusal::{Code, Refusal, ServiceError};
pub use replay::{Difference, Replayed, replay_next};
pub use time::{BoardPauses, Judgement, LastMoment, TimeLimits, TimeUp, Timing, judge, time_used};
