//! The delivery worker: takes leased mails, builds and signs each, hands it to the transport and acknowledges it.
//!
//! Knows nothing of how mails are leased or acknowledged in batches; [`LeaseBuffer`] and [`AckBatcher`] do.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::Instant;

use super::ack_batcher::AckBatcher;
use super::build::{Built, build_message};
use super::lease_buffer::{BufferedMail, LeaseBuffer, TakenMail, Turn};
use super::pacing::is_prefetch_valid;
use super::result::{DeliveryResult, ReadyMail, record_result, send};
use crate::outbound::transports::{Beginning, Transport};
use knotpost_core::StoreError;
use knotpost_core::app::App;
use knotpost_core::mailing::{
    DeliveryOutcome, LeasedMail, LoadedMail, coalesce_before_sending, load_mail, record_delivery,
};
use knotpost_model::Millis;

/// Helpers send only while more mails than this are leased; the rest is left to the workers that lease.
const HELP_ABOVE_MAILS: usize = 16;
/// The most mails sent one after the other before a worker checks whether it should stop.
const MAX_RUN_MAILS: usize = 16;
/// The next mail is announced only to a relay that took the last one in less time than this. With a slower one its
/// prefetched rows would expire meanwhile.
const ANNOUNCE_BELOW: Duration = Duration::from_millis(100);

/// A leased mail that is built and signed.
#[derive(Debug)]
struct BuiltMail {
    mail: ReadyMail,
    /// When what it was built from was read.
    read_at: Millis,
    turn: Turn,
}

impl BuiltMail {
    /// The leased mail, to be built again from what is read anew.
    fn into_taken(self) -> TakenMail {
        TakenMail { mail: BufferedMail { leased: self.mail.leased, loaded: None }, turn: self.turn }
    }
}

/// Sends the mails of the outbox. One value is shared by all tasks of a process that send.
///
/// A lease is a write, and so is an acknowledgement; writes wait for each other and for the disk. So mails are leased
/// and acknowledged in batches while other workers go on sending. When a server is killed, the mails that were sent and
/// not yet acknowledged are sent once more, with the same Message-ID: as many as leave during one commit and
/// the wait before it.
pub struct DeliveryWorker {
    app: Arc<App>,
    transport: Arc<Transport>,
    leases: LeaseBuffer,
    acks: AckBatcher,
    /// Whether the last mail was handed over within [`ANNOUNCE_BELOW`].
    is_relay_fast: AtomicBool,
}

impl fmt::Debug for DeliveryWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeliveryWorker")
            .field("transport", &self.transport)
            .field("leased", &self.leases.len())
            .field("unacknowledged", &self.acks.len())
            .finish_non_exhaustive()
    }
}

impl DeliveryWorker {
    /// A worker with no leased mails.
    pub fn new(app: Arc<App>, transport: Arc<Transport>) -> Self {
        let (leases, acks) = (LeaseBuffer::new(Arc::clone(&app)), AckBatcher::new(Arc::clone(&app)));
        Self { app, transport, leases, acks, is_relay_fast: AtomicBool::new(false) }
    }

    /// Sends the mail that has been due longest, and to a relay that pipelines a run of further ones; `false`: none is
    /// due, and all that were sent are acknowledged.
    ///
    /// # Errors
    /// When the database fails. A mail that cannot be rendered or sent is no error: its row says so.
    pub async fn send_next(&self) -> Result<bool, StoreError> {
        let Some(leased) = self.leases.take().await? else {
            self.acks.flush_all().await?;
            return Ok(false);
        };
        self.send_run(leased, 0).await?;
        Ok(true)
    }

    /// Returns when more mails are leased than the workers that lease will send soon.
    pub async fn wait_for_backlog(&self) {
        self.leases.wait_for_backlog().await;
    }

    /// Sends mails that other workers have leased, while there are many of them.
    ///
    /// # Errors
    /// As [`DeliveryWorker::send_next`].
    pub async fn help(&self) -> Result<(), StoreError> {
        while let Some(leased) = self.leases.take_beyond(HELP_ABOVE_MAILS) {
            self.send_run(leased, HELP_ABOVE_MAILS).await?;
        }
        Ok(())
    }

    /// Acknowledges what was sent, and leaves all leased mails to other workers.
    ///
    /// # Errors
    /// When the database fails; then the mails wait until their leases end.
    pub async fn give_back(&self) -> Result<(), StoreError> {
        self.acks.flush_all().await?;
        self.leases.give_back().await
    }

    /// Sends a mail, and further ones that are announced to the relay with the end of the one before, while more than
    /// `reserve` are leased.
    async fn send_run(&self, first: TakenMail, reserve: usize) -> Result<(), StoreError> {
        let (mut current, mut begun) = (self.build(first).await?, Beginning::default());
        for left in (0..MAX_RUN_MAILS).rev() {
            let Some(built) = current else { break };
            let next = match (left > 0).then(|| self.take_announceable(reserve)).flatten() {
                Some(next) => self.build(next).await,
                None => Ok(None),
            };
            let announced = next.as_ref().ok().and_then(Option::as_ref);
            let handed = self.hand_over(&built.mail, begun, announced.map(|next| &next.mail)).await;
            begun = match handed {
                Ok(begun) => begun,
                Err(error) => {
                    if let Ok(Some(next)) = next {
                        self.leases.put_back(next.into_taken().mail);
                    }
                    return Err(error);
                }
            };
            current = match next? {
                Some(next) if !is_prefetch_valid(next.read_at, self.app.clock.now()) => {
                    // Ends the connection: the relay has taken nothing of the announced mail.
                    begun = Beginning::default();
                    self.rebuild(next).await?
                }
                next => next,
            };
        }
        Ok(())
    }

    /// A mail that may be announced with the end of the one that is being sent.
    fn take_announceable(&self, reserve: usize) -> Option<TakenMail> {
        if !self.transport.takes_next() || !self.is_relay_fast.load(Ordering::Relaxed) {
            return None;
        }
        self.leases.take_prefetched(reserve)
    }

    /// The mail as it is sent; `None`: there is nothing to send, which is recorded.
    async fn build(&self, taken: TakenMail) -> Result<Option<BuiltMail>, StoreError> {
        let app = &*self.app;
        let TakenMail { mail: BufferedMail { leased, loaded }, turn } = taken;
        // A panic ends this mail, not the worker. Boxed: this future is part of several others.
        let built = AssertUnwindSafe(Box::pin(build_leased(app, &leased, loaded)))
            .catch_unwind()
            .await
            .unwrap_or(Err(StoreError::Panicked));
        match built {
            Ok(Some((Built::Message(bytes), read_at))) => match app.composer.sign(&bytes, leased.date()) {
                Ok(signed) => {
                    let mail = ReadyMail::new(app, leased, signed.unwrap_or(bytes));
                    return Ok(Some(BuiltMail { mail, read_at, turn }));
                }
                // Unsigned it would be taken for a forgery.
                Err(error) => record_delivery(app, &leased, DeliveryOutcome::Deferred(error)).await?,
            },
            Ok(Some((Built::Dropped(why), _))) => {
                record_delivery(app, &leased, DeliveryOutcome::Dropped(why.to_owned())).await?;
            }
            Ok(None) => {}
            Err(error) if error.is_transient() => {
                record_delivery(app, &leased, DeliveryOutcome::Deferred(error.with_causes())).await?;
            }
            Err(error) => {
                tracing::error!(
                    outbox = leased.key().0,
                    error = error.with_causes(),
                    "a mail could not be written; it is set aside"
                );
                record_delivery(app, &leased, DeliveryOutcome::Failed(error.with_causes())).await?;
            }
        }
        Ok(None)
    }

    /// The mail built from what is read anew; `None`: there is nothing to send, or the lease is nearly over.
    async fn rebuild(&self, built: BuiltMail) -> Result<Option<BuiltMail>, StoreError> {
        let taken = built.into_taken();
        if taken.mail.has_time(self.app.clock.now()) {
            return self.build(taken).await;
        }
        self.leases.put_back(taken.mail);
        Ok(None)
    }

    /// Sends a mail, and acknowledges it or records why it was not sent.
    async fn hand_over(
        &self,
        mail: &ReadyMail,
        begun: Beginning,
        next: Option<&ReadyMail>,
    ) -> Result<Beginning, StoreError> {
        let began = Instant::now();
        let (sent, begun) = send(&self.transport, mail, begun, next).await;
        self.is_relay_fast.store(began.elapsed() < ANNOUNCE_BELOW, Ordering::Relaxed);
        match record_result(&self.app, &mail.leased, sent).await? {
            DeliveryResult::Sent => {
                self.acks.acknowledge(mail.leased.key(), || self.leases.len() > 0).await?;
            }
            DeliveryResult::Recorded => {}
        }
        Ok(begun)
    }
}

/// Builds a leased mail, reading again what it is built from if what was prefetched has expired, and says when that was
/// read; /// `None`: it has ended, or another process has leased it.
async fn build_leased(
    app: &App,
    leased: &LeasedMail,
    loaded: Option<(LoadedMail, Millis)>,
) -> Result<Option<(Built, Millis)>, StoreError> {
    let now = app.clock.now();
    let (loaded, read_at) = match loaded {
        Some((loaded, read_at)) if is_prefetch_valid(read_at, now) => (loaded, read_at),
        _ => (load_mail(app, leased).await?, now),
    };
    match loaded {
        LoadedMail::Unavailable => Ok(None),
        LoadedMail::Ready { has_newer: true, .. } if coalesce_before_sending(app, leased).await? => Ok(None),
        LoadedMail::Ready { content, .. } => {
            Ok(Some((build_message(app, leased.stored_message(), content).await?, read_at)))
        }
    }
}
