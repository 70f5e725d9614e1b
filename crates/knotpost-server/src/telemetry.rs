//! Logs and metrics. Neither ever holds a command line, a body or a password.

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// Sends log lines to standard error in the configured form.
///
/// # Errors
/// When the level is not a filter, or logging was set up before.
pub fn start_logging(log: &Log) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&log.level)
        .map_err(|error| anyhow::anyhow!("log.level: `{}` is not a log filter: {error}", log.level))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match log.format {
        LogFormat::Text => lines.with_target(false).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("{error}"))
}

/// Starts counting; `None` when somebody in this process counts already.
pub fn start_metrics() -> Option<PrometheusHandle> {
    PrometheusBuilder::new().install_recorder().ok()
}
