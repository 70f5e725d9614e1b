//! The `knotpost` program: the games, and the server that does not know them.

use std::process::ExitCode;

use knotpost_program::cli::{self, Games};
use mimalloc::MiMalloc;

/// Tasks wander between threads, so one thread frees another's memory; glibc's allocator makes them wait for each
/// other.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    cli::main(Games { list: knotpost_games::registry, find_bot: knotpost_games::find_bot })
}
