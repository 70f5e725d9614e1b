//! Mail on its way out: a letter becomes bytes, and bytes leave by one of several ways.
//!
//! Nothing here knows boards, users or the queue: `letter` writes what it is given, `transport` hands bytes over
//! and says whether that failed for now or for good, `backoff` says when to try again, `dkim` signs what leaves.
//! `webhook` is the other way out: requests to programs of users.

pub mod backoff;
pub mod dkim;
mod dkim_key;
mod encoding;
pub mod letter;
pub mod maildir;
mod making;
mod measure;
mod page;
mod parts;
mod post;
mod prose;
mod queue;
mod relay;
pub mod render;
mod sender;
mod sendmail;
mod sheet;
mod smtp_client;
mod smtp_line;
mod standings;
mod table;
mod templates;
pub mod transport;
pub mod webhook;

pub use crate::service::{Auto, Drawn, Letter};
pub use dkim::Signer;
pub use dkim_key::KeyError;
pub use letter::{ComposeError, compose};
pub use maildir::{Attempt, Folder, Maildir};
pub use making::{Made, make};
pub use post::MailComposer;
pub use render::{RenderError, Rendered, Renderer};
pub use sender::Sender;
pub use templates::OwnTemplate;
pub use transport::{Beginning, MemoryBox, Outgoing, SendError, Sent, Transport, TransportError};
pub use webhook::Courier;
