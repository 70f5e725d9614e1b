//! Composing: turns a reply or a letter into the bytes of a message.
//!
//! The same input always gives the same bytes, so that a mail sent again is the same mail. Knows neither the outbox
//! nor transports, and asks no database: all that a mail shows is given to it.

mod board_text;
mod escape;
mod facts;
mod fitting;
mod imitations;
pub mod letter;
mod mail_composer;
mod page;
mod parts;
mod prose;
pub mod render;
mod standings;
mod table;
mod templates;

pub use letter::{ComposeError, compose};
pub use mail_composer::MailComposer;
pub use render::{RenderError, Rendered, Renderer};
pub use templates::OwnTemplate;
pub use templates::mail_kinds;
