//! The metric about the build.

pub(crate) use knotpost_platform::build::VERSION;
use knotpost_platform::build::{COMMIT, NUMBER};

/// The metric that is always 1 and whose labels name the build.
pub(crate) fn report() {
    let labels = [("version", NUMBER), ("commit", COMMIT.unwrap_or_default())];
    metrics::gauge!("knotpost_build_info", &labels).set(1.0);
}
