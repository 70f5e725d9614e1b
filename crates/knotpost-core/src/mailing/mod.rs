//! Sources of mail in the outbox: readers, digests, coalescing, reply addresses, bounces, the mail inspector.
//! `knotpost-transport` builds and sends the mails.

pub(crate) mod archive_links;
pub(crate) mod bounces;
pub(crate) mod coalesce;
pub(crate) mod content;
pub(crate) mod digest;
pub(crate) mod do_not_mail;
pub(crate) mod inspector;
pub(crate) mod login_mails;
pub(crate) mod outbox;
pub(crate) mod pending_confirmation;
pub(crate) mod post;
pub(crate) mod postmaster;
pub(crate) mod puzzles;
pub(crate) mod readers;
pub(crate) mod references;
pub(crate) mod reply_address;
pub(crate) mod reply_grant;
#[cfg(test)]
mod stored_forms;
pub(crate) mod styles;
pub(crate) mod unsubscribe;
pub(crate) mod webhook_intake;

pub use bounces::{AddressStop, UserAddress, try_again, view_addresses, view_stopped};
pub use digest::send_next_digest;
pub use do_not_mail::{DoNotMail, DoNotMailEntry, read_unmailed, view_unmailed};
pub use inspector::inspected::{Inbox, Outbox, OutgoingMail, ReceivedMail, WholeReceivedMail};
pub use inspector::mail_text::{Author, described, mask_tokens, masked_fields, masked_text};
pub use inspector::mailbox::{
    LocalMail, LocalMailbox, MailLine, MailLines, list_local_mail, read_local_mail, show_local_mail,
};
pub use inspector::{
    MailChange, MailQuery, MailQueue, view_inbox, view_outbox, view_outgoing, view_outgoing_content,
    view_received,
};
pub use outbox::{
    DeliveryOutcome, LeasedMail, MAIL_LEASE_MS, MailContent, acknowledge_sent, give_back_leases, lease_mails,
    load_mail, load_unleased, next_mail_due, record_delivery,
};
pub use puzzles::send_due_puzzles;
pub use reply_grant::Claim;
pub use unsubscribe::{Kind as UnsubscribeKind, Refusable, unsubscribe, view_unsubscribe};
pub use webhook_intake::{ReturnPath, WebhookIntake, WebhookMail, WebhookOutcome};
