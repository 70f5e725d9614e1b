//! What the server needs of the machine it runs on: time, randomness, private files, secret keys and counted
//! connections. Nothing here knows games, mail or storage.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod build;
pub mod clock;
pub mod connections;
pub mod files;
pub mod secret;

/// The target of the spans that become traces. Log lines have other targets, and no span of this one is in them.
pub const TRACES: &str = "knotpost_traces";

/// The name of this machine.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
