//! The common part of event streams: a place among the connections, begin and end.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt as _, stream};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::Web;
use crate::error::Problem;
use knotpost_core::boards::Code;
use knotpost_platform::connections::{Full, Holder, Place, Stream as StreamPlace};

/// Reconnection delay; the stream may have been closed for another client.
const RETRY: Duration = Duration::from_secs(5);
/// Reconnection delay of a refused stream, in seconds.
const RETRY_REFUSED: u64 = 60;

pub(super) type Events = mpsc::Sender<Result<Event, Infallible>>;

/// A client that went away, or is too slow.
pub(super) struct Lost;

/// The id of the last event that the client received, or of the page that it shows.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Since {
    /// The id of the last event received; the header `Last-Event-ID` has the same meaning.
    since: String,
}

impl Since {
    /// A browser that reconnects sends the last id (HTML, server-sent events, the `Last-Event-ID` header).
    pub(super) fn heard<'a>(&'a self, headers: &'a HeaderMap) -> &'a str {
        headers.get("last-event-id").and_then(|id| id.to_str().ok()).unwrap_or(&self.since)
    }
}

pub(super) struct Connection(Arc<Place>);

impl FromRequestParts<Web> for Connection {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Problem> {
        match parts.extensions.get::<Arc<Place>>() {
            Some(place) => Ok(Self(Arc::clone(place))),
            // A request without a connection comes from this process.
            None => web.places.open(None).map(Self).map_err(|full| refuse(full, "")),
        }
    }
}

impl Connection {
    pub(super) fn stream(&self, holder: Holder, too_many: &str) -> Result<StreamPlace, Problem> {
        self.0.stream(holder).map_err(|full| refuse(full, too_many))
    }
}

fn refuse(full: Full, too_many: &str) -> Problem {
    let text = match full {
        Full::Total => "too many clients are connected at the moment; try again in a minute",
        Full::Client => too_many,
    };
    Problem::new(Code::Unavailable, text).retry_after(RETRY_REFUSED)
}

/// Sends a keep-alive comment after each `alive` without events.
pub(super) fn respond(
    events: mpsc::Receiver<Result<Event, Infallible>>,
    alive: Duration,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let begin = stream::once(async { Ok(Event::default().retry(RETRY)) });
    Sse::new(begin.chain(ReceiverStream::new(events))).keep_alive(KeepAlive::new().interval(alive))
}
