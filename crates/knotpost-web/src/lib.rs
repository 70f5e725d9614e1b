//! The HTTP interface: commands, the API, pages. It translates requests to use cases; it must not contain SQL.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod admin;
mod api;
mod auth;
mod board_answers;
mod board_version;
mod browsers;
mod client;
mod commands;
mod content;
mod credentials;
mod csrf;
mod error;
mod extract;
mod feeds;
mod gauges;
mod health;
mod idempotency;
mod inbound;
mod openapi;
mod pages;
mod router;
mod routes;
mod serving;
mod session;
mod theme;
mod timeouts;

use std::ops::Deref;
use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio_util::sync::CancellationToken;

use knotpost_core::app::App;
use knotpost_core::fair_queue::FairQueue;
use knotpost_core::mailing::{LocalMailbox, WebhookIntake};
use knotpost_model::UserKey;
use knotpost_platform::connections::Places;
use knotpost_platform::secret::MailboxKey;

pub use health::ask_readiness;
pub use openapi::openapi;
pub use pages::check_privacy_text;
use router::CONTENT_POLICY;
pub use router::router;
pub use routes::{Role, Route, routes};
pub use serving::{ServeLimits, serve};

/// A pointer, since it is cloned several times for each request.
#[derive(Clone)]
pub struct Web(Arc<Shared>);

#[derive(Clone)]
pub struct Shared {
    pub app: Arc<App>,
    intake: Arc<dyn WebhookIntake>,
    pages: Arc<pages::Pages>,
    board_answers: Arc<board_answers::BoardAnswers>,
    metrics: Option<PrometheusHandle>,
    counted: Arc<gauges::Counted>,
    /// Set if outgoing mail is captured on this machine.
    mailbox: Option<Mailbox>,
    /// Ends event streams, which otherwise last as long as the client wishes.
    stop: CancellationToken,
    places: Places,
    archives: Arc<FairQueue<UserKey>>,
}

#[derive(Clone)]
struct Mailbox {
    mails: Arc<dyn LocalMailbox>,
    key: MailboxKey,
}

const MOST_ARCHIVES: usize = 2;

impl Web {
    pub fn new(app: Arc<App>, intake: Arc<dyn WebhookIntake>, metrics: Option<PrometheusHandle>) -> Self {
        let pages = Arc::new(pages::Pages::new(&app.config));
        let http = &app.config.http;
        let places = Places::new(http.max_connections as usize, http.max_per_client as usize);
        Self(Arc::new(Shared {
            app,
            intake,
            pages,
            board_answers: Arc::default(),
            metrics,
            counted: Arc::default(),
            mailbox: None,
            stop: CancellationToken::new(),
            places,
            archives: Arc::new(FairQueue::new(MOST_ARCHIVES, 0)),
        }))
    }

    #[must_use]
    pub fn with_mailbox(self, mails: Arc<dyn LocalMailbox>, key: MailboxKey) -> Self {
        let mailbox = Some(Mailbox { mails, key });
        Self(Arc::new(Shared { mailbox, ..Arc::unwrap_or_clone(self.0) }))
    }

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
