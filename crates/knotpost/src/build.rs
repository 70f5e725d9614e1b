//! Which build of the program this is.

use std::sync::LazyLock;

/// The commit that was built, told to the compiler by `KNOTPOST_COMMIT`; a build by hand need not say.
const COMMIT: Option<&str> = option_env!("KNOTPOST_COMMIT");

/// What `--version` prints: the version, and the commit where it is known.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| describe(COMMIT));

fn describe(commit: Option<&str>) -> String {
    match commit {
        Some(commit) if !commit.is_empty() => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
        _ => env!("CARGO_PKG_VERSION").to_owned(),
    }
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
}
