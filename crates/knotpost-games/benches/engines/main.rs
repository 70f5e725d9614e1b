//! The engines through their public interface: random play-outs, all lines of play to some depth, closed paths of
//! knot dice, and how much a turn of Osbo must place.
//!
//! Of a play-out one element is one legal turn, so the throughput reads as moves a second on one core; every turn is
//! checked, and refused ones do not count. Of Boxilies it is one whole game.
#![allow(missing_docs, clippy::expect_used)]

mod boxilies;
mod chance;
mod obsidio;
mod osbo;
mod osbox;
mod paths;
mod perft;

use criterion::{criterion_group, criterion_main};

criterion_group!(
    benches,
    osbox::playouts,
    osbo::playouts,
    obsidio::playouts,
    boxilies::playouts,
    osbo::obligation,
    perft::perft,
    paths::tracing,
);
criterion_main!(benches);
