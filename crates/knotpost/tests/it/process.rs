//! The program as its operator meets it: real processes on folders of their own, stopped, killed
//! and started again, with real mail servers and proxies beside them.
//!
//! Knows the server only by what it shows: exit codes, files, sockets, the rows of its database.

mod accounts;
mod administering;
mod clock;
mod crash;
mod deliver;
mod deployed;
mod files;
mod hooks;
mod inspecting;
mod keys;
mod letters;
mod limits;
mod manual;
mod moving;
mod notifying;
mod operation;
mod output;
pub(crate) mod peers;
mod postfix;
mod postgres_server;
mod programs;
mod proxies;
pub(crate) mod recipes;
mod records;
mod reloading;
mod restoring;
pub(crate) mod running;
mod signatures;
mod stream;
mod tournaments;
mod unclean;
mod way_out;
mod ways_in;
mod wire;
