//! The `knotpost` program.
use knotpost_server as _;
fn main() {}
