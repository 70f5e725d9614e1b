//! The `knotpost` program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// What one thread has allocated another frees, as tasks wander; glibc's allocator makes them wait for each other.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    knotpost::cli::main()
}
