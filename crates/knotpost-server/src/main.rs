//! The `knotpost` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    knotpost_server::cli::main()
}
