//! `admin inbox` and `admin outbox`: received and outgoing mail, its outcome, and another try.

use knotpost_commands::Vocabulary;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;

use super::operator;
use crate::cli::output::{Form, complain, say};
use knotpost_core::admin::{AdminAction, administer};
use knotpost_core::app::App;
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::mailing::{
    Author, MailChange, MailQuery, MailQueue, OutgoingMail, ReceivedMail, described, load_unleased,
    masked_fields, masked_text, view_inbox, view_outbox, view_outgoing_content, view_received,
};
use knotpost_core::webhooks::KIND as WEBHOOK_KIND;
use knotpost_model::{Millis, Moment};
use knotpost_transport::outbound::{Built, build_message};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Mails {
    /// Mails, the newest first.
    List(List),
    /// One mail: what became of it, its structure, and its text with passwords masked.
    Show {
        /// Its number.
        id: i64,
        /// Also every header field and the entire text; passwords and reply tokens stay masked.
        #[arg(long)]
        raw: bool,
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Make failed mails that are still stored due once more.
    Retry {
        /// Their numbers.
        #[arg(required = true)]
        ids: Vec<i64>,
    },
    /// End mails that wait or failed; nothing more happens with them.
    Drop {
        /// Their numbers.
        #[arg(required = true)]
        ids: Vec<i64>,
    },
}

#[derive(Debug, Args)]
pub(in crate::cli) struct List {
    /// Only in this state: inbox `new`, `done`, `failed`; outbox `queued`, `sent`, `failed`, `dropped`.
    #[arg(long)]
    state: Option<String>,
    /// Only with this outcome: a reason of the inbox, or a piece of an error of the outbox.
    #[arg(long)]
    reason: Option<String>,
    /// Not older than this: `2026-11-20`, `2026-11-20T10:00Z`, or `30m`, `12h`, `7d` ago.
    #[arg(long)]
    since: Option<String>,
    /// Only from or to the addresses of this user.
    #[arg(long)]
    user: Option<String>,
    /// Only from or to this address.
    #[arg(long)]
    address: Option<String>,
    /// Only with a lower number: where the last page ended.
    #[arg(long, value_name = "ID")]
    before: Option<i64>,
    /// Mails at most.
    #[arg(long, default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    form: Form,
}

pub(super) async fn run(app: &Arc<App>, queue: MailQueue, action: Mails) -> Result<(), ServiceError> {
    match action {
        Mails::List(list) => self::list(app, queue, list).await,
        Mails::Show { id, raw, json } => match queue {
            MailQueue::Inbox => show_received(app, id, raw, json).await,
            MailQueue::Outbox => show_outgoing(app, id, raw, json).await,
        },
        Mails::Retry { ids } => change(app, queue, &ids, MailChange::Retry).await,
        Mails::Drop { ids } => change(app, queue, &ids, MailChange::Drop).await,
    }
}

async fn change(
    app: &Arc<App>,
    queue: MailQueue,
    ids: &[i64],
    change: MailChange,
) -> Result<(), ServiceError> {
    for id in ids {
        administer(app, &operator(), AdminAction::Mail { queue, id: *id, change }).await?;
        match change {
            MailChange::Retry => say!("mail {id} is due once more."),
            MailChange::Drop => say!("mail {id} was dropped."),
        }
    }
    Ok(())
}

async fn list(app: &Arc<App>, queue: MailQueue, list: List) -> Result<(), ServiceError> {
    let states: &[&str] = match queue {
        MailQueue::Inbox => &["new", "done", "failed"],
        MailQueue::Outbox => &["queued", "sent", "failed", "dropped"],
    };
    if let Some(state) = list.state.as_deref().filter(|state| !states.contains(state)) {
        let message = format!("--state: there is no state `{state}`; states are {}", states.join(", "));
        return Err(Refusal::new(Code::BadValue, message).into());
    }
    let since = list.since.as_deref().map(|text| read_since(text, app.clock.now())).transpose()?;
    let List { state, reason, user: userid, address, before, limit, form, .. } = list;
    let query = MailQuery { state, reason, since, userid, address, before, limit };
    let next = match queue {
        MailQueue::Inbox => {
            let page = view_inbox(&app.store, &query).await?;
            page.mails.iter().for_each(|mail| form.say(&json!(mail), received_line(mail)));
            page.cursor
        }
        MailQueue::Outbox => {
            let page = view_outbox(&app.store, &query).await?;
            page.mails.iter().for_each(|mail| form.say(&json!(mail), outgoing_line(mail)));
            page.cursor
        }
    };
    if let Some(next) = next {
        complain!("there may be more: --before {next}");
    }
    Ok(())
}

pub(super) fn read_since(text: &str, now: Millis) -> Result<Millis, ServiceError> {
    let wrong = || {
        let message = format!("--since: `{text}` is no time");
        Refusal::new(Code::BadValue, message).hint("Times are 2026-11-20, 2026-11-20T10:00Z, 30m, 12h or 7d.")
    };
    let unit = match text.chars().last() {
        Some('m') => Some(60_000),
        Some('h') => Some(3_600_000),
        Some('d') => Some(86_400_000),
        _ => None,
    };
    if let Some(unit) = unit {
        let number: i64 =
            text.get(..text.len() - 1).and_then(|digits| digits.parse().ok()).ok_or_else(wrong)?;
        return Ok(now.plus(-number.saturating_mul(unit)));
    }
    Ok(Millis::read(text).ok_or_else(wrong)?)
}

fn received_line(mail: &ReceivedMail) -> String {
    let reason = mail.reason.as_deref().unwrap_or("-");
    let sender = mail.sender.as_deref().or(mail.mail_from.as_deref()).unwrap_or("<>");
    let subject = mail.subject.as_deref().unwrap_or("");
    let time = rfc3339(mail.received);
    format!("{:<7} {time} {:<6} {reason:<20} {sender:<28} {subject}", mail.id, mail.state)
}

fn outgoing_line(mail: &OutgoingMail) -> String {
    let time = rfc3339(mail.date);
    let board = board_name(mail).unwrap_or_default();
    let error = mail.error.as_deref().unwrap_or("");
    let line = format!(
        "{:<7} {time} {:<7} {:<16} {:<28} {board} {error}",
        mail.id, mail.state, mail.kind, mail.recipient
    );
    line.trim_end().to_owned()
}

fn board_name(mail: &OutgoingMail) -> Option<String> {
    let (game, number) = (mail.game.as_deref()?, mail.number?);
    Some(format!("{game} {number} move {}", mail.ply.unwrap_or(0)))
}

async fn show_received(app: &Arc<App>, id: i64, raw: bool, json: bool) -> Result<(), ServiceError> {
    let seen = view_received(app, id).await?;
    if json {
        say!("{}", json!(seen));
        return Ok(());
    }
    let mail = &seen.mail;
    let none = || "-".to_owned();
    print_line("mail", format!("{} ({} bytes)", mail.id, mail.size));
    print_line("received", format!("{} by {}", rfc3339(mail.received), mail.way));
    print_line("peer", mail.peer.clone().unwrap_or_else(none));
    print_line("return path", mail.mail_from.clone().unwrap_or_else(|| "<>".to_owned()));
    print_line("to", mail.recipients.join(" "));
    print_line("from", mail.sender.clone().unwrap_or_else(none));
    print_line("message-id", mail.message_id.clone().unwrap_or_else(none));
    print_line("verdicts", mail.verdicts_text.clone().unwrap_or_else(none));
    print_line("state", mail.state.clone());
    print_line("reason", mail.reason.clone().unwrap_or_else(none));
    print_line("attempts", mail.attempts.to_string());
    print_line("due", mail.due.map_or_else(none, rfc3339));
    print_line("done", mail.done.map_or_else(none, rfc3339));
    print_line("subject", mail.subject.clone().unwrap_or_else(none));
    if let Some(text) = &mail.text {
        say!("\n{text}");
    }
    match (&seen.message, &seen.parts) {
        (Some(message), Some(parts)) => {
            say!("\nThe message is kept:");
            for part in parts {
                say!("  {part}");
            }
            if raw {
                print_message(&app.vocabulary, message);
            }
        }
        _ => say!("\nThe message itself is not kept (see `inbound.keep_raw`)."),
    }
    Ok(())
}

async fn show_outgoing(app: &Arc<App>, id: i64, raw: bool, json: bool) -> Result<(), ServiceError> {
    let (mail, row) = view_outgoing_content(&app.store, id).await?;
    if mail.kind == WEBHOOK_KIND {
        show_event(&mail, row.facts.as_deref().unwrap_or_default(), json);
        return Ok(());
    }
    let content = load_unleased(app, &row).await?;
    let message = match build_message(app, content).await? {
        Built::Message(bytes) => Ok(bytes),
        Built::Dropped(why) => Err(why),
    };
    if json {
        let mut value = json!(mail);
        value["would_be_dropped"] = json!(message.as_ref().err());
        value["parts"] = json!(message.as_deref().ok().map(described));
        say!("{value}");
        return Ok(());
    }
    print_outgoing(&mail);
    match message {
        Err(why) => say!("\nIf it were sent now it would be dropped: {why}."),
        Ok(_) if mail.kind == "password_reset" => say!("\nIts text holds a secret and is not shown."),
        Ok(message) => {
            say!();
            for part in described(&message) {
                say!("  {part}");
            }
            if raw {
                for (name, value) in masked_fields(&app.vocabulary, &message) {
                    say!("{name}: {value}");
                }
            }
            say!("\n{}", masked_text(&app.vocabulary, &message, Author::Server));
        }
    }
    Ok(())
}

/// A webhook's body holds no secret.
fn show_event(mail: &OutgoingMail, body: &str, json: bool) {
    if json {
        let mut value = json!(mail);
        value["message"] = serde_json::from_str(body).unwrap_or_default();
        say!("{value}");
        return;
    }
    print_outgoing(mail);
    say!("\n{body}");
}

fn print_outgoing(mail: &OutgoingMail) {
    let none = || "-".to_owned();
    print_line("mail", format!("{} ({})", mail.id, mail.kind));
    print_line("date", rfc3339(mail.date));
    print_line("to", mail.recipient.clone());
    print_line("user", mail.userid.clone().unwrap_or_else(none));
    print_line("board", board_name(mail).unwrap_or_else(none));
    print_line("message-id", mail.message_id.clone());
    print_line("state", mail.state.clone());
    print_line("attempts", mail.attempts.to_string());
    print_line("due", mail.due.map_or_else(none, rfc3339));
    print_line("done", mail.done.map_or_else(none, rfc3339));
    print_line("last error", mail.error.clone().unwrap_or_else(none));
}

fn rfc3339(at: Moment) -> String {
    at.to_rfc3339()
}

fn print_message(vocabulary: &Vocabulary, message: &[u8]) {
    say!();
    for (name, value) in masked_fields(vocabulary, message) {
        say!("{name}: {value}");
    }
    say!("\n{}", masked_text(vocabulary, message, Author::Somebody));
}

fn print_line(name: &str, value: impl std::fmt::Display) {
    say!("{name:<12} {value}");
}
