//! Use cases: what a command does. They own the transaction's content and know neither HTTP nor
//! MIME; the edges turn bytes into [`Request`]s and [`Answer`]s into bytes.

mod accounts;
mod answer;
mod answering;
mod board;
mod boards;
mod challenge;
mod chance;
mod credentials;
mod execute;
mod help;
mod limits;
mod moves;
mod pass;
mod post;
mod prepare;
mod queries;
mod refusal;
mod replay;
mod resignation;
mod settle;
mod sheet;
mod users;
mod views;

pub use accounts::confirm_address;
pub use answer::{
    Answer, Audience, BoardLine, ErrorReply, Failure, GameCount, HistoryLine, LineResult, Reply,
};
pub use board::{Board, Entry, Standing};
pub use chance::{Chance, chance, commitment};
pub use credentials::{Credentials, HashError, Login};
pub use execute::{Saved, already_played, apply, execute, execute_once};
pub use help::{TOPICS, help_page};
pub use pass::Claim;
pub use limits::{Limits, Rate};
pub use post::{BoardFacts, Composer, Envelope, Heading, Note, ask_for_confirmation, post_answer, post_to_address};
pub use prepare::{Answering, Channel, Origin, Prepared, Request, prepare, prepare_at_once};
pub use refusal::{Code, Refusal, ServiceError};
pub use replay::{Difference, Replayed, replay_next};
pub use sheet::{Seat, Sheet, Spoken, TimeFacts, Verdict, BoardLetter, letter_by_reference};
pub use users::{UserEdit, UserView, edit_user, view_user, view_users};
pub use views::{BoardPage, BoardQuery, BoardView, view_board, view_boards, view_games};
