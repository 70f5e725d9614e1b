//! Tournaments that others paired, counted and wrote, and properties of all that we pair ourselves.

mod berger;
mod files;
mod paired;
