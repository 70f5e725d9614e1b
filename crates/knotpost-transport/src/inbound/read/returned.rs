//! Mail to a return path: a report, or a program that answers the return path. Neither is executed nor answered.

use super::bounce::read_report;
use crate::inbound::Message;
use knotpost_core::intake::{Arrival, Class, Returned};
use knotpost_model::{OwnAddresses, Recipient};

/// Checks the form only.
pub(in crate::inbound) fn is_to_return_path(own: &OwnAddresses, recipients: &[String]) -> bool {
    recipients.iter().any(|address| matches!(own.recipient(address), Some(Recipient::Bounce { .. })))
}

/// `None` for any other kind of mail.
pub(in crate::inbound) fn read_returned(
    own: &OwnAddresses,
    arrival: &Arrival<'_>,
    class: Class,
    message: &Message,
) -> Option<Returned> {
    let Class::Automatic(_) = class else { return None };
    let (id, signature) = arrival.recipients.iter().find_map(|address| match own.recipient(address) {
        Some(Recipient::Bounce { id, sig }) => Some((id, sig)),
        _ => None,
    })?;
    Some(Returned { id, signature, failures: read_report(arrival.raw, message, arrival.mail_from) })
}
