//! Background loops. Each takes one piece of work after the other, and checks the stop signal in between.

mod bots;
mod supervision;

use knotpost_core::config::Config;
use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use knotpost_core::admin::{REPORT_EVERY, RunningServer};
use knotpost_core::app::App;
use knotpost_core::outage::log_failure;
use knotpost_core::pulse::Loop;
use knotpost_core::signals::{Announcements, Wakeup};
use knotpost_model::Millis;
use knotpost_platform::clock::{Clock, random_bytes};
use knotpost_platform::secret::to_hex;
use knotpost_storage::{Store, StoreError};
use knotpost_transport::inbound::{MailIntake, MaildirWatcher, Round};
use knotpost_transport::outbound::{Courier, DeliveryWorker, Maildir, webhook};

use crate::telemetry::logged_errors;

pub(crate) use bots::begin_counting as begin_counting_bot_moves;
pub use bots::{Budget, play_next, work_bots};
pub use supervision::Workers;

/// First polling interval without work and without a wake-up.
const POLL: Duration = Duration::from_millis(500);
/// Longest polling interval. Polling finds work that becomes due later, or that another process left without a
/// wake-up.
const LONGEST_POLL: Duration = Duration::from_secs(5);
const ROUND: Duration = Duration::from_secs(2);
const REST: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_secs(1);
const SUM_UP: Duration = Duration::from_secs(5);
const LOOK_AT_FILE: Duration = Duration::from_secs(30);
const DAY_MS: i64 = 86_400_000;
const PRUNE: Duration = Duration::from_mins(10);

pub async fn work_inbox(intake: Arc<MailIntake>, app: Arc<App>, stop: CancellationToken) {
    let mut pause = POLL;
    while !stop.is_cancelled() {
        let done = intake.process_next().await;
        app.pulse.beat(Loop::Inbox, app.clock.now());
        pause = rest(done, pause, &app.signals.inbox, &stop, "the inbox").await;
    }
}

/// Empties the watched folder repeatedly. Nothing in the folder ends it.
pub async fn work_maildir(
    watch: Arc<Mutex<MaildirWatcher>>,
    intake: Arc<MailIntake>,
    poll: Duration,
    stop: CancellationToken,
) {
    let mut watch = watch.lock().await;
    while !stop.is_cancelled() {
        let pause = match watch.walk(&intake, &stop).await {
            Round::Done => poll,
            Round::Trouble => poll.max(REST),
        };
        wait(&stop, pause).await;
    }
}

pub async fn work_outbox(app: Arc<App>, delivery: Arc<DeliveryWorker>, stop: CancellationToken) {
    let mut pause = POLL;
    while !stop.is_cancelled() {
        let done = delivery.send_next().await;
        app.pulse.beat(Loop::Outbox, app.clock.now());
        pause = rest(done, pause, &app.signals.outbox, &stop, "the outbox").await;
    }
    if let Err(error) = delivery.give_back().await {
        tracing::warn!(error = error.with_causes(), "mails wait until their leases are over");
    }
}

pub async fn work_webhooks(app: Arc<App>, courier: Arc<Courier>, stop: CancellationToken) {
    let mut pause = POLL;
    while !stop.is_cancelled() {
        let done = webhook::send_next(&app, &courier).await;
        app.pulse.beat(Loop::Webhooks, app.clock.now());
        pause = rest(done, pause, &app.signals.webhooks, &stop, "what webhooks are told").await;
    }
}

pub async fn work_rounds(app: Arc<App>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let walked = walk_round(&app).await;
        app.pulse.beat(Loop::Rounds, app.clock.now());
        let pause = match walked {
            Ok(true) => {
                tokio::task::yield_now().await;
                continue;
            }
            Ok(false) => ROUND,
            Err(error) => {
                log_failure(&error, "digests, puzzles and broadcasts cannot be worked on");
                REST
            }
        };
        wait(&stop, pause).await;
    }
}

/// Makes stranded work due, and writes one digest, some mails with puzzles and one part of a broadcast; false if
/// nothing was due, or the server is on hold.
pub async fn walk_round(app: &Arc<App>) -> Result<bool, StoreError> {
    if app.hold.is_some() {
        return Ok(false);
    }
    knotpost_core::clock::recall_rows_ahead(app).await?;
    let digest = knotpost_core::mailing::send_next_digest(app).await?;
    let puzzles = knotpost_core::mailing::send_due_puzzles(app).await?;
    let part = knotpost_core::commands::pass_on_broadcast(app).await?;
    Ok(digest || puzzles || part)
}

/// Waits this long, or until the server stops.
async fn wait(stop: &CancellationToken, time: Duration) {
    stop.run_until_cancelled(tokio::time::sleep(time)).await;
}

/// Goes straight on after a piece of work; without one, waits for a wake-up or for `pause`. Returns the next pause.
async fn rest(
    done: Result<bool, StoreError>,
    pause: Duration,
    sign: &Wakeup,
    stop: &CancellationToken,
    what: &str,
) -> Duration {
    let (pause, next) = match done {
        Ok(true) => {
            // Another worker is woken after each piece, as long as there is work.
            sign.wake_here();
            return POLL;
        }
        Ok(false) => (pause, (pause * 2).min(LONGEST_POLL)),
        Err(error) => {
            log_failure(&error, &format!("{what} cannot be worked on"));
            (REST, POLL)
        }
    };
    tokio::select! {
        () = stop.cancelled() => next,
        () = sign.notified() => POLL,
        () = tokio::time::sleep(pause) => next,
    }
}

/// Exchanges notifications with other processes on the same database; ends at once if there can be none.
pub async fn work_peers(app: Arc<App>, told: Arc<Mutex<Option<Announcements>>>, stop: CancellationToken) {
    let mut told = told.lock().await;
    let Some(told) = told.as_mut() else { return };
    let me = match random_bytes::<16>(app.entropy.as_ref()) {
        Ok(bytes) => to_hex(&bytes),
        Err(error) => {
            tracing::error!(%error, "without random bytes this process cannot be told from its peers");
            return;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = knotpost_core::signals::tell_peers(&app.store, told, &me) => {}
        () = listen(&app, &me) => {}
    }
}

/// Without a connection, polling finds the work.
async fn listen(app: &App, me: &str) {
    loop {
        match app.store.listen().await {
            Ok(None) => return std::future::pending().await,
            Ok(Some(mut listener)) => loop {
                match listener.next().await {
                    Ok(notification) => app.handle_notification(&notification, me),
                    Err(error) => {
                        tracing::warn!(error = error.with_causes(), "other processes are not heard");
                        break;
                    }
                }
            },
            Err(error) => tracing::warn!(error = error.with_causes(), "other processes are not heard"),
        }
        tokio::time::sleep(REST).await;
    }
}

/// Of several processes on one database one runs the clock, under its name `holder`; the others stand by.
pub async fn work_clock(app: Arc<App>, holder: Arc<str>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let worked = knotpost_core::clock::work_due(&app, &holder).await;
        app.pulse.beat(Loop::Clock, app.clock.now());
        let pause = match worked {
            Ok(true) => continue,
            Ok(false) => TICK,
            Err(error) => {
                log_failure(&error, "the clock of the boards cannot go on");
                REST
            }
        };
        wait(&stop, pause).await;
    }
    if let Err(error) = knotpost_core::clock::leave_watch(&app, &holder).await {
        tracing::info!(error = error.with_causes(), "the clock's duty runs out by itself");
    }
}

/// Takes the steps of tournaments, as long as this process runs the clock.
pub async fn work_tournaments(app: Arc<App>, holder: Arc<str>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let worked = knotpost_core::clock::work_tournaments(&app, &holder).await;
        app.pulse.beat(Loop::Tournaments, app.clock.now());
        let pause = match worked {
            Ok(true) => continue,
            Ok(false) => TICK,
            Err(error) => {
                log_failure(&error, "tournaments cannot go on");
                REST
            }
        };
        wait(&stop, pause).await;
    }
}

pub async fn work_report(app: Arc<App>, server: Arc<RunningServer>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        if let Err(error) = server.report(&app, &logged_errors()).await {
            log_failure(&error, "administrators are not told that this server is running");
        }
        wait(&stop, REPORT_EVERY).await;
    }
    if let Err(error) = server.withdraw(&app.store).await {
        tracing::info!(error = error.with_causes(), "administrators see this server for some days more");
    }
}

/// Aggregates distributions. The recorder keeps each value until then, and a server whose metrics are never read would
/// keep one for every commit there ever was.
pub async fn work_metrics(metrics: PrometheusHandle, stop: CancellationToken) {
    while !stop.is_cancelled() {
        metrics.run_upkeep();
        crate::telemetry::report_process();
        wait(&stop, SUM_UP).await;
    }
}

pub async fn work_file(app: Arc<App>, stop: CancellationToken) {
    let mut was_in_place = true;
    while !stop.is_cancelled() {
        let is_in_place = app.store.is_in_place();
        if was_in_place && !is_in_place {
            tracing::error!(
                "the database file was deleted, replaced or emptied; nothing is written any more: stop the server, put \
                 the file back or restore the last backup, and start it again"
            );
        }
        was_in_place = is_in_place;
        wait(&stop, LOOK_AT_FILE).await;
    }
}

pub async fn mend_digests(store: &Store, clock: &dyn Clock) -> Result<(), StoreError> {
    let now = clock.now();
    let mended = store.write(async move |tx| tx.mend_digests(now).await).await?;
    if mended > 0 {
        tracing::warn!(mended, "boards waited for mails of the day that had no time; these are sent now");
    }
    Ok(())
}

async fn prune_folder(clock: &dyn Clock, config: &Config, folder: &Maildir) {
    let days = i64::from(config.retention.maildir_days);
    if days == 0 {
        return;
    }
    let before = clock.now().plus(-days * DAY_MS).0 / 1000;
    let (folder, before) = (folder.clone(), u64::try_from(before).unwrap_or_default());
    match tokio::task::spawn_blocking(move || folder.prune(before)).await {
        Ok(Ok(0)) => {}
        Ok(Ok(deleted)) => tracing::info!(deleted, "old mails were deleted from the folder of outgoing mail"),
        Ok(Err(error)) => {
            tracing::warn!(%error, "old mails cannot be deleted from the folder of outgoing mail");
        }
        Err(error) => tracing::error!(%error, "old mails cannot be deleted from the folder of outgoing mail"),
    }
}

/// Deletes old outcomes, a batch at a time, and old mails in `folder`; mends digests at the start and once a day.
pub async fn work_retention(app: Arc<App>, folder: Option<Maildir>, stop: CancellationToken) {
    let mut mended_at: Option<Millis> = None;
    loop {
        let now = app.clock.now();
        if mended_at.is_none_or(|at| now.0 - at.0 >= DAY_MS) {
            match mend_digests(&app.store, app.clock.as_ref()).await {
                Ok(()) => mended_at = Some(now),
                Err(error) => log_failure(&error, "mails of the day could not be looked through"),
            }
        }
        if stop.run_until_cancelled(tokio::time::sleep(PRUNE)).await.is_none() {
            return;
        }
        if let Some(folder) = &folder {
            prune_folder(app.clock.as_ref(), &app.config, folder).await;
        }
        loop {
            match prune(&app).await {
                // Batch after batch, with other writes in between.
                Ok(true) if !stop.is_cancelled() => tokio::task::yield_now().await,
                Ok(_) => break,
                Err(error) => {
                    log_failure(&error, "old mails could not be deleted");
                    break;
                }
            }
        }
    }
}

/// Deletes one batch; returns true if there may be more.
pub async fn prune(app: &App) -> Result<bool, StoreError> {
    let now = app.clock.now();
    let kept = &app.config.retention;
    let (inbox, outbox) = (i64::from(kept.inbox_days), i64::from(kept.outbox_days));
    let audit = i64::from(kept.audit_days);
    let ((inbox, outbox, audit), more) = app
        .store
        .write_queue(async move |tx| {
            let this_hour = now.0 / 3_600_000;
            let (received, mut more) =
                tx.prune_inbox(now.plus(-7 * DAY_MS), now.plus(-inbox * DAY_MS), this_hour).await?;
            let sent = tx.prune_outbox(now.plus(-outbox * DAY_MS)).await?;
            let done = tx.prune_audit(now.plus(-audit * DAY_MS)).await?;
            more |= sent.max(done) >= 1000;
            more |= tx.prune_confirmations(now.plus(-30 * DAY_MS)).await?;
            more |= tx.prune_confirmation_mails(now.plus(-30 * DAY_MS)).await?;
            more |= tx.prune_address_changes(now.plus(-30 * DAY_MS)).await?;
            more |= tx.prune_broadcasts(now.plus(-outbox * DAY_MS)).await?;
            more |= tx.prune_bounces(now.plus(-outbox * DAY_MS)).await?;
            more |= tx.prune_resets(now.plus(-2 * DAY_MS)).await?;
            more |= tx.prune_responses(now.plus(-2 * DAY_MS)).await?;
            more |= tx.prune_sessions(now.plus(-15 * DAY_MS)).await?;
            more |= tx.prune_magic_links(now.plus(-2 * DAY_MS)).await?;
            more |= tx.prune_passkey_challenges(now.plus(-DAY_MS)).await?;
            more |= tx.prune_invitations(now).await?;
            more |= tx.prune_login_hosts(now.plus(-31 * DAY_MS)).await?;
            more |= tx.prune_tokens(now.plus(-30 * DAY_MS)).await?;
            Ok::<_, StoreError>(((received, sent, done), more))
        })
        .await?;
    if inbox + outbox + audit > 0 {
        tracing::info!(inbox, outbox, audit, "records that are older than they are kept were deleted");
    }
    Ok(more)
}
