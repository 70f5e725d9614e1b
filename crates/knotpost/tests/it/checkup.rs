//! What `config check` and `doctor` find in set-ups that are sound but for one thing.

mod faults;
mod refusals;
