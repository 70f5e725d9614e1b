//! Mail to one of our return paths: a report about a mail of ours, or a program that takes the return path for its
//! correspondent. Neither is executed nor answered.

use super::bounce::read_report;
use super::classify::Class;
use crate::inbound::Message;
use crate::inbound::intake::Envelope;
use knotpost_model::{OwnAddresses, Recipient, Trouble};

/// A mail of a program to a return path of ours.
#[derive(Clone, Debug)]
pub(in crate::inbound) struct Returned {
    pub(in crate::inbound) id: String,
    pub(in crate::inbound) signature: String,
    /// The failure it reports; `None`: it reports none that can be understood.
    pub(in crate::inbound) trouble: Option<Trouble>,
}

/// Whether one of these addresses has the form of a return path of ours.
pub(in crate::inbound) fn is_to_return_path(own: &OwnAddresses, recipients: &[String]) -> bool {
    recipients.iter().any(|address| matches!(own.recipient(address), Some(Recipient::Bounce { .. })))
}

/// Reads a mail of a program that came to a return path; `None`: it is another kind of mail.
pub(in crate::inbound) fn read_returned(
    own: &OwnAddresses,
    envelope: &Envelope,
    class: Class,
    message: &Message,
    raw: &[u8],
) -> Option<Returned> {
    let Class::Automatic(_) = class else { return None };
    let (id, signature) = envelope.recipients.iter().find_map(|address| match own.recipient(address) {
        Some(Recipient::Bounce { id, sig }) => Some((id, sig)),
        _ => None,
    })?;
    Some(Returned { id, signature, trouble: read_report(raw, message, envelope.mail_from.as_deref()) })
}
