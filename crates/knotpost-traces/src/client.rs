//! The way to the collector.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;

type Inner = HyperClient<HttpsConnector<HttpConnector>>;

/// A client whose requests are made by the runtime it was made in: spans are sent from a thread of their own, which has
/// none.
#[derive(Debug)]
pub(crate) struct Client {
    inner: Inner,
    runtime: Handle,
    /// Whether the last request failed. An outage is told once.
    has_failed: AtomicBool,
}

impl Client {
    pub(crate) fn new(timeout: Duration) -> Result<Self, rustls::Error> {
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())?
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Self {
            inner: HyperClient::new(connector, timeout, None),
            runtime: Handle::current(),
            has_failed: AtomicBool::new(false),
        })
    }

    /// Says once that the collector takes nothing, and once that it does again.
    fn tell(&self, problem: Option<String>) {
        let has_failed = problem.is_some();
        if self.has_failed.swap(has_failed, Ordering::Relaxed) == has_failed {
            return;
        }
        if let Some(error) = problem {
            tracing::warn!(error, "the collector takes no traces; they are dropped");
        } else {
            tracing::info!("the collector takes traces again");
        }
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let inner = self.inner.clone();
        let sent = match self.runtime.spawn(async move { inner.send_bytes(request).await }).await {
            Ok(sent) => sent,
            Err(error) => Err(HttpError::from(error)),
        };
        self.tell(match &sent {
            Ok(response) if response.status().is_success() => None,
            Ok(response) => Some(format!("it answers {}", response.status())),
            Err(error) => Some(error.to_string()),
        });
        sent
    }
}
