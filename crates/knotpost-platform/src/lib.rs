//! Services of the machine: time, randomness, private files, secret keys, counted connections. Nothing here
//! knows games, mail or storage.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod background;
pub mod build;
pub mod clock;
pub mod connections;
pub mod files;
pub mod secret;

pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
