//! The corridor of a received mail: parse, classify, identify, execute, and one commit that holds
//! the inbox row's outcome, what the command changed, and every mail that follows from it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;

use super::authenticate::Authenticator;
use super::claim::read_claim;
use super::classify::{Class, classify};
use super::digest::dedupe_key;
use super::hosts::connecting_host;
use super::identify::{Address as Arrival, Identified, identify};
use super::outcome::{Outcome, decide};
use super::parse::{Message, parse};
use super::places::{bounds, put_off};
use super::policy::{Ruling, refusal, rule};
use super::postmaster::{is_to_postmaster, keep_for_postmaster};
use super::reason::Reason;
use super::relay_hint::RelayHint;
use super::returned::{is_to_return_path, keep_returned, read_returned};
use super::smtp::{Envelope, Receipt, Way};
use crate::app::App;
use crate::config::KeepRaw;
use crate::domain::{Address, Host, InboxKey, Millis, Verdicts};
use crate::secret::Purpose;
use crate::service::{Answering, Claim, Origin, Prepared, Request, foresee, prepare, prepare_at_once};
use crate::store::{DirectMail, Foreseen, InboxRow, NewInbox, NewPlace, StoreError};

/// A mail that was acted on is recognised for so long.
pub(super) const DEDUPE_MS: i64 = 30 * 86_400_000;
/// Nobody else takes a leased mail before this time is over.
const LEASE_MS: i64 = 2 * 60_000;
/// A mail whose processing failed so often is set aside.
const MOST_ATTEMPTS: i64 = 5;

/// Takes mail, whichever way it comes.
pub struct Desk {
    pub(super) app: Arc<App>,
    authenticator: Authenticator,
    relay_hint: RelayHint,
}

/// A mail understood as far as that goes without looking anything up.
pub(super) struct Mail {
    pub(super) message: Message,
    pub(super) class: Class,
    pub(super) sender: Option<Address>,
    pub(super) found: Identified,
    /// Why its sender may act without a password.
    claim: Option<Claim>,
    pub(super) dedupe_key: String,
}

impl Mail {
    /// The domain in From; empty when there is not just one.
    fn author_domain(&self) -> &str {
        self.message.author().and_then(|author| author.rsplit_once('@')).map_or("", |(_, domain)| domain)
    }
}

/// Why a mail is refused while its sender still waits for the answer.
pub(super) struct Refusal {
    /// The name for the inbox, on ways where nobody waits.
    pub(super) reason: Reason,
    enhanced: &'static str,
    text: String,
}

impl Desk {
    /// A desk of this server.
    pub fn new(app: Arc<App>) -> Self {
        let authenticator = Authenticator::new(&app.config);
        Self { app, authenticator, relay_hint: RelayHint::default() }
    }

    pub(super) fn read(
        &self,
        raw: &[u8],
        envelope_from: Option<&str>,
        recipients: &[String],
    ) -> Result<Mail, Refusal> {
        let broken =
            |broken| Refusal { reason: Reason::Broken, enhanced: "5.6.0", text: format!("{broken}") };
        let message = parse(raw).map_err(broken)?;
        let mut class = classify(&message, envelope_from, &self.app.own);
        if class == Class::Person && is_to_return_path(&self.app.own, recipients) {
            // Some mail program took the return path for an address to write to; so do some responders.
            class = Class::Bulk;
        }
        if matches!(class, Class::Automatic(_)) {
            // Never looked into any further.
            return Ok(Mail {
                message,
                class,
                sender: None,
                found: nothing(),
                claim: None,
                dedupe_key: String::new(),
            });
        }
        if message.from.len() != 1 {
            let text = "a mail to this server has exactly one address in its From".to_owned();
            let reason = if message.from.is_empty() { Reason::NoSender } else { Reason::SeveralFrom };
            return Err(Refusal { reason, enhanced: "5.7.1", text });
        }
        let sender: Option<Address> = message.author().and_then(|author| author.parse().ok());
        let Some(sender) = sender else {
            let text = "the address in the From is not one that could be answered".to_owned();
            return Err(Refusal { reason: Reason::NoSender, enhanced: "5.1.7", text });
        };
        let claim = Some(read_claim(&self.app.own, &message, recipients)).filter(|claim| !claim.is_empty());
        let arrival = if claim.is_some() { Arrival::Reply } else { Arrival::Plain };
        let is_command = |line: &str| knotpost_commands::parse(line, &self.app.vocabulary).is_ok();
        let found = identify(&message, arrival, &is_command);
        if let Identified::Unclear { subject, .. } = &found
            && subject.is_empty()
            && message.text.is_none()
        {
            let text = "there is neither a command in the Subject nor a text that could be read; \
                        write a command such as `help` into the Subject"
                .to_owned();
            return Err(Refusal { reason: Reason::NoCommand, enhanced: "5.6.0", text });
        }
        let key = self.app.secret.derive(Purpose::Dedupe);
        let dedupe_key = dedupe_key(&message, &sender.to_string(), &key);
        Ok(Mail { message, class, sender: Some(sender), found, claim, dedupe_key })
    }

    pub(super) async fn take(&self, envelope: &Envelope, raw: &[u8]) -> Result<Receipt, StoreError> {
        let mail = match self.read(raw, envelope.mail_from.as_deref(), &envelope.recipients) {
            Ok(mail) => mail,
            Err(Refusal { enhanced, text, .. }) => return Ok(Receipt::Refused { code: 550, enhanced, text }),
        };
        let app = &self.app;
        if let Some(peer) = self.relay_hint.note(&app.config.smtp.relays, envelope, &mail.message) {
            tracing::warn!(
                %peer,
                "all mail comes from one mail server that relays for many: list it in smtp.relays, or its clients count as one host"
            );
        }
        let verdicts = match mail.class {
            Class::Automatic(_) => None,
            Class::Bulk | Class::Person => self.authenticator.verify(envelope, raw, &mail.message).await,
        };
        let ruling = rule(app.config.inbound.auth_policy, verdicts.as_ref(), mail.author_domain());
        if ruling == Ruling::Refused && envelope.way.has_session() {
            count(Reason::Unauthenticated);
            let text = refusal(mail.author_domain());
            return Ok(Receipt::Refused { code: 550, enhanced: "5.7.1", text });
        }
        let now = app.clock.now();
        let mut row = self.describe(envelope, &mail, raw.len(), now);
        row.verdicts = verdicts.as_ref().map(Verdicts::to_json);
        let keep = app.config.inbound.keep_raw == KeepRaw::All;
        if keep {
            row.raw = Some(app.secret.seal(app.entropy.as_ref(), raw)?);
        }
        if let Some(returned) = read_returned(&app.own, envelope, mail.class, &mail.message, raw) {
            let reason = keep_returned(app, row, returned, now).await?;
            count(reason);
            return Ok(Receipt::Stored { text: "kept".to_owned() });
        }
        if let Some(reason) = self.settled_at_sight(&mail, envelope, ruling) {
            row.reason = Some(reason.as_str());
            count(reason);
            if reason == Reason::Postmaster {
                // Somebody wrote to people: the words are kept, sealed, for the time of failed mails.
                row.raw = Some(app.secret.seal(app.entropy.as_ref(), raw)?);
                keep_for_postmaster(app, row, mail.class, &mail.message, &mail.dedupe_key, now).await?;
                return Ok(Receipt::Stored { text: "kept".to_owned() });
            }
            app.store
                .write_queue(move |tx| {
                    let row = row.clone();
                    Box::pin(async move { tx.insert_inbox(&row).await })
                })
                .await?;
            return Ok(Receipt::Stored { text: "kept".to_owned() });
        }
        let host = connecting_host(&app.config.smtp.relays, envelope, &mail.message);
        let request = Self::request(&mail, ruling, host, verdicts.as_ref());
        if let Some(text) = self.refuse_stranger(&mail, &request).await? {
            return self.turn_away(envelope, row, text).await;
        }
        if let Some(prepared) = prepare_at_once(app, request).await? {
            return self.carry_out(envelope, mail, prepared, row, now).await;
        }
        let aligned = verdicts.as_ref().is_some_and(|verdicts| verdicts.prove(mail.author_domain()));
        let place = self.place(&mail, host, aligned).await?;
        row.raw = Some(app.secret.seal(app.entropy.as_ref(), raw)?);
        row.host = host.as_ref().map(ToString::to_string);
        self.queue(envelope, row, place).await
    }

    /// Stores a mail and what its command does in one transaction.
    async fn carry_out(
        &self,
        envelope: &Envelope,
        mail: Mail,
        prepared: Prepared,
        mut row: NewInbox,
        now: Millis,
    ) -> Result<Receipt, StoreError> {
        let app = &self.app;
        (row.subject, row.text) = shown(app, &mail, &prepared);
        // What most mails come to. A row that is done from the beginning never stands among those that wait.
        row.reason = Some(Reason::Executed.as_str());
        let direct = Arc::new(DirectMail {
            row,
            sender_key: mail.sender.as_ref().map(Address::key).unwrap_or_default(),
            dedupe_key: mail.dedupe_key.clone(),
            since: now.plus(-DEDUPE_MS),
        });
        let foreseen = foresee(app, &prepared);
        let foreseen = foreseen.map(|one| Foreseen { mail: Some(Arc::clone(&direct)), ..one });
        let work = Arc::new((mail, prepared, direct));
        let (shared, done) = (Arc::clone(app), Arc::clone(&work));
        // A file in a folder stays there as long as it is put off, before those that come after it.
        let can_come_again = envelope.way != Way::Maildir;
        let outcome = app
            .store
            .write_move(foreseen, move |tx| {
                let (app, work) = (Arc::clone(&shared), Arc::clone(&work));
                Box::pin(async move {
                    let (mail, prepared, direct) = &*work;
                    let kept = tx.keep_mail(direct).await?;
                    let outcome = decide(tx, &app, mail, prepared, kept.is_first, now).await?;
                    if can_come_again && outcome.spent_by_others().is_some() {
                        tx.undo_all();
                    } else if outcome.reason != Reason::Executed {
                        let (subject, text) = (direct.row.subject.as_deref(), direct.row.text.as_deref());
                        tx.describe_inbox(kept.key, outcome.reason.as_str(), subject, text).await?;
                    }
                    Ok(outcome)
                })
            })
            .await?;
        self.tell(&outcome, now);
        if let Some(valve) = outcome.spent_by_others().filter(|_| can_come_again) {
            return Ok(Receipt::TryLater { code: 450, enhanced: "4.7.1", text: valve.sentence() });
        }
        done.1.after_commit(app);
        Ok(Receipt::Stored { text: outcome.reason.to_string() })
    }

    /// Stores a mail that waits to be processed, unless too many wait already.
    async fn queue(
        &self,
        envelope: &Envelope,
        mut row: NewInbox,
        place: NewPlace,
    ) -> Result<Receipt, StoreError> {
        let app = &self.app;
        // As they are, until the mail is processed.
        row.recipients = envelope.recipients.join("\n");
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

    /// Refuses a mail, or where nobody waits for that keeps it for the record alone: whoever is told there would be the
    /// one in whose name it may be forged.
    async fn turn_away(
        &self,
        envelope: &Envelope,
        mut row: NewInbox,
        text: String,
    ) -> Result<Receipt, StoreError> {
        count(Reason::NotAllowed);
        if envelope.way.has_session() {
            return Ok(Receipt::Refused { code: 550, enhanced: "5.7.1", text });
        }
        row.reason = Some(Reason::NotAllowed.as_str());
        let write = self.app.store.write(move |tx| {
            let row = row.clone();
            Box::pin(async move { tx.insert_inbox(&row).await })
        });
        write.await?;
        Ok(Receipt::Stored { text: "kept".to_owned() })
    }

    /// Mail that is kept for the record and nothing else.
    fn settled_at_sight(&self, mail: &Mail, envelope: &Envelope, ruling: Ruling) -> Option<Reason> {
        if let Class::Automatic(reason) = mail.class {
            return Some(reason);
        }
        if ruling == Ruling::Refused {
            // Too late to refuse it: whoever is told would be the one in whose name it was forged.
            return Some(Reason::Unauthenticated);
        }
        is_to_postmaster(&self.app.own, &envelope.recipients).then_some(Reason::Postmaster)
    }

    fn describe(&self, envelope: &Envelope, mail: &Mail, size: usize, now: Millis) -> NewInbox {
        // Nobody knows yet which words are passwords; see `shown`.
        let mask = |line: &str| knotpost_commands::mask_cautiously(line, &self.app.vocabulary);
        let text = match &mail.found {
            Identified::Multiple { lines, .. } => {
                Some(lines.iter().map(|line| mask(line)).collect::<Vec<_>>().join("\n"))
            }
            Identified::Body { line, .. } => Some(mask(line)),
            Identified::Subject { .. } | Identified::Unclear { .. } => None,
        };
        NewInbox {
            received_at: now,
            way: envelope.way.as_str(),
            peer: envelope.peer.map(|peer| peer.to_string()),
            mail_from: envelope.mail_from.clone(),
            recipients: self.masked(&envelope.recipients),
            size: i64::try_from(size).unwrap_or(i64::MAX),
            sender: mail.sender.as_ref().map(ToString::to_string),
            message_id: mail.message.message_id.clone(),
            subject: Some(mask(&mail.message.subject)),
            text,
            raw: None,
            reason: None,
            verdicts: None,
            host: None,
        }
    }

    /// The recipients as an administrator may read them, one a line.
    pub(super) fn masked(&self, recipients: &[String]) -> String {
        recipients.iter().map(|address| self.app.own.masked(address)).collect::<Vec<_>>().join("\n")
    }

    fn request(mail: &Mail, ruling: Ruling, host: Option<Host>, verdicts: Option<&Verdicts>) -> Request {
        let aligned = verdicts.is_some_and(|verdicts| verdicts.prove(mail.author_domain()));
        let (line, body) = match &mail.found {
            Identified::Subject { line, comment } => (line.clone(), comment.clone()),
            // Should it answer no board mail after all, the Subject is what its sender is told about.
            Identified::Body { .. } => (mail.message.subject.trim().to_owned(), String::new()),
            Identified::Multiple { lines, surplus } => {
                // One line more than allowed makes the command say so.
                let surplus = std::iter::repeat_n("help".to_owned(), *surplus);
                ("multiple".to_owned(), lines.iter().cloned().chain(surplus).collect::<Vec<_>>().join("\n"))
            }
            Identified::Unclear { subject, comment } => (subject.clone(), comment.clone()),
        };
        let answering = match (&mail.found, &mail.claim) {
            (Identified::Body { line, comment }, Some(claim)) => {
                let (claim, line, comment) = (claim.clone(), line.clone(), comment.clone());
                Some(Answering { claim, line, comment, credit: ruling.credit() })
            }
            _ => None,
        };
        Request { line, body, origin: Origin::mail(mail.sender.clone(), host, aligned), answering }
    }

    /// Processes the mail whose turn it is; `false`: none is due.
    ///
    /// # Errors
    /// When the database fails. A mail that cannot be processed is set aside, which is no error.
    pub async fn process_next(&self) -> Result<bool, StoreError> {
        let app = &self.app;
        let now = app.clock.now();
        if app.store.glance().await?.next_inbox_due().await?.is_none_or(|due| due > now.0) {
            return Ok(false);
        }
        let lease =
            app.store.write_queue(move |tx| Box::pin(tx.lease_inbox(now, now.plus(LEASE_MS)))).await?;
        let Some(row) = lease else { return Ok(false) };
        let key = row.id;
        // A mail that makes the program stumble must not take the worker along.
        let done = AssertUnwindSafe(self.process(&row)).catch_unwind().await;
        if let Err(error) = done.unwrap_or(Err(StoreError::Panicked)) {
            tracing::error!(
                inbox = key.0,
                attempts = row.attempts,
                error = error.with_causes(),
                "a mail could not be processed"
            );
            // A database in trouble is no fault of the mail's: it waits as long as that takes.
            if row.attempts >= MOST_ATTEMPTS && !error.is_transient() {
                self.set_aside(key, Reason::Failed).await?;
            }
        }
        Ok(true)
    }

    async fn process(&self, row: &InboxRow) -> Result<(), StoreError> {
        let app = &self.app;
        let raw = row.raw.as_deref().and_then(|sealed| app.secret.unseal(sealed));
        let Some(raw) = raw else { return self.set_aside(row.id, Reason::Broken).await };
        let recipients: Vec<String> = row.recipients.lines().map(ToOwned::to_owned).collect();
        let Ok(mail) = self.read(&raw, row.mail_from.as_deref(), &recipients) else {
            return self.set_aside(row.id, Reason::Broken).await;
        };
        let verdicts = row.verdicts.as_deref().and_then(Verdicts::from_json);
        let ruling = rule(app.config.inbound.auth_policy, verdicts.as_ref(), mail.author_domain());
        let host = row.host.as_deref().and_then(|host| host.parse().ok());
        let prepared = prepare(app, Self::request(&mail, ruling, host, verdicts.as_ref())).await?;
        let (key, now) = (row.id, app.clock.now());
        let keep = app.config.inbound.keep_raw == KeepRaw::All;
        let work = Arc::new((mail, prepared, self.masked(&recipients)));
        let (shared, done) = (Arc::clone(app), Arc::clone(&work));
        let outcome = app
            .store
            .write(move |tx| {
                let (app, work) = (Arc::clone(&shared), Arc::clone(&work));
                Box::pin(async move {
                    // Marked first: if another process was faster, nothing of this happens.
                    if !tx.finish_inbox(key, "done", Reason::Executed.as_str(), keep, now).await? {
                        return Ok(None);
                    }
                    let since = now.plus(-DEDUPE_MS);
                    let is_first = tx.claim_mail(&work.0.dedupe_key, key, since, now).await?;
                    let outcome = decide(tx, &app, &work.0, &work.1, is_first, now).await?;
                    let (subject, text) = shown(&app, &work.0, &work.1);
                    tx.describe_inbox(key, outcome.reason.as_str(), subject.as_deref(), text.as_deref())
                        .await?;
                    tx.replace_recipients(key, &work.2).await?;
                    Ok(Some(outcome))
                })
            })
            .await?;
        if let Some(outcome) = outcome {
            done.1.after_commit(app);
            self.tell(&outcome, now);
        }
        Ok(())
    }

    /// Says after the commit what was committed.
    fn tell(&self, outcome: &Outcome, now: Millis) {
        count(outcome.reason);
        if let Some(valve) = outcome.valve {
            valve.note_refusal(now);
        }
        self.app.signals.outbox.notify_one();
        self.app.signals.tell_boards(&outcome.boards);
    }

    async fn set_aside(&self, key: InboxKey, reason: Reason) -> Result<(), StoreError> {
        let now = self.app.clock.now();
        let keep = self.app.config.inbound.keep_raw != KeepRaw::Never;
        count(reason);
        self.app
            .store
            .write_queue(move |tx| {
                Box::pin(
                    async move { tx.finish_inbox(key, "failed", reason.as_str(), keep, now).await.map(drop) },
                )
            })
            .await
    }
}

/// Subject and command lines of a mail as an administrator may read them, now that its passwords are known.
fn shown(app: &App, mail: &Mail, prepared: &Prepared) -> (Option<String>, Option<String>) {
    let subject = || knotpost_commands::mask_cautiously(&mail.message.subject, &app.vocabulary);
    match &mail.found {
        Identified::Subject { .. } | Identified::Unclear { .. } => (Some(prepared.echo.clone()), None),
        Identified::Body { .. } => (Some(subject()), Some(prepared.echo.clone())),
        Identified::Multiple { .. } => {
            (Some(subject()), Some(prepared.line_echoes().collect::<Vec<_>>().join("\n")))
        }
    }
}

fn nothing() -> Identified {
    Identified::Unclear { subject: String::new(), comment: String::new() }
}

pub(super) fn count(reason: Reason) {
    metrics::counter!("knotpost_mails_received", "reason" => reason.as_str()).increment(1);
}
