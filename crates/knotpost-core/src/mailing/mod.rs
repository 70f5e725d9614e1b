//! Mailing: decides what stands in the outbox. Knows the store, not how a mail is built or sent.

pub(crate) mod board_letters;
pub(crate) mod bounces;
pub(crate) mod digest;
pub(crate) mod do_not_mail;
pub(crate) mod held;
pub(crate) mod inspected;
pub(crate) mod inspector;
pub(crate) mod mail_text;
pub(crate) mod mailbox;
pub(crate) mod pass;
pub(crate) mod post;
pub(crate) mod postmaster;
pub(crate) mod readers;
pub(crate) mod references;
pub(crate) mod token;
pub(crate) mod unsubscribe;
pub(crate) mod webhook_intake;

pub use board_letters::{BoardLetter, Sources, letter_by_reference};
pub use bounces::{
    AddressStop, BounceOutcome, CONFIRMATION_KIND, STOPPED, heard_from, record_report, record_trouble,
    view_reach, view_stopped,
};
pub use digest::send_next_digest;
pub use do_not_mail::{DoNotMailEntry, UNMAILED_PER_PAGE, view_unmailed};
pub use inspected::{OutgoingMail, ReceivedMail};
pub use inspector::{
    MailChange, MailPage, MailQuery, MailQueue, view_inbox, view_outbox, view_outgoing,
    view_outgoing_content, view_received,
};
pub use mail_text::{Author, described, mask_tokens, masked_fields, masked_text};
pub use mailbox::{
    LocalMail, LocalMailbox, MailLine, MailLines, list_local_mail, read_local_mail, show_local_mail,
};
pub use pass::Claim;
pub use post::{BoardFacts, Envelope, Heading, Note, compose_answer, post_to_address};
pub use postmaster::{ToPostmaster, hand_to_administrators};
pub use references::{Referred, referred_to};
pub use unsubscribe::{Kind as UnsubscribeKind, Refusable, unsubscribe, view_unsubscribe};
pub use webhook_intake::{ReturnPath, WebhookIntake, WebhookMail, WebhookOutcome};

pub(crate) mod coalesce;

pub use coalesce::{coalesce_before_sending, coalesce_leased};
