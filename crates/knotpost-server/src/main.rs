//! The `knotpost` program.
fn main() {}
