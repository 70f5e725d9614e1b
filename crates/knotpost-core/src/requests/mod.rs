//! Requests as received and as made ready, the proof of their sender, and the mail that answers.

pub(crate) mod board_reply;
pub(crate) mod command_log;
pub(crate) mod first_line;
pub(crate) mod link_reply;
pub(crate) mod reader;
pub(crate) mod ready;
pub(crate) mod reply_mail;
pub(crate) mod request;
mod talk;
mod tournament_reply;

pub use board_reply::{BoardReply, Credit, ask_for_confirmation};
pub use ready::Ready;
pub(crate) use ready::{Admission, Admitted, Authenticated, Preparation};
pub use reply_mail::compose_answer;
pub(crate) use request::Quote;
pub use request::Request;
