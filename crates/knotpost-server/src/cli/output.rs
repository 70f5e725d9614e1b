//! What commands say: the one place that writes to the standard streams.
//!
//! A stream that somebody closed, or that is full, never stops a command in the middle of its work: what it does is
//! done once, and its exit code tells of it.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

/// The output could not be written (sysexits.h).
const EX_IOERR: u8 = 74;
/// As a shell tells of a program that wrote to somebody who had gone.
const CLOSED: u8 = 141;

/// Why nothing more is written to standard output.
static FAILED: OnceLock<(ErrorKind, String)> = OnceLock::new();

/// Writes a line to standard output.
macro_rules! say {
    () => { $crate::cli::output::line(format_args!("")) };
    ($($words:tt)*) => { $crate::cli::output::line(format_args!($($words)*)) };
}

/// Writes a line to standard error.
macro_rules! complain {
    ($($words:tt)*) => { $crate::cli::output::error_line(format_args!($($words)*)) };
}

pub(super) use {complain, say};

/// Standard output, whose first failure is remembered.
#[derive(Debug)]
pub(super) struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        go_on()?;
        io::stdout().lock().write(bytes).map_err(remember)
    }

    fn flush(&mut self) -> io::Result<()> {
        go_on()?;
        io::stdout().lock().flush().map_err(remember)
    }
}

fn go_on() -> io::Result<()> {
    FAILED.get().map_or(Ok(()), |(kind, _)| Err((*kind).into()))
}

fn remember(error: io::Error) -> io::Error {
    if error.kind() != ErrorKind::Interrupted {
        let _ = FAILED.set((error.kind(), error.to_string()));
    }
    error
}

/// Writes a line; [`end`] tells of a failure.
pub(super) fn line(words: Arguments<'_>) {
    let _ = Output.write_fmt(format_args!("{words}\n"));
}

/// Writes as it is; [`end`] tells of a failure.
pub(super) fn text(words: &str) {
    let _ = Output.write_all(words.as_bytes());
}

/// Writes a line to standard error. Whoever closed that does not want to read it.
pub(super) fn error_line(words: Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(format_args!("{words}\n"));
}

/// The exit code of a command that ended with this: its own, also when nobody read to the end, as what it did is
/// done; another when the output is on no disk.
pub(super) fn end(outcome: anyhow::Result<ExitCode>, code_of: impl Fn(&anyhow::Error) -> u8) -> ExitCode {
    let _ = Output.flush();
    let failed = FAILED.get();
    match (outcome, failed) {
        (Ok(code), None | Some((ErrorKind::BrokenPipe, _))) => code,
        (Err(_), Some((ErrorKind::BrokenPipe, _))) => ExitCode::from(CLOSED),
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
