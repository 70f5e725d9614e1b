//! Which build of the program this is.

use std::sync::LazyLock;

use knotpost_core::config::Warning;

/// The commit that was built, told to the compiler by `KNOTPOST_COMMIT`; a build by hand need not say.
const COMMIT: Option<&str> = option_env!("KNOTPOST_COMMIT");

/// The flags that SQLite was compiled with; `cargo install --git` does not read the file of this repository that has
/// them.
const SQLITE_FLAGS: Option<&str> = option_env!("LIBSQLITE3_FLAGS");

/// What `--version` prints: the version, and the commit where it is known.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| describe(COMMIT));

fn describe(commit: Option<&str>) -> String {
    match commit {
        Some(commit) if !commit.is_empty() => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
        _ => env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// What `doctor` says about how the program was built.
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

/// The metric that is always 1 and whose labels name the build.
pub(crate) fn report() {
    let labels = [("version", env!("CARGO_PKG_VERSION")), ("commit", COMMIT.unwrap_or_default())];
    metrics::gauge!("knotpost_build_info", &labels).set(1.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_told_where_it_is_known() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(describe(Some("25ea882")), format!("{version} (25ea882)"));
        assert_eq!(describe(Some("")), version);
        assert_eq!(describe(None), version);
    }

    #[test]
    fn a_build_without_flags_for_sqlite_is_told() {
        assert!(warning().is_none(), "tests are built with them");
        assert!(warn_of_flags(None).is_some());
        assert!(warn_of_flags(Some("-DSQLITE_ENABLE_FTS5")).is_some());
    }
}
