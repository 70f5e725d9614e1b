//! The traces of a server: spans of [`knotpost_platform::TRACES`], for the collector of `traces.endpoint`. Without the
//! Cargo feature `otlp` there are none, and the configuration refuses the setting.

use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::registry::LookupSpan;

use knotpost_core::config::Config;

/// The traces of this process, until they are stopped.
#[derive(Debug)]
pub(crate) struct Traces {
    #[cfg(feature = "otlp")]
    sent: Option<knotpost_traces::Traces>,
}

#[cfg(feature = "otlp")]
impl Traces {
    pub(super) fn new(config: &Config) -> anyhow::Result<Self> {
        let settings = &config.traces;
        if settings.endpoint.is_empty() {
            return Ok(Self { sent: None });
        }
        let instance = format!("{}/{}", knotpost_platform::host_name(), std::process::id());
        let sent = knotpost_traces::Traces::new(&knotpost_traces::Settings {
            endpoint: &settings.endpoint,
            percent: settings.percent,
            version: crate::build::VERSION.as_str(),
            instance: &instance,
        })?;
        Ok(Self { sent: Some(sent) })
    }

    pub(super) fn layer<S>(&self) -> Option<impl Layer<S> + use<S>>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        self.sent.as_ref().map(knotpost_traces::Traces::layer)
    }

    /// Sends what waits, and ends.
    pub(crate) async fn stop(self) {
        if let Some(sent) = self.sent {
            sent.stop().await;
        }
    }
}

#[cfg(not(feature = "otlp"))]
impl Traces {
    #[expect(clippy::unnecessary_wraps, reason = "with traces it can fail")]
    pub(super) fn new(_config: &Config) -> anyhow::Result<Self> {
        Ok(Self {})
    }

    #[expect(clippy::unused_self, reason = "with traces there are some")]
    pub(super) fn layer<S>(&self) -> Option<impl Layer<S> + use<S>>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        None::<tracing_subscriber::layer::Identity>
    }

    #[expect(clippy::unused_async, reason = "with traces it takes time")]
    pub(crate) async fn stop(self) {}
}
