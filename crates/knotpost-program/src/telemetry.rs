//! Logs and metrics. Neither ever holds a command line, a body or a password.

mod descriptions;
mod errors;
mod process;

pub(crate) use descriptions::metrics_table;
pub(crate) use errors::logged_errors;
pub(crate) use process::report_process;

use std::io::{self, IsTerminal as _, Stderr, Write};
use std::sync::LazyLock;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, fmt};

use errors::CountLines;
use knotpost_core::config::{Config, LogFormat, filter_text};

/// Silences the pool, which logs every failed connection: its users log an outage once. PostgreSQL's notice about the
/// table of migrations goes too.
const QUIET: &str = "sqlx_core::pool=off,sqlx=warn,";

/// Fails if the level is no filter, or logging was set up before.
pub(crate) fn start_logging(config: &Config) -> anyhow::Result<()> {
    let log = &config.log;
    let filter = EnvFilter::try_new(format!("{QUIET}{}", filter_text(&log.level)))
        .map_err(|error| anyhow::anyhow!("log.level: `{}` is not a log filter: {error}", log.level))?;
    let lines = fmt::layer().with_writer(ToStderr).log_internal_errors(false);
    // On a terminal NO_COLOR decides.
    let lines = if std::io::stderr().is_terminal() { lines } else { lines.with_ansi(false) };
    let lines = match log.format {
        LogFormat::Text => lines.with_target(false).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry()
        .with(lines.and_then(CountLines).with_filter(filter))
        .try_init()
        .map_err(|error| anyhow::anyhow!("{error}"))
}

struct ToStderr;

impl<'a> MakeWriter<'a> for ToStderr {
    type Writer = Unfailing;

    fn make_writer(&'a self) -> Unfailing {
        Unfailing { stderr: std::io::stderr(), priority: "" }
    }

    fn make_writer_for(&'a self, line: &Metadata<'_>) -> Unfailing {
        Unfailing { priority: priority(*line.level()), ..self.make_writer() }
    }
}

/// Level prefix for systemd's journal (sd-daemon(3)); empty if standard error is no journal.
pub(crate) fn priority(level: Level) -> &'static str {
    static IS_JOURNAL: LazyLock<bool> = LazyLock::new(|| is_journal().unwrap_or(false));
    match level {
        _ if !*IS_JOURNAL => "",
        Level::ERROR => "<3>",
        Level::WARN => "<4>",
        Level::INFO => "<6>",
        _ => "<7>",
    }
}

/// Compares standard error with the stream that systemd names: device and inode, see systemd.exec(5).
fn is_journal() -> Option<bool> {
    let named = knotpost_core::config::environment("JOURNAL_STREAM")?;
    let found = rustix::fs::fstat(std::io::stderr()).ok()?;
    Some(named == format!("{}:{}", found.st_dev, found.st_ino))
}

/// Drops unwritable lines: a full disk or a closed pipe must not stop the task that logs.
struct Unfailing {
    stderr: Stderr,
    priority: &'static str,
}

impl Write for Unfailing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // One write for a line: other processes may write there too.
        let line = [self.priority.as_bytes(), bytes].concat();
        let _ = self.stderr.write_all(&line);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.stderr.flush();
        Ok(())
    }
}

pub fn start_metrics() -> Option<PrometheusHandle> {
    let recorder = descriptions::with_buckets(PrometheusBuilder::new()).ok()?.install_recorder().ok()?;
    descriptions::describe();
    crate::build::report();
    process::report_start();
    errors::report_start();
    Some(recorder)
}
