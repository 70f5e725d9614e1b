//! Mailing: decides what stands in the outbox. Knows the store, not how a mail is built or sent.

pub(crate) mod board_letters;
pub(crate) mod bounces;
pub(crate) mod coalesce;
pub(crate) mod digest;
pub(crate) mod do_not_mail;
pub(crate) mod held;
pub(crate) mod inspector;
pub(crate) mod mail_json;
pub(crate) mod mail_text;
pub(crate) mod mailbox;
pub(crate) mod outbox;
pub(crate) mod pass;
pub(crate) mod post;
pub(crate) mod postmaster;
pub(crate) mod readers;
pub(crate) mod references;
pub(crate) mod token;
pub(crate) mod unsubscribe;
pub(crate) mod webhook_intake;

pub use bounces::{view_reach, view_stopped};
pub use coalesce::coalesce_before_sending;
pub use digest::send_next_digest;
pub use do_not_mail::{UNMAILED_PER_PAGE, view_unmailed};
pub use inspector::{MailChange, MailPage, MailQuery, view_inbox, view_outbox, view_outgoing, view_received};
pub use mail_json::{OutgoingMail, ReceivedMail, masked_recipients, waits};
pub use mail_text::{Author, described, mask_tokens, masked_fields, masked_text};
pub use mailbox::{
    LocalMail, LocalMailbox, MailLine, MailLines, list_local_mail, read_local_mail, show_local_mail,
};
pub use outbox::{
    DeliveryOutcome, Lease, LeaseTerms, LeasedMail, LoadedMail, MailContent, acknowledge_sent, count_writes,
    give_back_leases, lease_mails, load_mail, load_mails, load_unleased, next_mail_due, record_delivery,
};
pub use pass::Claim;
pub use post::{BoardFacts, Envelope, Heading, Note, post_to_address};
pub use unsubscribe::{Kind as UnsubscribeKind, Refusable, unsubscribe, view_unsubscribe};
pub use webhook_intake::{ReturnPath, WebhookIntake, WebhookMail, WebhookOutcome};
