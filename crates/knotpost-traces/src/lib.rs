//! Traces: which parts of a request took how long, for a collector that takes OTLP over HTTP (OpenTelemetry).
//!
//! Only spans of [`knotpost_platform::TRACES`] are sent. Log lines are not, so that a trace holds routes, verbs, boards
//! and outcomes and none of the words that people write. Spans wait in memory for a collector that is slow or away, at
//! most 8,192 of them; what does not fit is dropped, and no request waits.

mod client;

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider,
};
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::registry::LookupSpan;

use client::Client;

/// Spans that wait for the collector at most.
const QUEUE: usize = 8192;
/// Spans of one request to the collector at most.
const BATCH: usize = 512;
/// How long the collector may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Where traces go.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The URL of the collector, without the path of traces.
    pub endpoint: &'a str,
    /// How many of a hundred requests are traced.
    pub percent: u32,
    /// The version of this program.
    pub version: &'a str,
    /// Which of several servers this is.
    pub instance: &'a str,
}

/// No traces can be sent.
#[derive(Debug, thiserror::Error)]
#[error("traces cannot be sent: {0}")]
pub struct TracesError(String);

/// The traces of this process, until they are stopped.
#[derive(Debug)]
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Prepares the traces; what is sent is sent by the current runtime. Nothing is asked of the collector yet.
    ///
    /// # Errors
    /// When the endpoint, or a variable `OTEL_…` of the environment, cannot be used.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn new(settings: &Settings<'_>) -> Result<Self, TracesError> {
        let client = Client::new(TIMEOUT).map_err(|error| TracesError(error.to_string()))?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{}/v1/traces", settings.endpoint.trim_end_matches('/')))
            .with_timeout(TIMEOUT)
            .build()
            .map_err(|error| TracesError(error.to_string()))?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE)
            .with_max_export_batch_size(BATCH)
            .build();
        let resource = Resource::builder()
            .with_service_name("knotpost")
            .with_attribute(KeyValue::new("service.version", settings.version.to_owned()))
            .with_attribute(KeyValue::new("service.instance.id", settings.instance.to_owned()))
            .build();
        let share = f64::from(settings.percent) / 100.0;
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(share))))
            .with_span_processor(BatchSpanProcessor::builder(exporter).with_batch_config(batches).build())
            .build();
        Ok(Self(provider))
    }

    /// What makes traces of spans.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let layer: OpenTelemetryLayer<S, SdkTracer> = OpenTelemetryLayer::new(self.0.tracer("knotpost"))
            .with_location(false)
            .with_threads(false)
            .with_target(false);
        layer.with_filter(Targets::new().with_target(knotpost_platform::TRACES, LevelFilter::INFO))
    }

    /// Sends what waits, and ends. Takes no longer than a collector may take to answer.
    pub async fn stop(self) {
        // The answer comes through the runtime, which this thread would keep busy.
        let stopped = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(TIMEOUT)).await;
        if let Ok(Err(error)) = stopped {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}
