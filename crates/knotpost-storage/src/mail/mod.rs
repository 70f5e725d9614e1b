//! Mail in both directions, and webhooks, whose events are rows of the outbox.

mod bounces;
mod broadcasts;
mod budgets;
mod delivery_status;
mod digests;
mod do_not_mail;
mod held_answers;
mod inbox;
mod inspection;
mod outbox;
mod puzzle_mails;
mod waiting;
mod webhooks;

pub use bounces::StoppedAddress;
pub use broadcasts::BroadcastRow;
pub use budgets::Spent;
pub use delivery_status::DeliveryStatus;
pub use digests::{DigestBoard, TakenDigest};
pub use do_not_mail::{DO_NOT_MAIL, DoNotMailRow, STOPPED_BY_READER};
pub use held_answers::HeldAnswerRow;
pub use inbox::InboxRow;
pub use inspection::{InboxEntry, MOST_ASKED, MailFilter, MailQueue, MailState, OutboxEntry, Window};
pub use outbox::{Attempted, OutboxOrigin, OutboxRow};
pub use waiting::{NewPlace, QueueBound, QueueBounds, Share};
pub use webhooks::{HookEventRow, HookReader, NewHookEvent, NewWebhook, WebhookRow};
