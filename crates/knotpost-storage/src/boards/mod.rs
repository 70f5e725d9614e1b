//! Boards: their moves, seats and remarks, and what waits on them.

mod board;
mod board_context;
mod board_notes;
mod bot_turns;
mod chat;
mod deadlines;
mod feeds;
mod heard;
mod imports;
mod invitations;
mod moves;
mod origins;
mod own_boards;
mod program_boards;
mod proposals;
mod queued_moves;
mod remarks;
mod seated_boards;
mod seats;
mod seeks;
mod shared;
mod submissions;
mod turns;
mod watching;

pub use board_context::BoardContext;
pub use board_notes::BoardNoteRow;
pub use bot_turns::{BotTurn, LONGEST_LEASE_MS};
pub use chat::{ChatRow, PulseRow};
pub use deadlines::DueBoard;
pub use feeds::{FeedKeyRow, WaitingOrder};
pub use imports::CommentRow;
pub use invitations::{InvitationRow, NewInvitation};
pub use origins::OriginRow;
pub use own_boards::OwnBoardRow;
pub use program_boards::ProgramBoard;
pub use proposals::{ProposalRow, RefusedOffer};
pub use queued_moves::QueuedMoveRow;
pub use seats::NewSeat;
pub use seeks::SeekRow;
pub use shared::SharedBoardRow;
pub use submissions::SubmissionRow;

pub(crate) use seated_boards::seated_columns;
