//! Mail on its way in: listeners take messages, and three stages make a commit of each.
//!
//! `listeners` speak SMTP, LMTP, Maildir, a local socket and web hooks, and pass whole messages to an [`Intake`].
//! [`MailIntake`], the intake of the server, walks each through the stages: `read` turns bytes into a mail,
//! `authentication` asks DNS who vouches for its sender, and `decide` says what becomes of it. That is committed by the
//! intake of the core, and `receipts` says so to the client. Mail that cannot be executed at once waits for
//! `inbox_worker`; `quarantine` stores what cannot be processed. `read` and `decide` are pure; listeners do not know what
//! is in a message. Nothing here knows what a command means or what is stored.

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
