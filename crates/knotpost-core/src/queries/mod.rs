//! What pages and feeds show.

pub(crate) mod own_settings;
pub(crate) mod talk;
pub(crate) mod views;
pub(crate) mod waiting;

pub use own_settings::{OwnSettings, view_own_settings};
pub use talk::{Pulse, TalkLine, view_pulse, view_talk};
pub use views::{BoardPage, BoardQuery, BoardView, view_board, view_boards, view_games};
pub use waiting::{MOST_WAITING, Waiting, view_deadlines, view_turns};
