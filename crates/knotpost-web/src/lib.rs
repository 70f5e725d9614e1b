//! The HTTP interface: commands, the API, pages. It translates requests to use cases; it must not contain SQL.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod admin;
mod api;
mod auth;
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
mod response_cache;
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
use knotpost_core::mailing::{LocalMailbox, WebhookIntake};
use knotpost_model::UserKey;
use knotpost_platform::connections::Slots;
use knotpost_platform::secret::MailboxKey;

pub use health::ask_readiness;
pub use openapi::openapi;
pub use pages::check_privacy_text;
use router::CONTENT_POLICY;
pub use router::router;
pub use routes::{Role, Route, routes};
pub use serving::{ServeLimits, serve};

/// The state shared by all handlers. It is cloned several times for each request, so it is only a pointer.
#[derive(Clone)]
pub struct Web(Arc<Shared>);

/// The parts behind a [`Web`].
#[derive(Clone)]
pub struct Shared {
    /// The server's parts.
    pub app: Arc<App>,
    intake: Arc<dyn WebhookIntake>,
    pages: Arc<pages::Pages>,
    responses: Arc<response_cache::ResponseCache>,
    metrics: Option<PrometheusHandle>,
    counted: Arc<gauges::Counted>,
    /// The captured mail, when outgoing mail is captured on this machine.
    mailbox: Option<Mailbox>,
    /// Ends event streams, which otherwise last as long as the client wishes.
    stop: CancellationToken,
    /// Permits for event streams.
    watchers: Slots,
    /// … and for those of programs, by their accounts.
    programs: Slots<UserKey>,
    /// … and for archives of what is held about users, by their accounts.
    archives: Slots<UserKey>,
}

/// The captured mail.
#[derive(Clone)]
struct Mailbox {
    mails: Arc<dyn LocalMailbox>,
    key: MailboxKey,
}

/// The most event streams at once.
const MOST_WATCHERS: usize = 1000;
/// The most event streams of programs at once.
const MOST_PROGRAMS: usize = 500;
/// The most of one account.
const MOST_PROGRAMS_OF_USER: usize = 3;
/// The most archives that are made at once, one for a user.
const MOST_ARCHIVES: usize = 2;
/// The most event streams of one client.
const MOST_WATCHERS_OF_CLIENT: usize = 20;

impl Web {
    /// The state of the handlers; `intake` accepts the mail that webhooks post.
    pub fn new(app: Arc<App>, intake: Arc<dyn WebhookIntake>, metrics: Option<PrometheusHandle>) -> Self {
        let pages = Arc::new(pages::Pages::new(&app.config));
        let watchers = Slots::new(MOST_WATCHERS, MOST_WATCHERS_OF_CLIENT);
        let programs = Slots::new(MOST_PROGRAMS, MOST_PROGRAMS_OF_USER);
        let (responses, stop) = (Arc::default(), CancellationToken::new());
        Self(Arc::new(Shared {
            app,
            intake,
            pages,
            responses,
            metrics,
            counted: Arc::default(),
            mailbox: None,
            stop,
            watchers,
            programs,
            archives: Slots::new(MOST_ARCHIVES, 1),
        }))
    }

    /// Shows the captured mail to administrators and to holders of the key.
    #[must_use]
    pub fn with_mailbox(self, mails: Arc<dyn LocalMailbox>, key: MailboxKey) -> Self {
        let mailbox = Some(Mailbox { mails, key });
        Self(Arc::new(Shared { mailbox, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// Ends event streams when the server stops.
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
