//! Inbox rows as administrators read them: passwords and reply addresses masked.

use crate::inbound::Identified;
use crate::inbound::decide::Arrival;
use crate::inbound::read::Mail;
use knotpost_core::app::App;
use knotpost_core::requests::Prepared;
use knotpost_model::{OwnAddresses, Verdicts};
use knotpost_storage::NewInbox;

/// The row of a mail, without the message itself and without a reason.
pub(in crate::inbound) fn inbox_row(app: &App, mail: &Mail, arrival: &Arrival<'_>) -> NewInbox {
    let envelope = arrival.envelope;
    // Which words are passwords is not known yet; see `masked_lines`.
    let mask = |line: &str| knotpost_commands::mask_cautiously(line, &app.vocabulary);
    let text = match &mail.found {
        Identified::Multiple { lines, .. } => {
            Some(lines.iter().map(|line| mask(line)).collect::<Vec<_>>().join("\n"))
        }
        Identified::Body { line, .. } => Some(mask(line)),
        Identified::Subject { .. } | Identified::Unclear { .. } => None,
    };
    NewInbox {
        received_at: arrival.now,
        way: envelope.way.as_str(),
        peer: envelope.peer.map(|peer| peer.to_string()),
        mail_from: envelope.mail_from.clone(),
        recipients: masked_recipients(&app.own, &envelope.recipients),
        size: i64::try_from(arrival.raw.len()).unwrap_or(i64::MAX),
        sender: mail.sender.as_ref().map(ToString::to_string),
        message_id: mail.message.message_id.clone(),
        subject: Some(mask(&mail.message.subject)),
        text,
        raw: None,
        reason: None,
        verdicts: arrival.verdicts.as_ref().map(Verdicts::to_json),
        host: None,
    }
}

/// The recipients as an administrator may read them, one a line.
pub(in crate::inbound) fn masked_recipients(own: &OwnAddresses, recipients: &[String]) -> String {
    recipients.iter().map(|address| own.masked(address)).collect::<Vec<_>>().join("\n")
}

/// Subject and command lines of a mail as an administrator may read them, once its passwords are known.
pub(in crate::inbound) fn masked_lines(
    app: &App,
    mail: &Mail,
    prepared: &Prepared,
) -> (Option<String>, Option<String>) {
    let subject = || knotpost_commands::mask_cautiously(&mail.message.subject, &app.vocabulary);
    match &mail.found {
        Identified::Subject { .. } | Identified::Unclear { .. } => (Some(prepared.echo.clone()), None),
        Identified::Body { .. } => (Some(subject()), Some(prepared.echo.clone())),
        Identified::Multiple { .. } => {
            (Some(subject()), Some(prepared.line_echoes().collect::<Vec<_>>().join("\n")))
        }
    }
}
