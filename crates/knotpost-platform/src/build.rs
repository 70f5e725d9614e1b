//! Which build of the program this is.

use std::sync::LazyLock;

/// The version of the program.
pub const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// The commit that was built, told to the compiler by `KNOTPOST_COMMIT`; a build by hand need not say.
pub const COMMIT: Option<&str> = option_env!("KNOTPOST_COMMIT");

/// What `--version` prints: the version, and the commit where it is known.
pub static VERSION: LazyLock<String> = LazyLock::new(|| describe(COMMIT));

/// The same for the header field by which programs name themselves: without a blank.
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
