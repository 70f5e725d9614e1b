//! The HTTP listener: the number of connections, their time limits, and graceful shutdown.

use std::convert::Infallible;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr};
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::timeouts::{Progress, TimedStream};
use super::{Web, router};
use knotpost_core::config::Http;
use knotpost_model::Host;
use knotpost_platform::connections::{AcceptFailures, Full, Slot, Slots};

/// The read buffer of a connection in bytes, headers included.
const MOST_BUFFERED: usize = 64 << 10;

/// The limits of the listener.
#[derive(Clone, Copy, Debug)]
pub struct ServeLimits {
    /// The most connections.
    pub max_connections: usize,
    /// The most connections of one client host; trusted proxies are exempt, as they carry many clients.
    pub max_per_client: usize,
    /// The time limit of the header of a request; that of the first one starts with the connection.
    pub header_timeout: Duration,
    /// How long a connection may be idle between two requests.
    pub idle_timeout: Duration,
    /// How long a client may leave a response unread.
    pub write_timeout: Duration,
    /// How long running requests may take after the server is asked to stop.
    pub grace: Duration,
}

impl ServeLimits {
    /// The limits of a configuration.
    pub fn new(http: &Http) -> Self {
        Self {
            max_connections: http.max_connections as usize,
            max_per_client: http.max_per_client as usize,
            header_timeout: Duration::from_secs(10),
            // Longer than the keep-alive timeout of proxies (nginx: 60 s), so that none sends into a closing connection.
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_mins(1),
            grace: Duration::from_secs(5),
        }
    }
}

/// Serves HTTP until it is asked to stop, then finishes the running requests.
pub async fn serve(listener: TcpListener, web: Web, limits: ServeLimits, stop: CancellationToken) {
    let slots = Slots::new(limits.max_connections, limits.max_per_client);
    let router = router(web.clone().until(stop.clone()));
    let mut failures = AcceptFailures::new("http");
    for limit in [TOTAL, CLIENT] {
        ::metrics::counter!("knotpost_http_connections_refused_total", "limit" => limit).increment(0);
    }
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        let (stream, peer) = match accepted {
            Ok(connection) => connection,
            Err(error) => {
                failures.pause_after(&error).await;
                continue;
            }
        };
        let is_proxy = web.app.config.http.trusted_proxies.contain(peer.ip());
        let slot = match slots.take((!is_proxy).then(|| Host::of(peer.ip()))) {
            Ok(slot) => slot,
            Err(full) => {
                turn_away(stream, full);
                continue;
            }
        };
        let connection = Connection { stream, peer, slot, limits };
        connections.spawn(connection.serve(router.clone(), stop.clone()));
    }
    drop(listener);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.grace, all_ended).await.is_err() {
        connections.shutdown().await;
    }
}

/// One client's connection.
struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    slot: Slot,
    limits: ServeLimits,
}

impl Connection {
    async fn serve(self, router: Router, stop: CancellationToken) {
        let Self { stream, peer, slot, limits } = self;
        // Responses are small and latency matters.
        let _ = stream.set_nodelay(true);
        let progress = Progress::default();
        let stream = TimedStream::new(stream, progress.clone(), limits.header_timeout, limits.write_timeout);
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            progress.begin();
            let (router, progress) = (router.clone(), progress.clone());
            async move {
                let answer: Response = router.oneshot(request).await.unwrap_or_else(|never| match never {});
                progress.answer();
                Ok::<_, Infallible>(answer)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            // hyper's own limit also runs while a connection is idle.
            .header_read_timeout(limits.idle_timeout)
            .max_buf_size(MOST_BUFFERED)
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
        drop(slot);
    }
}

/// The limits of connections, as the metrics name them.
const TOTAL: &str = "total";
const CLIENT: &str = "client";
const TOO_MANY: &str = "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\
                        \"code\":\"unavailable\",\"detail\":\"too many connections at the moment\"}";
const TOO_MANY_OF_CLIENT: &str = "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\
                                  \"code\":\"unavailable\",\
                                  \"detail\":\"too many connections from your network address\"}";

/// Refuses a connection over the limit with a response, and closes it at once.
fn turn_away(stream: TcpStream, full: Full) {
    let (limit, body) = match full {
        Full::Total => (TOTAL, TOO_MANY),
        Full::Host => (CLIENT, TOO_MANY_OF_CLIENT),
    };
    ::metrics::counter!("knotpost_http_connections_refused_total", "limit" => limit).increment(1);
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: {}\r\n\
         Retry-After: 10\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let say = || -> io::Result<()> {
        // The socket is non-blocking. Received bytes are read first: closing with unread bytes resets the connection, and the
        // client would lose the response.
        let mut stream = stream.into_std()?;
        let _ = stream.read(&mut [0; 4096]);
        stream.write_all(answer.as_bytes())?;
        stream.shutdown(Shutdown::Write)
    };
    // A client that misses the response sees the end of the connection.
    let _ = say();
}
