//! Webhooks: events leave as HTTP requests to URLs that users chose.
//!
//! `names` resolves a host and allows only public addresses, `connection` connects to exactly such an address,
//! `request` speaks HTTP over it. What is sent and what follows from the response is decided by the core.

mod connection;
mod names;
mod request;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls::{ClientConfig, RootCertStore};

pub use names::{Resolve, SystemNames};

use knotpost_core::StoreError;
use knotpost_core::app::App;
use knotpost_core::config::Config;
use knotpost_core::webhooks::{Delivery, Fate, Taken, note_fate, take_delivery};
use knotpost_model::{HookUrl, Reach};
use knotpost_platform::build::PRODUCT;

/// Delivers events to webhooks.
#[derive(Clone)]
pub struct Courier {
    names: Arc<dyn Resolve>,
    tls: Arc<ClientConfig>,
    reach: Reach,
    timeout: Duration,
    agent: String,
}

impl fmt::Debug for Courier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Courier")
            .field("reach", &self.reach)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl Courier {
    /// A courier with the system's resolver and the root certificates that browsers trust.
    ///
    /// # Errors
    /// When there is no TLS to be had.
    pub fn new(config: &Config) -> Result<Self, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        Self::with(config, Arc::new(SystemNames), roots)
    }

    /// A courier with its own resolver and its own root certificates.
    ///
    /// # Errors
    /// When there is no TLS to be had.
    pub fn with(
        config: &Config,
        names: Arc<dyn Resolve>,
        roots: RootCertStore,
    ) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let settings = &config.webhooks;
        Ok(Self {
            names,
            tls: Arc::new(tls),
            reach: if settings.allow_private { Reach::Anywhere } else { Reach::Public },
            timeout: Duration::from_secs(settings.timeout_seconds),
            agent: format!("{} (+{})", *PRODUCT, config.server.public_url),
        })
    }

    /// Delivers an event, and says what became of it. Takes no longer than the configured timeout.
    pub async fn deliver(&self, delivery: &Delivery) -> Fate {
        let attempt = self.attempt(&delivery.url, delivery);
        match tokio::time::timeout(self.timeout, attempt).await {
            Ok(Ok(fate)) => fate,
            Ok(Err(why)) => Fate::Failed { why, retry_after: None },
            Err(_) => {
                let why = format!("no answer within {} seconds", self.timeout.as_secs());
                Fate::Failed { why, retry_after: None }
            }
        }
    }

    async fn attempt(&self, url: &HookUrl, delivery: &Delivery) -> Result<Fate, String> {
        let places = names::find(self.names.as_ref(), url, self.reach).await?;
        let stream = connection::open(&places).await?;
        if url.is_secure() {
            let stream = connection::secure(stream, url, &self.tls).await?;
            request::post(stream, url, delivery, &self.agent).await
        } else {
            request::post(stream, url, delivery, &self.agent).await
        }
    }
}

/// Sends the event that has been due longest; `false`: none is due.
///
/// # Errors
/// When the database fails. An event that cannot be sent is no error: its row says so.
pub async fn send_next(app: &Arc<App>, courier: &Courier) -> Result<bool, StoreError> {
    let Some(taken) = take_delivery(app).await? else { return Ok(false) };
    let Taken::Deliver(delivery) = taken else { return Ok(true) };
    // Boxed, because with TLS the future is large.
    let fate = Box::pin(courier.deliver(&delivery)).await;
    let outcome = match &fate {
        Fate::Arrived => "arrived",
        Fate::Gone => "gone",
        Fate::Failed { .. } => "failed",
    };
    metrics::counter!("knotpost_webhook_attempts_total", "outcome" => outcome).increment(1);
    if let Fate::Failed { why, .. } = &fate {
        tracing::info!(outbox = delivery.row(), host = delivery.url.host(), error = %why, "a webhook took no event");
    }
    note_fate(app, *delivery, fate).await?;
    Ok(true)
}
