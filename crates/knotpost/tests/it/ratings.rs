//! Ratings as numbers: worked examples, laws, and that history gives the same bits again.

mod examples;
mod history;
mod laws;
