//! The HTTP edge: commands, the API, pages. It translates and calls the use cases; it holds no SQL.

mod admin;
mod api;
mod auth;
mod client;
mod commands;
mod content;
mod credentials;
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
mod patience;
mod pulse;
mod router;
mod routes;
mod serving;
mod visitor;

use std::ops::Deref;
use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::connections::Slots;
use crate::secret::MailboxKey;
use crate::service::{LocalMailbox, Mailroom};

pub use openapi::openapi;
use router::CONTENT_POLICY;
pub use router::router;
pub use routes::{Role, Route, routes};
pub use serving::{ServeLimits, serve};

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
    mailbox: Option<Mailbox>,
    /// Ends what would otherwise go on for as long as a client wishes.
    stop: CancellationToken,
    /// Places for those who watch boards live.
    watchers: Slots,
}

/// The mail that stays on this machine.
#[derive(Clone)]
struct Mailbox {
    mails: Arc<dyn LocalMailbox>,
    key: MailboxKey,
}

/// How many may watch boards live at once.
const MOST_WATCHERS: usize = 1000;
/// … of one client.
const MOST_WATCHERS_OF_CLIENT: usize = 20;

impl Web {
    /// The shared parts of the handlers; `mailroom` takes the mail that web hooks post.
    pub fn new(app: Arc<App>, mailroom: Arc<dyn Mailroom>, metrics: Option<PrometheusHandle>) -> Self {
        let pages = Arc::new(pages::Pages::new(&app.config));
        let watchers = Slots::new(MOST_WATCHERS, MOST_WATCHERS_OF_CLIENT);
        let (kept, stop) = (Arc::default(), CancellationToken::new());
        Self(Arc::new(Shared { app, mailroom, pages, kept, metrics, mailbox: None, stop, watchers }))
    }

    /// The same, showing the mail that stays on this machine to administrators and to who has the key.
    #[must_use]
    pub fn with_mailbox(self, mails: Arc<dyn LocalMailbox>, key: MailboxKey) -> Self {
        let mailbox = Some(Mailbox { mails, key });
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
