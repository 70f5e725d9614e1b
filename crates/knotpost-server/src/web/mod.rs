//! The HTTP edge: commands, the API, pages. It translates and calls the use cases; it holds no SQL.

mod admin;
mod api;
mod auth;
mod client;
mod commands;
mod content;
mod error;
mod extract;
mod feeds;
mod guard;
mod health;
mod inbound;
mod kept;
mod once;
mod openapi;
mod pages;
mod pulse;
mod router;
mod routes;
mod visitor;

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::service::{LocalMailbox, Mailroom};

pub use openapi::openapi;
use router::CONTENT_POLICY;
pub use router::router;
pub use routes::{Role, Route, routes};

/// What every handler shares. Copied several times for each request, and therefore no more than a pointer.
#[derive(Clone)]
pub struct Web(Arc<Shared>);

/// The parts behind a [`Web`].
#[derive(Clone)]
pub struct Shared {
    /// The server's parts.
    pub app: Arc<App>,
    mailroom: Arc<dyn Mailroom>,
    pages: Arc<pages::Pages>,
    kept: Arc<kept::KeptAnswers>,
    metrics: Option<PrometheusHandle>,
    /// The mail that stays on this machine, when it does.
    mailbox: Option<Arc<dyn LocalMailbox>>,
    /// Ends what would otherwise go on for as long as a client wishes.
    stop: CancellationToken,
    /// Places for those who watch boards live.
    watchers: Arc<Semaphore>,
}

/// So many may watch boards live at once.
const MOST_WATCHERS: usize = 1000;

impl Web {
    /// The shared parts of the handlers; `mailroom` takes the mail that web hooks post.
    pub fn new(app: Arc<App>, mailroom: Arc<dyn Mailroom>, metrics: Option<PrometheusHandle>) -> Self {
        let pages = Arc::new(pages::Pages::new(&app.config));
        let watchers = Arc::new(Semaphore::new(MOST_WATCHERS));
        let (kept, stop) = (Arc::default(), CancellationToken::new());
        Self(Arc::new(Shared { app, mailroom, pages, kept, metrics, mailbox: None, stop, watchers }))
    }

    /// The same, showing the mail that stays on this machine.
    #[must_use]
    pub fn with_mailbox(self, mailbox: Option<Arc<dyn LocalMailbox>>) -> Self {
        Self(Arc::new(Shared { mailbox, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// The same, ending its long answers when the server stops.
    #[must_use]
    pub fn until(self, stop: CancellationToken) -> Self {
        Self(Arc::new(Shared { stop, ..Arc::unwrap_or_clone(self.0) }))
    }
}

impl Deref for Web {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// Serves HTTP until it is told to stop, then finishes the requests in hand.
pub async fn serve(listener: TcpListener, web: Web, stop: CancellationToken) {
    let service = router(web.until(stop.clone())).into_make_service_with_connect_info::<SocketAddr>();
    let served = axum::serve(listener, service).with_graceful_shutdown(stop.cancelled_owned()).await;
    if let Err(error) = served {
        tracing::error!(%error, "the web listener failed");
    }
}
