//! Committing: carries out what was decided about a mail, and says what to reply to the client.
//!
//! Each disposition is one write: the inbox row, what the command changed, and every mail that follows from it are
//! committed together. Why a mail is disposed of in this way is not decided here.

mod answers;
mod bounce;
pub(super) mod budgets;
pub(super) mod execution;
pub(super) mod inbox_row;
mod postmaster;

use std::sync::Arc;

use self::bounce::commit_bounce;
use self::execution::{Outcome, execute_mail};
use self::inbox_row::{inbox_row, masked_lines};
use self::postmaster::commit_postmaster_mail;
use super::decide::places::{bounds, put_off};
use super::decide::{Arrival, Disposition};
use super::intake::{Receipt, Way};
use super::mail_intake::MailIntake;
use super::read::Mail;
use super::reason::Reason;
use knotpost_core::config::KeepRaw;
use knotpost_core::play::plan_move;
use knotpost_core::requests::Prepared;
use knotpost_model::{Address, Millis};
use knotpost_storage::{DirectMail, MovePlan, NewInbox, NewPlace, StoreError};

/// How long a mail is recognised when it comes again.
pub(super) const DEDUPE_MS: i64 = 30 * 86_400_000;

impl MailIntake {
    /// Carries out what was decided about a mail.
    ///
    /// # Errors
    /// When the database fails; then nothing of it is stored.
    pub(super) async fn commit(
        &self,
        mail: Mail,
        arrival: &Arrival<'_>,
        disposition: Disposition,
    ) -> Result<Receipt, StoreError> {
        let app = &self.app;
        match disposition {
            Disposition::Refuse(refusal) => {
                count(refusal.reason);
                return Ok(refusal.into_receipt());
            }
            Disposition::Record(reason) => {
                let row = NewInbox { reason: Some(reason.as_str()), ..self.row(&mail, arrival)? };
                count(reason);
                self.record(row).await?;
            }
            Disposition::Bounce(returned) => {
                let row = self.row(&mail, arrival)?;
                count(commit_bounce(app, row, returned, arrival.now).await?);
            }
            Disposition::Postmaster => {
                let row = NewInbox { raw: Some(self.seal(arrival.raw)?), ..self.row(&mail, arrival)? };
                count(Reason::Postmaster);
                commit_postmaster_mail(app, row, &mail, arrival.now).await?;
            }
            Disposition::Execute(prepared) => {
                let row = self.row(&mail, arrival)?;
                return self.execute(mail, arrival, *prepared, row).await;
            }
            Disposition::Queue(place) => {
                let row = NewInbox {
                    raw: Some(self.seal(arrival.raw)?),
                    host: arrival.host.as_ref().map(ToString::to_string),
                    // Unmasked until the mail is processed.
                    recipients: arrival.envelope.recipients.join("\n"),
                    ..self.row(&mail, arrival)?
                };
                return self.queue(row, place).await;
            }
        }
        Ok(Receipt::Stored { text: "kept".to_owned() })
    }

    /// Stores a mail and executes its command in one transaction.
    async fn execute(
        &self,
        mail: Mail,
        arrival: &Arrival<'_>,
        prepared: Prepared,
        mut row: NewInbox,
    ) -> Result<Receipt, StoreError> {
        let (app, now) = (&self.app, arrival.now);
        (row.subject, row.text) = masked_lines(app, &mail, &prepared);
        // The most frequent outcome. A row that has a reason from the start is never among those that wait.
        row.reason = Some(Reason::Executed.as_str());
        let direct = Arc::new(DirectMail {
            row,
            sender_key: mail.sender.as_ref().map(Address::key).unwrap_or_default(),
            dedupe_key: mail.dedupe_key.clone(),
            since: now.plus(-DEDUPE_MS),
        });
        let plan = plan_move(app, &prepared);
        let plan = plan.map(|plan| MovePlan { mail: Some(Arc::clone(&direct)), ..plan });
        let work = Arc::new((mail, prepared, direct));
        let (shared, writing) = (Arc::clone(app), Arc::clone(&work));
        // A file in a folder that is put off would hold up those behind it.
        let can_come_again = arrival.envelope.way != Way::Maildir;
        let outcome = app
            .store
            .write_move(plan, move |tx| {
                let (app, work) = (Arc::clone(&shared), Arc::clone(&writing));
                Box::pin(async move {
                    let (mail, prepared, direct) = &*work;
                    let stored = tx.store_mail(direct).await?;
                    let outcome = execute_mail(tx, &app, mail, prepared, stored.is_first, now).await?;
                    if can_come_again && outcome.spent_by_others().is_some() {
                        tx.undo_all();
                    } else if outcome.reason != Reason::Executed {
                        let (subject, text) = (direct.row.subject.as_deref(), direct.row.text.as_deref());
                        tx.describe_inbox(stored.key, outcome.reason.as_str(), subject, text).await?;
                    }
                    Ok(outcome)
                })
            })
            .await?;
        self.announce(&outcome, now);
        if let Some(valve) = outcome.spent_by_others().filter(|_| can_come_again) {
            return Ok(Receipt::TryLater { code: 450, enhanced: "4.7.1", text: valve.sentence() });
        }
        work.1.after_commit(app);
        Ok(Receipt::Stored { text: outcome.reason.to_string() })
    }

    /// Stores a mail that waits to be processed, unless too many wait already.
    async fn queue(&self, row: NewInbox, place: NewPlace) -> Result<Receipt, StoreError> {
        let app = &self.app;
        let work = Arc::new((row, bounds(&app.config.inbound, &place), place));
        let writing = Arc::clone(&work);
        let stored = app.store.write_queue(move |tx| {
            let work = Arc::clone(&writing);
            Box::pin(async move { tx.insert_waiting(&work.0, &work.2, &work.1).await })
        });
        if let Err(bound) = stored.await? {
            return Ok(put_off(bound, &work.2));
        }
        app.signals.inbox.notify_one();
        Ok(Receipt::Stored { text: "queued".to_owned() })
    }

    /// The row of a mail, with the message itself where the configuration keeps every message.
    fn row(&self, mail: &Mail, arrival: &Arrival<'_>) -> Result<NewInbox, StoreError> {
        let row = inbox_row(&self.app, mail, arrival);
        match self.app.config.inbound.keep_raw {
            KeepRaw::All => Ok(NewInbox { raw: Some(self.seal(arrival.raw)?), ..row }),
            KeepRaw::Never | KeepRaw::Failed => Ok(row),
        }
    }

    /// The message, encrypted with the server's key.
    pub(super) fn seal(&self, raw: &[u8]) -> Result<Vec<u8>, StoreError> {
        Ok(self.app.secret.seal(self.app.entropy.as_ref(), raw)?)
    }

    /// Stores a mail for the record alone.
    async fn record(&self, row: NewInbox) -> Result<(), StoreError> {
        let write = self.app.store.write_queue(move |tx| {
            let row = row.clone();
            Box::pin(async move { tx.insert_inbox(&row).await.map(drop) })
        });
        write.await
    }

    /// Counts an outcome that was committed, and wakes those who wait for it.
    pub(super) fn announce(&self, outcome: &Outcome, now: Millis) {
        count(outcome.reason);
        if let Some(valve) = outcome.valve {
            valve.note_refusal(now);
        }
        self.app.signals.outbox.notify_one();
        self.app.signals.tell_boards(&outcome.boards);
    }
}

/// Counts what became of a mail, for the metrics.
pub(super) fn count(reason: Reason) {
    metrics::counter!("knotpost_mails_received", "reason" => reason.as_str()).increment(1);
}
