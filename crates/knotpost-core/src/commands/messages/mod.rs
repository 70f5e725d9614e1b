//! The verbs about mail: words to other users, watched boards, mails sent again.

pub(super) mod broadcast;
pub(super) mod message;
pub(super) mod notify;
pub(super) mod resend;
pub(super) mod watching;
