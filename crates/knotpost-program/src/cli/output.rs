//! Output of commands: the one module that writes to the standard streams.
//!
//! A closed or full stream never stops a command in the middle of its work: the work is completed once, and the exit
//! code reports the failure.

use std::fmt::{Arguments, Display};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

use knotpost_model::clean_text;
use serde_json::Value;
use tracing::Level;

use super::exit_codes::{EX_CLOSED, EX_IOERR};

/// First failure of standard output; nothing more is written after it.
static FAILED: OnceLock<(ErrorKind, String)> = OnceLock::new();

macro_rules! say {
    () => { $crate::cli::output::line(format_args!("")) };
    ($($words:tt)*) => { $crate::cli::output::line(format_args!($($words)*)) };
}

macro_rules! complain {
    ($($words:tt)*) => { $crate::cli::output::error_line(format_args!($($words)*)) };
}

pub(super) use {complain, say};

#[derive(Debug)]
pub(super) struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        go_on()?;
        io::stdout().lock().write(bytes).map_err(record)
    }

    fn flush(&mut self) -> io::Result<()> {
        go_on()?;
        io::stdout().lock().flush().map_err(record)
    }
}

fn go_on() -> io::Result<()> {
    FAILED.get().map_or(Ok(()), |(kind, _)| Err((*kind).into()))
}

fn record(error: io::Error) -> io::Error {
    if error.kind() != ErrorKind::Interrupted {
        let _ = FAILED.set((error.kind(), error.to_string()));
    }
    error
}

/// Removes control characters, which could steer the terminal: the line may hold a stranger's words. [`end`] reports a
/// failure.
pub(super) fn line(words: Arguments<'_>) {
    let _ = Output.write_fmt(format_args!("{}\n", clean_text(&words.to_string())));
}

/// The form of a list.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Form {
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
}

impl Form {
    pub(super) fn say(self, row: &Value, words: impl Display) {
        if self.json { say!("{row}") } else { say!("{}", words.to_string().trim_end()) }
    }
}

/// Writes without a line end; [`end`] reports a failure.
pub(super) fn text(words: &str) {
    let _ = Output.write_all(words.as_bytes());
}

/// Ignores failures.
pub(super) fn error_line(words: Arguments<'_>) {
    let priority = crate::telemetry::priority(Level::ERROR);
    let _ = io::stderr().lock().write_fmt(format_args!("{priority}{words}\n"));
}

/// Chooses the exit code: the command's own even if the reader closed the stream early, because its work is done;
/// another one if the output could not be written to disk.
pub(super) fn end(outcome: anyhow::Result<ExitCode>, code_of: impl Fn(&anyhow::Error) -> u8) -> ExitCode {
    let _ = Output.flush();
    let failed = FAILED.get();
    match (outcome, failed) {
        (Ok(code), None | Some((ErrorKind::BrokenPipe, _))) => code,
        (Err(_), Some((ErrorKind::BrokenPipe, _))) => ExitCode::from(EX_CLOSED),
        (_, Some((_, error))) => {
            complain!("knotpost: standard output cannot be written: {error}");
            ExitCode::from(EX_IOERR)
        }
        (Err(error), None) => {
            complain!("knotpost: {error:#}");
            ExitCode::from(code_of(&error))
        }
    }
}
