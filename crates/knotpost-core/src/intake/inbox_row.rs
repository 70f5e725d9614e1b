//! Inbox rows for administrators, with passwords and reply addresses masked.

use super::mail::{Arrival, CommandText, IncomingMail};
use crate::requests::Ready;
use knotpost_commands::Vocabulary;
use knotpost_model::{OwnAddresses, Verdicts};
use knotpost_storage::NewInbox;

pub(super) fn inbox_row(
    vocabulary: &Vocabulary,
    own: &OwnAddresses,
    mail: &IncomingMail,
    arrival: &Arrival<'_>,
) -> NewInbox {
    // Passwords are not located yet; see `masked_lines`.
    let mask = |line: &str| knotpost_commands::mask_cautiously(line, vocabulary);
    let text = match &mail.command {
        CommandText::Multiple(lines) => {
            Some(lines.iter().map(|line| mask(line)).collect::<Vec<_>>().join("\n"))
        }
        CommandText::Body(line) => Some(mask(line)),
        CommandText::Subject => None,
    };
    NewInbox {
        received_at: arrival.now,
        way: arrival.way.as_str(),
        peer: arrival.peer.map(|peer| peer.to_string()),
        mail_from: arrival.mail_from.map(ToOwned::to_owned),
        recipients: masked_recipients(own, arrival.recipients),
        size: i64::try_from(arrival.raw.len()).unwrap_or(i64::MAX),
        sender: mail.sender.as_ref().map(ToString::to_string),
        message_id: mail.message_id.clone(),
        subject: Some(mask(&mail.subject)),
        text,
        raw: None,
        reason: None,
        verdicts: arrival.verdicts.as_ref().map(Verdicts::to_json),
        host: None,
    }
}

/// One a line, masked for administrators.
pub(super) fn masked_recipients(own: &OwnAddresses, recipients: &[String]) -> String {
    recipients.iter().map(|address| own.masked(address)).collect::<Vec<_>>().join("\n")
}

/// Subject and command lines, masked for administrators once the passwords are located.
pub(super) fn masked_lines(
    vocabulary: &Vocabulary,
    mail: &IncomingMail,
    ready: &Ready,
) -> (Option<String>, Option<String>) {
    let mask = |text: &str| knotpost_commands::mask_cautiously(text, vocabulary);
    // The sender may see an unparsable line in full; in storage any of its words may be a password.
    let echo = |line: &Ready| if line.parses() { line.echo.clone() } else { mask(&line.echo) };
    match &mail.command {
        CommandText::Subject => (Some(echo(ready)), None),
        CommandText::Body(_) => (Some(mask(&mail.subject)), Some(echo(ready))),
        CommandText::Multiple(_) => {
            let lines: Vec<String> = ready.lines.iter().map(echo).collect();
            (Some(mask(&mail.subject)), Some(lines.join("\n")))
        }
    }
}
