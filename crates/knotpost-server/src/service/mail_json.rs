//! Mails as an administrator's programs read them, from the shell and through the API alike.

use serde_json::{Value, json};

use super::mail_text::mask_tokens;
use crate::domain::Millis;
use crate::store::{InboxEntry, OutboxEntry};

/// A received mail. Passwords and reply tokens are masked.
pub fn received_json(mail: &InboxEntry) -> Value {
    let verdicts = mail.verdicts.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    json!({
        "id": mail.id, "received": Millis(mail.received_at).to_rfc3339(), "way": mail.way, "peer": mail.peer,
        "mail_from": mail.mail_from, "recipients": masked_recipients(mail), "size": mail.size, "sender": mail.sender,
        "message_id": mail.message_id, "subject": mail.subject, "text": mail.text,
        "verdicts": verdicts, "kept": mail.kept > 0,
        "state": mail.state, "reason": mail.reason, "attempts": mail.attempts,
        "due": waits(&mail.state, mail.due_at), "done": mail.done_at.map(|at| Millis(at).to_rfc3339()),
    })
}

/// An outgoing mail.
pub fn outgoing_json(mail: &OutboxEntry) -> Value {
    json!({
        "id": mail.id, "kind": mail.kind, "recipient": mail.recipient, "userid": mail.userid, "game": mail.game,
        "number": mail.number, "ply": mail.ply, "message_id": mail.message_id,
        "date": Millis(mail.date).to_rfc3339(), "state": mail.state, "attempts": mail.attempts,
        "due": waits(&mail.state, mail.due_at), "done": mail.done_at.map(|at| Millis(at).to_rfc3339()),
        "error": mail.error,
    })
}

/// When a mail is due that waits.
pub fn waits(state: &str, due_at: i64) -> Option<String> {
    matches!(state, "new" | "queued").then(|| Millis(due_at).to_rfc3339())
}

/// To whom a mail came, reply addresses without their tokens.
pub fn masked_recipients(mail: &InboxEntry) -> Vec<String> {
    mail.recipients.lines().map(mask_tokens).collect()
}
