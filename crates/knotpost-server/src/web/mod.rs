//! The HTTP edge: commands, the API, pages. It translates and calls the use cases; it holds no SQL.

mod api;
mod client;
mod commands;
mod error;
mod health;
mod inbound;
mod pages;
mod router;

use std::net::SocketAddr;
use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::service::Mailroom;

pub use router::router;

/// What every handler shares.
#[derive(Clone)]
pub struct Web {
    /// The server's parts.
    pub app: Arc<App>,
    mailroom: Arc<dyn Mailroom>,
    pages: Arc<pages::Pages>,
    metrics: Option<PrometheusHandle>,
}

impl Web {
    /// The shared parts of the handlers; `mailroom` takes the mail that web hooks post.
    pub fn new(app: Arc<App>, mailroom: Arc<dyn Mailroom>, metrics: Option<PrometheusHandle>) -> Self {
        let pages = Arc::new(pages::Pages::new(&app.config));
        Self { app, mailroom, pages, metrics }
    }
}

/// Serves HTTP until it is told to stop, then finishes the requests in hand.
pub async fn serve(listener: TcpListener, web: Web, stop: CancellationToken) {
    let service = router(web).into_make_service_with_connect_info::<SocketAddr>();
    let served = axum::serve(listener, service).with_graceful_shutdown(stop.cancelled_owned()).await;
    if let Err(error) = served {
        tracing::error!(%error, "the web listener failed");
    }
}
