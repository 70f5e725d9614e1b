//! Commit of a mail: each [`Disposition`] in one write. The choice is made elsewhere.

use knotpost_platform::clock::Entropy;
use knotpost_platform::secret::KeyRing;
use std::sync::Arc;

use super::DEDUPE_MS;
use super::bounce::{Returned, commit_bounce};
use super::budgets::BudgetKind;
use super::complaint::{Complaint, commit_complaint};
use super::ending::{Ending, commit_ending};
use super::execute::{Outcome, execute_mail};
use super::inbox_row::{inbox_row, masked_lines};
use super::mail::{Arrival, IncomingMail};
use super::place::{Place, QueueLimit};
use super::postmaster::commit_postmaster_mail;
use super::reason::Reason;
use crate::app::App;
use crate::config::KeepRaw;
use crate::requests::Ready;
use crate::requests::command_log::log_command;
use knotpost_model::Millis;
use knotpost_storage::{NewInbox, Store, StoreError, Unwritten};

#[derive(Debug)]
pub enum Disposition {
    /// Stored for the record only.
    Record(Reason),
    /// Stored, and its failures recorded.
    Bounce(Returned),
    /// Stored; ends mail as it requests.
    End(Ending),
    /// Stored, and reported to the administrators.
    Complaint(Complaint),
    /// Stored, and copied to each administrator.
    Postmaster,
    /// Stored and executed in one transaction.
    Execute(Box<Ready>),
    /// Stored for a worker to execute.
    Queue(Place),
}

#[derive(Debug)]
pub enum Committed {
    Recorded,
    Executed(Reason),
    Queued,
    /// Not stored: its answer would exceed a budget spent by others.
    BudgetSpent(BudgetKind),
    /// Not stored: too many mails wait.
    QueueFull(QueueLimit),
}

/// Commits a mail as decided. On an error nothing is stored.
pub async fn commit(
    app: &Arc<App>,
    mail: IncomingMail,
    arrival: &Arrival<'_>,
    disposition: Disposition,
) -> Result<Committed, StoreError> {
    let row = row_of(app, &mail, arrival)?;
    match disposition {
        Disposition::Record(reason) => {
            count_outcome(reason);
            record(&app.store, NewInbox { reason: Some(reason.as_str()), ..row }).await?;
        }
        Disposition::Bounce(returned) => {
            count_outcome(commit_bounce(app, row, returned, arrival.now).await?);
        }
        Disposition::End(ending) => {
            count_outcome(commit_ending(app, row, ending, arrival.now).await?);
        }
        Disposition::Complaint(complaint) => {
            let row = with_message(app.entropy.as_ref(), &app.secret, row, arrival)?;
            count_outcome(Reason::Complaint);
            commit_complaint(app, row, &mail, complaint, arrival.now).await?;
        }
        Disposition::Postmaster => {
            let row = with_message(app.entropy.as_ref(), &app.secret, row, arrival)?;
            count_outcome(Reason::Postmaster);
            commit_postmaster_mail(app, row, &mail, arrival.now).await?;
        }
        Disposition::Execute(ready) => return execute(app, mail, arrival, *ready, row).await,
        Disposition::Queue(place) => {
            let row = NewInbox {
                host: arrival.host.as_ref().map(ToString::to_string),
                recipients: arrival.recipients.join("\n"),
                ..with_message(app.entropy.as_ref(), &app.secret, row, arrival)?
            };
            return queue(app, row, place).await;
        }
    }
    Ok(Committed::Recorded)
}

async fn execute(
    app: &Arc<App>,
    mail: IncomingMail,
    arrival: &Arrival<'_>,
    ready: Ready,
    mut row: NewInbox,
) -> Result<Committed, StoreError> {
    let now = arrival.now;
    (row.subject, row.text) = masked_lines(&app.vocabulary, &mail, &ready);
    // The most frequent outcome. A row inserted with a reason is never in the queue.
    row.reason = Some(Reason::Executed.as_str());
    let ready = Arc::new(ready);
    let executed = Arc::clone(&ready);
    let can_come_again = arrival.way.can_come_again();
    let done = app
        .write(async move |tx, app| {
            let key = tx.insert_inbox(&row).await?;
            let is_first = tx.claim_mail(&mail.dedupe_key, key, now.plus(-DEDUPE_MS), now).await?;
            let outcome = execute_mail(tx, app, &mail, &executed, is_first, now).await?;
            if let Some(budget) = outcome.spent_by_others().filter(|_| can_come_again) {
                return Err(Unwritten::Refused((outcome, budget)));
            }
            if outcome.reason != Reason::Executed {
                let (subject, text) = (row.subject.as_deref(), row.text.as_deref());
                tx.describe_inbox(key, outcome.reason.as_str(), subject, text).await?;
            }
            Ok(outcome)
        })
        .await;
    let outcome = match done {
        Ok(outcome) => outcome,
        Err(Unwritten::Refused((outcome, budget))) => {
            announce(app, &outcome, now);
            return Ok(Committed::BudgetSpent(budget));
        }
        Err(Unwritten::Store(error)) => return Err(error),
    };
    announce(app, &outcome, now);
    ready.after_commit(&app.limits, &app.credentials, &outcome.charges);
    log_command(
        app.clock.as_ref(),
        app.games.registry,
        &ready,
        &outcome.boards,
        outcome.reason.as_str(),
        now,
    );
    Ok(Committed::Executed(outcome.reason))
}

async fn queue(app: &App, row: NewInbox, place: Place) -> Result<Committed, StoreError> {
    let bounds = place.bounds(&app.config.inbound);
    let stored = app.store.write_queue(async move |tx| {
        if let Some(bound) = tx.bound_met(place.row(), &bounds).await? {
            return Err(Unwritten::Refused(place.limit(bound)));
        }
        Ok(tx.insert_waiting(&row, place.row()).await?)
    });
    match stored.await {
        Ok(_) => {
            app.signals.inbox.notify_one();
            Ok(Committed::Queued)
        }
        Err(Unwritten::Refused(limit)) => {
            limit.count();
            Ok(Committed::QueueFull(limit))
        }
        Err(Unwritten::Store(error)) => Err(error),
    }
}

/// Row of a mail, with the message if the configuration stores every message.
fn row_of(app: &App, mail: &IncomingMail, arrival: &Arrival<'_>) -> Result<NewInbox, StoreError> {
    let row = inbox_row(&app.vocabulary, &app.own, mail, arrival);
    match app.config.inbound.keep_raw {
        KeepRaw::All => with_message(app.entropy.as_ref(), &app.secret, row, arrival),
        KeepRaw::Never | KeepRaw::Failed => Ok(row),
    }
}

fn with_message(
    entropy: &dyn Entropy,
    secret: &KeyRing,
    row: NewInbox,
    arrival: &Arrival<'_>,
) -> Result<NewInbox, StoreError> {
    match row.raw {
        Some(_) => Ok(row),
        None => Ok(NewInbox { raw: Some(seal(entropy, secret, arrival.raw)?), ..row }),
    }
}

pub(super) fn seal(entropy: &dyn Entropy, secret: &KeyRing, raw: &[u8]) -> Result<Vec<u8>, StoreError> {
    Ok(secret.seal(entropy, raw)?)
}

async fn record(store: &Store, row: NewInbox) -> Result<(), StoreError> {
    let write = store.write_queue(async move |tx| tx.insert_inbox(&row).await.map(drop));
    write.await
}

/// Counts a committed outcome and wakes those who wait for it.
pub(super) fn announce(app: &App, outcome: &Outcome, now: Millis) {
    count_outcome(outcome.reason);
    if let Some(budget) = outcome.spent {
        budget.note_refusal(now);
    }
    app.signals.outbox.notify_one();
    app.signals.tell_boards(&outcome.boards);
}

pub fn begin_counting() {
    for reason in Reason::ALL {
        metrics::counter!("knotpost_mails_received_total", "reason" => reason.as_str()).increment(0);
    }
    BudgetKind::begin_counting();
    QueueLimit::begin_counting();
    crate::requests::command_log::begin_counting_commands();
    crate::identity::limits::begin_counting();
}

pub fn count_outcome(reason: Reason) {
    metrics::counter!("knotpost_mails_received_total", "reason" => reason.as_str()).increment(1);
}
