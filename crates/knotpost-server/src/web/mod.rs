//! The HTTP edge: commands, the API, pages. It translates and calls the use cases; it holds no SQL.

mod api;
mod client;
mod commands;
mod error;
mod health;
mod pages;
mod router;

use std::net::SocketAddr;
use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::app::App;

pub use router::router;

/// What every handler shares.
#[derive(Clone)]
pub struct Web {
    /// The server's parts.
    pub app: Arc<App>,
    pages: Arc<pages::Pages>,
    metrics: Option<PrometheusHandle>,
}

impl Web {
    /// The shared parts of the handlers.
    pub fn new(app: Arc<App>, metrics: Option<PrometheusHandle>) -> Self {
        let pages = Arc::new(pages::Pages::new(&app.config));
        Self { app, pages, metrics }
    }
}

/// Serves HTTP until it is told to stop, then finishes the requests in hand.
pub async fn serve(
    listener: TcpListener,
    app: Arc<App>,
    metrics: Option<PrometheusHandle>,
    stop: CancellationToken,
) {
    let service = router(Web::new(app, metrics)).into_make_service_with_connect_info::<SocketAddr>();
    let served = axum::serve(listener, service).with_graceful_shutdown(stop.cancelled_owned()).await;
    if let Err(error) = served {
        tracing::error!(%error, "the web listener failed");
    }
}
