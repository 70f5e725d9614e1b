//! The pages that the code makes.

use std::fs;

use knotpost::reference::{exit_codes, metrics, settings};

use super::root;

/// With `REWRITE_DOCS` in the environment the file becomes what the code makes.
fn check(name: &str, made: &str) {
    let file = root().join("docs/reference").join(name);
    #[expect(clippy::disallowed_methods, reason = "the wish of whoever runs the tests")]
    if std::env::var_os("REWRITE_DOCS").is_some() {
        fs::write(&file, made).unwrap();
    }
    let text = fs::read_to_string(&file).unwrap_or_default();
    let differ = text.lines().zip(made.lines()).position(|(old, new)| old != new);
    let line = differ.map_or(text.lines().count(), |line| line);
    assert!(
        text == made,
        "docs/reference/{name} differs from line {}: `REWRITE_DOCS=1 cargo test -p knotpost docs::` writes it anew",
        line + 1
    );
}

#[test]
fn the_reference_of_settings_is_that_of_the_code() {
    check("settings.md", &settings());
}

#[test]
fn the_reference_of_metrics_is_that_of_the_code() {
    check("metrics.md", &metrics());
}

#[test]
fn the_reference_of_exit_codes_is_that_of_the_code() {
    check("exit-codes.md", &exit_codes());
}
