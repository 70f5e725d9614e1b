//! The delivery worker: leases mails, builds and signs each, hands it to the transport and acknowledges it.

use std::collections::VecDeque;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::Instant;

use super::build::{Built, build_message};
use super::hourly_limit::HourlyLimit;
use super::result::{ReadyMail, record_failure, record_sent, send};
use crate::outbound::transports::Transport;
use knotpost_core::StoreError;
use knotpost_core::app::App;
use knotpost_core::mailing::{
    DeliveryOutcome, LeasedMail, MAIL_LEASE_MS, acknowledge_sent, give_back_leases, lease_mails, load_mail,
    next_mail_due, record_delivery,
};
use knotpost_model::OutboxKey;

/// Mails leased at once.
const LEASE_MAILS: i64 = 16;
/// A leased mail whose sending has not begun within this time is left to the next lease. Together with the timeouts for
/// sending (twelve minutes) and acknowledging a mail this is less than [`MAIL_LEASE_MS`].
const START_WITHIN_MS: i64 = 30_000;
/// For how long an acknowledgement is retried while the database is away or its disk is full.
const ACK_RETRY_FOR: Duration = Duration::from_mins(2);
/// The pause between two retries.
const ACK_RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The leased mails to one recipient, in the order in which they leave. A task that sends one holds the others, and no more
/// are leased meanwhile, so that they leave one after the other.
type Bundle = VecDeque<LeasedMail>;

/// Leased mails that no task has taken yet.
#[derive(Debug, Default)]
struct Leased {
    bundles: VecDeque<Bundle>,
    hourly: HourlyLimit,
}

/// Sends the mails of the outbox. One value is shared by all tasks of a process that send.
///
/// Trade-off: after a kill the mails that were sent and not yet acknowledged are sent once more, with the same bytes: as
/// many as there are tasks.
pub struct DeliveryWorker {
    app: Arc<App>,
    transport: Arc<Transport>,
    /// Held by the task that leases.
    leased: tokio::sync::Mutex<Leased>,
    /// Mails that were sent and are not acknowledged.
    sent: Mutex<Vec<OutboxKey>>,
    /// Held by the task that acknowledges: those that wait for it find their mails acknowledged, or do so for all.
    acknowledging: tokio::sync::Mutex<()>,
}

impl fmt::Debug for DeliveryWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeliveryWorker").field("transport", &self.transport).finish_non_exhaustive()
    }
}

impl DeliveryWorker {
    /// A worker with no leased mails.
    pub fn new(app: Arc<App>, transport: Arc<Transport>) -> Self {
        let (leased, sent, acknowledging) = Default::default();
        Self { app, transport, leased, sent, acknowledging }
    }

    /// Sends a mail; `false`: none is due, or other tasks are sending to the recipients of all that are.
    ///
    /// # Errors
    /// When the database fails. A mail that cannot be rendered or sent is no error: its row says so.
    pub async fn send_next(&self) -> Result<bool, StoreError> {
        self.acknowledge().await?;
        let Some((mail, rest)) = self.take().await? else { return Ok(false) };
        let sent = self.send(mail).await;
        if !rest.is_empty() {
            // Other recipients come first.
            self.leased.lock().await.bundles.push_back(rest);
        }
        sent.map(|()| true)
    }

    /// Acknowledges what was sent, and leaves all leased mails to other workers.
    ///
    /// # Errors
    /// When the database fails; then the mails wait until their leases end.
    pub async fn give_back(&self) -> Result<(), StoreError> {
        self.acknowledge().await?;
        let bundles = std::mem::take(&mut self.leased.lock().await.bundles);
        for mails in bundles {
            self.end_leases(mails).await?;
        }
        Ok(())
    }

    /// The next mail, and the others to its recipient; leases some if there are none.
    async fn take(&self) -> Result<Option<(LeasedMail, Bundle)>, StoreError> {
        let mut leased = self.leased.lock().await;
        loop {
            if leased.bundles.is_empty() {
                self.lease(&mut leased).await?;
            }
            let Some(mut bundle) = leased.bundles.pop_front() else { return Ok(None) };
            let latest = self.app.clock.now().plus(MAIL_LEASE_MS - START_WITHIN_MS);
            match bundle.pop_front_if(|mail| mail.until >= latest) {
                Some(mail) => return Ok(Some((mail, bundle))),
                None => self.end_leases(bundle).await?,
            }
        }
    }

    /// Leases the mails that have been due longest, unless no more may leave in this hour.
    async fn lease(&self, Leased { bundles, hourly }: &mut Leased) -> Result<(), StoreError> {
        let now = self.app.clock.now();
        let most = hourly.grant(LEASE_MAILS, self.app.config.mail.per_hour, START_WITHIN_MS, now);
        // A query first: an idle server does not write.
        if most == 0 || next_mail_due(&self.app).await?.is_none_or(|due| due > now) {
            return Ok(());
        }
        let mails = lease_mails(&self.app.store, &self.app.config, most, now).await?;
        hourly.record(mails.len(), now);
        for mail in mails {
            let is_theirs = |bundle: &&mut Bundle| {
                bundle.front().is_some_and(|first| first.row.recipient == mail.row.recipient)
            };
            match bundles.iter_mut().find(is_theirs) {
                Some(bundle) => bundle.push_back(mail),
                None => bundles.push_back(VecDeque::from([mail])),
            }
        }
        Ok(())
    }

    /// Leaves mails of one lease to the next.
    async fn end_leases(&self, mails: Bundle) -> Result<(), StoreError> {
        let Some(until) = mails.front().map(|mail| mail.until) else { return Ok(()) };
        give_back_leases(
            &self.app.store,
            self.app.clock.as_ref(),
            mails.iter().map(|mail| mail.row.id).collect(),
            until,
        )
        .await
    }

    /// Builds and sends a mail, and acknowledges it or records why it was not sent.
    async fn send(&self, mail: LeasedMail) -> Result<(), StoreError> {
        let Some(mail) = self.build(mail).await? else { return Ok(()) };
        if let Err(error) = send(&self.transport, &mail).await {
            return record_failure(&self.app, &mail.leased, error).await;
        }
        record_sent(&mail.leased);
        self.lock_sent().push(mail.leased.row.id);
        self.acknowledge().await
    }

    /// The mail as it is sent; `None`: there is nothing to send, which is recorded.
    async fn build(&self, leased: LeasedMail) -> Result<Option<ReadyMail>, StoreError> {
        let app = &*self.app;
        // A panic ends this mail, not the worker. Boxed: this future is part of several others.
        let built = AssertUnwindSafe(Box::pin(build_leased(app, &leased)))
            .catch_unwind()
            .await
            .unwrap_or(Err(StoreError::Panicked));
        match built {
            Ok(Some(Built::Message(bytes))) => match app.composer.sign(&bytes, leased.row.date) {
                Ok(signed) => return Ok(Some(ReadyMail::new(app, leased, signed.unwrap_or(bytes)))),
                // Unsigned it would be taken for a forgery.
                Err(error) => record_delivery(app, &leased, DeliveryOutcome::Deferred(error)).await?,
            },
            Ok(Some(Built::Dropped(why))) => {
                record_delivery(app, &leased, DeliveryOutcome::Dropped(why.to_owned())).await?;
            }
            Ok(None) => {}
            Err(error) if error.is_transient() => {
                record_delivery(app, &leased, DeliveryOutcome::Deferred(error.with_causes())).await?;
            }
            Err(error) => {
                tracing::error!(
                    outbox = leased.row.id.0,
                    error = error.with_causes(),
                    "a mail could not be written; it is set aside"
                );
                record_delivery(app, &leased, DeliveryOutcome::Failed(error.with_causes())).await?;
            }
        }
        Ok(None)
    }

    /// Acknowledges the mails that were sent. Retried while the database is away, until the leases are nearly over: a mail
    /// without an acknowledgement is sent again.
    ///
    /// # Errors
    /// When the database fails; the mails are acknowledged by the next call.
    async fn acknowledge(&self) -> Result<(), StoreError> {
        // Waiting counts too, or tasks would use up their time one after the other.
        let began = Instant::now();
        let _one_by_one = self.acknowledging.lock().await;
        let keys = self.lock_sent().clone();
        if keys.is_empty() {
            return Ok(());
        }
        loop {
            match acknowledge_sent(&self.app.store, self.app.clock.as_ref(), keys.clone()).await {
                Err(
                    StoreError::Unreachable(_)
                    | StoreError::NoServer(_)
                    | StoreError::Full(_)
                    | StoreError::Busy(_),
                ) if began.elapsed() < ACK_RETRY_FOR => tokio::time::sleep(ACK_RETRY_PAUSE).await,
                done => {
                    done?;
                    break;
                }
            }
        }
        self.lock_sent().retain(|key| !keys.contains(key));
        Ok(())
    }

    fn lock_sent(&self) -> MutexGuard<'_, Vec<OutboxKey>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Builds a leased mail; `None`: it has ended, or another process has leased it.
async fn build_leased(app: &App, leased: &LeasedMail) -> Result<Option<Built>, StoreError> {
    match load_mail(app, leased).await? {
        Some(content) => build_message(app, content).await.map(Some),
        None => Ok(None),
    }
}
