//! Mail on its way in: listeners take messages, and three stages make a commit of each.
//!
//! `listeners` pass messages to [`MailIntake`], an [`Intake`]. `read` turns bytes into a mail, `authentication`
//! verifies the sender by DNS, `decide` chooses a disposition; the intake of the core commits it, and `receipts`
//! answers the client. Mail that cannot be executed at once waits for `inbox_worker`; `quarantine` stores mail that
//! cannot be processed. `read` and `decide` are pure.

pub mod authentication;
mod decide;
mod inbox_worker;
mod intake;
pub mod listeners;
mod mail_intake;
mod quarantine;
mod read;
mod receipts;

pub use authentication::{Authenticator, NoAnswer, Records, begin_counting};
pub use intake::{Envelope, Intake, Receipt, RecipientVerdict};
pub use knotpost_core::intake::{Class, Reason, Way};
pub use knotpost_mail::{Address, Broken, Extracted, Identified, Message, Sealed, extract, identify, parse};
pub use listeners::maildir::{MaildirWatcher, Round};
pub use listeners::smtp::{Protocol, SmtpSettings};
pub use listeners::{local_socket, smtp, unix_socket};
pub use mail_intake::MailIntake;
pub use read::addressed::addressed;
pub use read::classify::classify;
pub use read::digest::dedupe_key;
pub use read::reply_claim::read_reply_claim;
