//! The build of the program, and its defects.

use knotpost_core::config::Warning;
pub(crate) use knotpost_platform::build::VERSION;
use knotpost_platform::build::{COMMIT, NUMBER};

/// Compile flags of SQLite; `cargo install --git` does not read the file of this repository that has them.
const SQLITE_FLAGS: Option<&str> = option_env!("LIBSQLITE3_FLAGS");

pub(crate) fn warning() -> Option<Warning> {
    warn_of_flags(SQLITE_FLAGS)
}

fn warn_of_flags(flags: Option<&str>) -> Option<Warning> {
    if flags.is_some_and(|flags| flags.contains("SQLITE_DEFAULT_MEMSTATUS=0")) {
        return None;
    }
    let problem =
        "the program was built without the project's flags for SQLite, which makes it slower under load";
    let mend = "build it in a clone of the repository: `cargo install --path crates/knotpost --locked`";
    Some(Warning::new("build", problem, mend))
}

/// Sets the metric that is always 1 and whose labels name the build.
pub(crate) fn report() {
    let labels = [("version", NUMBER), ("commit", COMMIT.unwrap_or_default())];
    metrics::gauge!("knotpost_build_info", &labels).set(1.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_flags_for_sqlite_is_told() {
        assert!(warning().is_none(), "tests are built with them");
        assert!(warn_of_flags(None).is_some());
        assert!(warn_of_flags(Some("-DSQLITE_ENABLE_FTS5")).is_some());
    }
}
