//! Intake of mail: the row stored for a received mail, and the transaction that executes its command.
//!
//! [`commit()`] carries out a [`Disposition`] in one write: the inbox row, what the command changed, and every mail
//! that follows from it are committed together. Which disposition a mail gets is decided by its reader. Knows neither
//! MIME nor SMTP: a mail comes here as an [`IncomingMail`], and what is replied to the delivering host is made of
//! [`Committed`] elsewhere.

mod bounce;
mod budgets;
mod commit;
mod complaint;
mod ending;
mod execute;
mod inbox_row;
mod mail;
mod place;
mod postmaster;
mod quarantine;
mod queued;
mod reason;
mod sender_reply;
mod strangers;
mod unconfirmed;
mod webhook_request;

pub use bounce::Returned;
pub use budgets::BudgetKind;
pub use commit::{Committed, Disposition, begin_counting, commit, count_outcome};
pub use complaint::Complaint;
pub use ending::Ending;
pub use mail::{Arrival, Class, CommandText, IncomingMail, Way};
pub use place::{Place, QueueLimit, find_place};
pub use quarantine::{UnreadMail, quarantine};
pub use queued::{QueuedMail, execute_queued, lease_queued, record_failure, set_aside};
pub use reason::Reason;
pub use strangers::refuse_stranger;
pub use webhook_request::WebhookRequest;

const DEDUPE_MS: i64 = 30 * 86_400_000;
