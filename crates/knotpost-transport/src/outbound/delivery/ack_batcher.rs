//! Acknowledges mails that were sent, several in one write.
//!
//! Knows only keys of mails; how a mail is sent is not its concern.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use knotpost_core::StoreError;
use knotpost_core::app::App;
use knotpost_core::mailing::acknowledge_sent;
use knotpost_model::OutboxKey;

/// For how long an acknowledgement is retried while the database is away or its disk is full.
const ACK_RETRY_FOR: Duration = Duration::from_mins(2);
/// The pause between two retries.
const ACK_RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Fewer mails than this are not acknowledged at once while more are about to be sent.
const ACK_BATCH_MIN: usize = 8;
/// How long a smaller batch waits for further mails.
const ACK_LINGER: Duration = Duration::from_millis(2);

/// Mails that were sent and are not acknowledged, shared by the workers of a process.
pub(super) struct AckBatcher {
    app: Arc<App>,
    pending: Mutex<Vec<OutboxKey>>,
    /// Held by the worker that writes a batch.
    flush: tokio::sync::Mutex<()>,
}

impl AckBatcher {
    pub(super) fn new(app: Arc<App>) -> Self {
        Self { app, pending: Mutex::default(), flush: tokio::sync::Mutex::default() }
    }

    /// How many mails are not acknowledged.
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Adds a mail that was sent, and acknowledges the batch unless another worker is about to. `has_more` says
    /// whether further mails are about to be sent.
    ///
    /// # Errors
    /// When the database fails; the mails stay in the batch.
    pub(super) async fn acknowledge(
        &self,
        sent: OutboxKey,
        has_more: impl Fn() -> bool,
    ) -> Result<(), StoreError> {
        self.lock().push(sent);
        // The worker that flushes looks again after it has let go of the lock, so that no key is left behind.
        while !self.lock().is_empty()
            && let Ok(turn) = self.flush.try_lock()
        {
            if self.len() < ACK_BATCH_MIN && has_more() {
                tokio::time::sleep(ACK_LINGER).await;
            }
            self.write_batch().await?;
            drop(turn);
        }
        Ok(())
    }

    /// Acknowledges all mails that were sent.
    ///
    /// # Errors
    /// When the database fails; the mails stay in the batch.
    pub(super) async fn flush_all(&self) -> Result<(), StoreError> {
        while !self.lock().is_empty() {
            let _turn = self.flush.lock().await;
            self.write_batch().await?;
        }
        Ok(())
    }

    /// Retried while the database is away, until the leases are nearly over: a mail without an acknowledgement is sent
    /// again.
    async fn write_batch(&self) -> Result<(), StoreError> {
        let keys = self.lock().clone();
        if keys.is_empty() {
            return Ok(());
        }
        let began = Instant::now();
        loop {
            match acknowledge_sent(&self.app, keys.clone()).await {
                Err(
                    StoreError::Unreachable(_)
                    | StoreError::NoServer(_)
                    | StoreError::Full(_)
                    | StoreError::Busy(_),
                ) if began.elapsed() < ACK_RETRY_FOR => {
                    tokio::time::sleep(ACK_RETRY_PAUSE).await;
                }
                done => {
                    done?;
                    break;
                }
            }
        }
        self.lock().retain(|key| !keys.contains(key));
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OutboxKey>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
