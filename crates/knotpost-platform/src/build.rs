//! Version and commit of this build.

use std::sync::LazyLock;

pub const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// Set by `KNOTPOST_COMMIT`; optional in manual builds.
pub const COMMIT: Option<&str> = option_env!("KNOTPOST_COMMIT");

/// Output of `--version`: version, and commit if known.
pub static VERSION: LazyLock<String> = LazyLock::new(|| describe(COMMIT));

/// Product token for headers: without a blank.
pub static PRODUCT: LazyLock<String> = LazyLock::new(|| match COMMIT {
    Some(commit) if !commit.is_empty() => format!("Knotpost/{NUMBER}-{commit}"),
    _ => format!("Knotpost/{NUMBER}"),
});

fn describe(commit: Option<&str>) -> String {
    match commit {
        Some(commit) if !commit.is_empty() => format!("{NUMBER} ({commit})"),
        _ => NUMBER.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_told_where_it_is_known() {
        assert_eq!(describe(Some("25ea882")), format!("{NUMBER} (25ea882)"));
        assert_eq!(describe(Some("")), NUMBER);
        assert_eq!(describe(None), NUMBER);
    }
}
