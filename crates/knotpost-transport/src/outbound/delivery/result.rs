//! Hands a mail to the transport, and records a mail that was not sent.
//!
//! No transaction is open while a mail is sent. That a mail was sent is acknowledged elsewhere.

use sha2::{Digest as _, Sha256};

use crate::outbound::compose::mail_kinds;
use crate::outbound::transports::maildir::Attempt;
use crate::outbound::transports::{Outgoing, SendError, Transport};
use knotpost_core::StoreError;
use knotpost_core::app::App;
use knotpost_core::mailing::{DeliveryOutcome, LeasedMail, record_delivery};

/// A leased mail as it is sent: signed, with its envelope.
#[derive(Debug)]
pub(super) struct ReadyMail {
    pub(super) leased: LeasedMail,
    return_path: String,
    file: String,
    bytes: Vec<u8>,
}

impl ReadyMail {
    pub(super) fn new(app: &App, leased: LeasedMail, bytes: Vec<u8>) -> Self {
        let id = leased.row.id.0;
        let signature = app.links.bounce_signature(id, &leased.row.recipient);
        let return_path = app.own.bounce(&id.to_string(), &signature);
        let file = file_name(&leased);
        Self { leased, return_path, file, bytes }
    }

    fn outgoing(&self) -> Outgoing<'_> {
        let attempt = if self.leased.row.attempts > 1 { Attempt::Repeated } else { Attempt::First };
        Outgoing {
            from: Some(&self.return_path),
            to: &self.leased.row.recipient,
            bytes: &self.bytes,
            file: &self.file,
            attempt,
        }
    }
}

/// The file name of a mail, the same for each attempt: a mail sent again after a crash before its acknowledgement
/// replaces the file that is there.
fn file_name(mail: &LeasedMail) -> String {
    // Rows of another database may have the same numbers.
    let id = Sha256::digest(mail.row.message_id.as_bytes());
    let id = id.iter().take(6).fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    format!("{}.R{:010}I{id}.knotpost", mail.row.date.0.div_euclid(1000), mail.row.id.0)
}

/// Sends a mail.
pub(super) async fn send(transport: &Transport, mail: &ReadyMail) -> Result<(), SendError> {
    transport.send(&mail.outgoing()).await
}

/// The outcomes of tries that failed, as the metrics name them.
const DEFERRED: &str = "deferred";
const FAILED: &str = "failed";
const RECIPIENT_REFUSED: &str = "recipient_refused";

/// The counters begin at zero.
pub fn begin_counting() {
    for outcome in [DEFERRED, FAILED, RECIPIENT_REFUSED] {
        metrics::counter!("knotpost_mails_not_sent_total", "outcome" => outcome).increment(0);
    }
    for kind in mail_kinds() {
        metrics::counter!("knotpost_mails_sent_total", "kind" => kind).increment(0);
    }
    for outcome in ["arrived", "gone", "failed"] {
        metrics::counter!("knotpost_webhook_attempts_total", "outcome" => outcome).increment(0);
    }
}

/// Counts a mail that was sent.
pub(super) fn record_sent(mail: &LeasedMail) {
    metrics::counter!("knotpost_mails_sent_total", "kind" => mail.row.kind.clone()).increment(1);
}

/// Records why a mail was not sent.
pub(super) async fn record_failure(app: &App, mail: &LeasedMail, error: SendError) -> Result<(), StoreError> {
    let outbox = mail.row.id.0;
    let outcome = match error {
        SendError::Permanent(why) => {
            tracing::warn!(outbox, error = %why, "a mail was refused");
            DeliveryOutcome::Failed(why)
        }
        SendError::Recipient(why) => {
            tracing::warn!(outbox, error = %why, "the recipient of a mail was refused");
            DeliveryOutcome::RecipientRefused(why)
        }
        SendError::Transient(why) => DeliveryOutcome::Deferred(why),
        SendError::Unheard(why) => DeliveryOutcome::Unheard(why),
    };
    let name = match &outcome {
        DeliveryOutcome::Deferred(_) | DeliveryOutcome::Unheard(_) => DEFERRED,
        DeliveryOutcome::RecipientRefused(_) => RECIPIENT_REFUSED,
        _ => FAILED,
    };
    metrics::counter!("knotpost_mails_not_sent_total", "outcome" => name).increment(1);
    record_delivery(app, mail, outcome).await
}
