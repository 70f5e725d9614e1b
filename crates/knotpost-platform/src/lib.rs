//! Services of the machine: time, randomness, private files, secret keys, counted connections. Nothing here
//! knows games, mail or storage.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod background;
pub mod build;
pub mod clock;
pub mod connections;
pub mod files;
pub mod secret;

/// An error with its causes on one line, for a log.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |error| error.source()) {
        // Some errors repeat their cause.
        let more = cause.to_string();
        if !text.ends_with(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
    }
    text
}

pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
