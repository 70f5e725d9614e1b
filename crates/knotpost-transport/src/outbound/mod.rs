//! Mail on its way out: `compose` turns letters into bytes, `dkim` signs them, `delivery` sends what the outbox holds,
//! and `transports` hand bytes over to a relay, a program or a folder.
//!
//! `webhook` is the other way out: requests to programs of users. Nothing here knows how a move is made, how mail comes
//! in, or what is stored: `delivery` and `webhook` call the use cases of the core.

pub mod compose;
pub mod delivery;
pub mod dkim;
mod dkim_key;
pub mod transports;
pub mod webhook;

pub use self::compose::{
    ComposeError, MailComposer, OwnTemplate, RenderError, Rendered, Renderer, compose, mail_kinds,
};
pub use delivery::{Built, DeliveryWorker, begin_counting, build_message};
pub use dkim::Signer;
pub use dkim_key::KeyError;
pub use knotpost_core::replies::{Auto, Drawn, Letter};
pub use transports::maildir::{Attempt, Maildir};
pub use transports::{
    AuthorityError, MemoryBox, Outgoing, RelayStep, RelayTrouble, SendError, Sendmail, Sent, SmtpRelay,
    Transport, TransportError,
};
pub use webhook::Courier;
