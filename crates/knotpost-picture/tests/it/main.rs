//! Pictures of boards, checked by their SVG and their pixels.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod animated;
mod boards;
mod pixels;
mod readings;
mod svg;
mod variables;
mod weave;
