//! Boards drawn.
#![allow(missing_docs)]
fn main() {}
