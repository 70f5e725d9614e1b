//! Random play-outs through the public typed engines: every turn is checked, and refused ones do not count.
//!
//! One element is one legal turn, so the throughput reads as moves a second on one core; of Boxilies it is one whole
//! game.
#![allow(missing_docs, clippy::expect_used)]

mod boxilies;
mod chance;
mod obsidio;
mod osbo;
mod osbox;

use criterion::{criterion_group, criterion_main};

criterion_group!(benches, osbox::playouts, osbo::playouts, obsidio::playouts, boxilies::playouts);
criterion_main!(benches);
