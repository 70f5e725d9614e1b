//! The HTTP listener: the number of connections, their time limits, and graceful shutdown.

use std::convert::Infallible;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::error::Problem;
use super::timeouts::{Progress, TimedStream};
use super::{Web, client, router};
use knotpost_core::boards::Code;
use knotpost_core::config::Http;
use knotpost_platform::connections::{self, AcceptFailures, Full, Place, Places};

const MOST_BUFFERED: usize = 64 << 10;

#[derive(Clone, Copy, Debug)]
pub struct ServeLimits {
    pub max_connections: usize,
    /// Trusted proxies are exempt, as they carry many clients.
    pub max_per_client: usize,
    /// For the header of a request; that of the first one starts with the connection.
    pub header_timeout: Duration,
    pub idle_timeout: Duration,
    pub write_timeout: Duration,
    pub grace: Duration,
}

impl ServeLimits {
    pub fn new(http: &Http) -> Self {
        Self {
            max_connections: http.max_connections as usize,
            max_per_client: http.max_per_client as usize,
            header_timeout: Duration::from_secs(10),
            // Longer than the keep-alive timeout of proxies (nginx: 60 s), so that none sends into a closing
            // connection.
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_mins(1),
            grace: Duration::from_secs(5),
        }
    }
}

pub async fn serve(listener: TcpListener, web: Web, limits: ServeLimits, stop: CancellationToken) {
    let places = Places::new(limits.max_connections, limits.max_per_client);
    let router = router(web.clone().until(stop.clone()));
    let mut failures = AcceptFailures::new("http");
    for limit in [TOTAL, CLIENT] {
        ::metrics::counter!("knotpost_http_connections_refused_total", "limit" => limit).increment(0);
    }
    for kind in ["silent", "stream"] {
        ::metrics::counter!("knotpost_http_connections_closed_total", "kind" => kind).increment(0);
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
        let place = match places.open((!is_proxy).then(|| peer.ip())) {
            Ok(place) => place,
            Err(full) => {
                turn_away(stream, full);
                continue;
            }
        };
        let connection = Connection { stream, peer, place, limits };
        connections.spawn(connection.serve(web.clone(), router.clone(), stop.clone()));
    }
    drop(listener);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.grace, all_ended).await.is_err() {
        connections.shutdown().await;
    }
}

struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    place: Arc<Place>,
    limits: ServeLimits,
}

impl Connection {
    async fn serve(self, web: Web, router: Router, stop: CancellationToken) {
        let Self { stream, peer, place, limits } = self;
        // Responses are small and latency matters.
        let _ = stream.set_nodelay(true);
        let progress = Progress::default();
        let stream = TimedStream::new(stream, progress.clone(), limits.header_timeout, limits.write_timeout);
        let own = Arc::clone(&place);
        let service = service_fn(move |request: Request<Incoming>| {
            let (mut parts, body) = request.into_parts();
            parts.extensions.insert(ConnectInfo(peer));
            parts.extensions.insert(Arc::clone(&own));
            progress.begin();
            let trusted = &web.app.config.http.trusted_proxies;
            let client = Some(client::of(&parts, trusted).0).filter(|client| !trusted.contain(*client));
            let begun = own.begin(client, matches!(parts.uri.path(), "/healthz" | "/readyz"));
            let (router, progress) = (router.clone(), progress.clone());
            async move {
                let answer = match begun {
                    Ok(begun) => {
                        let request = Request::from_parts(parts, Body::new(body));
                        let answer = router.oneshot(request).await.unwrap_or_else(|never| match never {});
                        answer.map(|body| Body::new(Answer { body, _begun: begun }))
                    }
                    Err(full) => refuse(full),
                };
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
            () = place.closed() => return,
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// A body that keeps its request open until it is sent.
struct Answer {
    body: Body,
    _begun: connections::Request,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

const TOTAL: &str = "total";
const CLIENT: &str = "client";

fn told(full: Full) -> (&'static str, &'static str) {
    match full {
        Full::Total => (TOTAL, "too many connections at the moment"),
        Full::Client => (CLIENT, "too many connections from your network address"),
    }
}

fn refuse(full: Full) -> Response {
    let (limit, text) = told(full);
    ::metrics::counter!("knotpost_http_connections_refused_total", "limit" => limit).increment(1);
    let mut answer = Problem::new(Code::Unavailable, text).retry_after(10).into_response();
    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}

fn turn_away(stream: TcpStream, full: Full) {
    let (limit, text) = told(full);
    let body = format!(
        "{{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\"code\":\"unavailable\",\
         \"detail\":\"{text}\"}}"
    );
    ::metrics::counter!("knotpost_http_connections_refused_total", "limit" => limit).increment(1);
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: {}\r\n\
         Retry-After: 10\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let say = || -> io::Result<()> {
        // The socket is non-blocking. Received bytes are read first: closing with unread bytes resets the connection,
        // and the client would lose the response.
        let mut stream = stream.into_std()?;
        let _ = stream.read(&mut [0; 4096]);
        stream.write_all(answer.as_bytes())?;
        stream.shutdown(Shutdown::Write)
    };
    // A client that misses the response sees the end of the connection.
    let _ = say();
}
