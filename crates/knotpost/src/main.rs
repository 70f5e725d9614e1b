//! The `knotpost` program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Tasks wander between threads, so one thread frees another's memory; glibc's allocator makes them wait for each
/// other.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    knotpost::cli::main()
}
