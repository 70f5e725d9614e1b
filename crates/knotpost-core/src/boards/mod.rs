//! A board in memory: its moves, position and clock, and refusals about it.

pub(crate) mod board;
pub(crate) mod chance;
pub(crate) mod choosing;
pub(crate) mod finding;
pub(crate) mod forgiving;
pub(crate) mod games;
pub(crate) mod picture_ref;
pub(crate) mod proposals;
pub(crate) mod refusal;
pub(crate) mod rendered_position;
pub(crate) mod repeated;
pub(crate) mod replay;
pub(crate) mod time;

pub use board::{Board, Entry, Standing};
pub use chance::{Chance, chance, commitment};
pub use choosing::{Choosing, choose};
pub(crate) use finding::{
    at_ply, find_board, find_game, find_offered_game, find_present_user, find_user, no_such_board,
};
pub(crate) use forgiving::{forgive_move, without_marks};
pub use games::Games;
pub use picture_ref::{PictureRef, view_again};
pub use proposals::pending_proposal;
pub use refusal::{Code, Refusal, ServiceError};
pub use rendered_position::RenderedPosition;
pub use replay::{Difference, Replayed, replay_next};

pub use time::{BoardPauses, Judgement, LastMoment, TimeLimits, TimeUp, Timing, judge, time_used};
