//! Traces as a collector takes them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use tokio::net::TcpListener;
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;

use knotpost_platform::TRACES;
use knotpost_traces::{Settings, Traces};

#[derive(Clone, Default)]
struct Collector {
    taken: Arc<Mutex<Vec<ExportTraceServiceRequest>>>,
}

impl Collector {
    async fn start(status: StatusCode) -> (Self, SocketAddr) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let collector = Self::default();
        let shared = collector.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = shared.clone();
                let service = service_fn(move |request| shared.clone().take(request, status));
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        (collector, address)
    }

    async fn take(
        self,
        request: Request<Incoming>,
        status: StatusCode,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        assert_eq!(request.uri().path(), "/v1/traces");
        assert_eq!(request.headers()["content-type"], "application/x-protobuf");
        let body = request.into_body().collect().await.unwrap().to_bytes();
        self.taken.lock().unwrap().push(ExportTraceServiceRequest::decode(body).unwrap());
        let mut response = Response::new(Full::default());
        *response.status_mut() = status;
        Ok(response)
    }

    fn spans(&self) -> Vec<Span> {
        let taken = self.taken.lock().unwrap();
        let scopes =
            taken.iter().flat_map(|request| &request.resource_spans).flat_map(|one| &one.scope_spans);
        scopes.flat_map(|scope| scope.spans.clone()).collect()
    }

    fn resource(&self) -> Vec<KeyValue> {
        self.taken.lock().unwrap()[0].resource_spans[0].resource.clone().unwrap().attributes
    }
}

fn text(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.clone()?.value? {
        Value::StringValue(text) => Some(text),
        other => Some(format!("{other:?}")),
    }
}

fn traces(address: SocketAddr, percent: u32) -> Traces {
    let endpoint = format!("http://{address}/");
    Traces::new(&Settings { endpoint: &endpoint, percent, version: "9.9", instance: "here/7" }).unwrap()
}

/// A request with a command in it, and what must not be sent.
async fn work() {
    let request =
        tracing::info_span!(target: TRACES, "request", otel.name = "POST /commands", otel.kind = "server");
    async {
        let command = tracing::info_span!(target: TRACES, "command", verb = tracing::field::Empty);
        command.record("verb", "move");
        let _entered = command.enter();
        tracing::info!(who = "ann", "a line of the log");
        let _other = tracing::info_span!("a span of a library", password = "secret").entered();
    }
    .instrument(request)
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn spans_reach_the_collector_and_nothing_else_does() {
    let (collector, address) = Collector::start(StatusCode::OK).await;
    let traces = traces(address, 100);
    let subscriber = tracing_subscriber::registry().with(traces.layer());
    let guard = tracing::subscriber::set_default(subscriber);
    work().await;
    drop(guard);
    traces.stop().await;

    let spans = collector.spans();
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["command", "POST /commands"]);
    let (command, request) = (&spans[0], &spans[1]);
    assert_eq!(command.parent_span_id, request.span_id);
    assert_eq!(command.trace_id, request.trace_id);
    assert_eq!(text(&command.attributes, "verb").as_deref(), Some("move"));
    assert!(command.end_time_unix_nano >= command.start_time_unix_nano);
    assert!(spans.iter().all(|span| span.events.is_empty()), "lines of the log are no part of a trace");
    let resource = collector.resource();
    assert_eq!(text(&resource, "service.name").as_deref(), Some("knotpost"));
    assert_eq!(text(&resource, "service.version").as_deref(), Some("9.9"));
    assert_eq!(text(&resource, "service.instance.id").as_deref(), Some("here/7"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn of_a_hundred_requests_as_many_are_traced_as_is_said() {
    let (collector, address) = Collector::start(StatusCode::OK).await;
    let traces = traces(address, 20);
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(traces.layer()));
    for _ in 0..1000 {
        work().await;
    }
    drop(guard);
    traces.stop().await;
    let spans = collector.spans();
    let requests = spans.iter().filter(|span| span.name == "POST /commands").count();
    let commands = spans.iter().filter(|span| span.name == "command").count();
    assert_eq!(requests, commands, "a request is traced from end to end");
    // Six standard deviations.
    assert!((124..=276).contains(&requests), "{requests} of 1000");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_collector_that_is_away_costs_nothing_but_the_traces() {
    let nobody = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = nobody.local_addr().unwrap();
    drop(nobody);
    let traces = traces(address, 100);
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(traces.layer()));
    for _ in 0..5000 {
        work().await;
    }
    drop(guard);
    tokio::time::timeout(Duration::from_secs(15), traces.stop()).await.expect("it ends in time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_collector_that_refuses_is_told_of_once() {
    let (collector, address) = Collector::start(StatusCode::UNAUTHORIZED).await;
    let lines = Lines::default();
    let writer = lines.clone();
    let log = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    // The client speaks on threads of the runtime.
    tracing::subscriber::set_global_default(log).unwrap();
    let traces = traces(address, 100);
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(traces.layer()));
    for _ in 0..2000 {
        work().await;
    }
    drop(guard);
    traces.stop().await;
    assert!(collector.taken.lock().unwrap().len() > 1);
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text.matches("the collector takes no traces").count(), 1, "{text}");
    assert!(text.contains("401"), "{text}");
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
