//! The pages that the code makes.

use std::fs;

use knotpost_bots::{Bot as _, default_bot};
use knotpost_games::Hex;
use knotpost_program::reference::{exit_codes, levels, metrics, settings};

use super::root;

/// The lines between which `docs/bots.md` has the table of levels.
const LEVELS: [&str; 2] = [
    "<!-- Made from the code; `REWRITE_DOCS=1 cargo test -p knotpost docs::` writes it anew. -->\n",
    "<!-- End of what is made. -->",
];

/// With `REWRITE_DOCS` in the environment the file becomes what the code makes.
fn check(name: &str, made: &str) {
    let file = root().join("docs").join(name);
    #[expect(clippy::disallowed_methods, reason = "the wish of whoever runs the tests")]
    if std::env::var_os("REWRITE_DOCS").is_some() {
        fs::write(&file, made).unwrap();
    }
    let text = fs::read_to_string(&file).unwrap_or_default();
    let differ = text.lines().zip(made.lines()).position(|(old, new)| old != new);
    let line = differ.map_or(text.lines().count(), |line| line);
    assert!(
        text == made,
        "docs/{name} differs from line {}: `REWRITE_DOCS=1 cargo test -p knotpost docs::` writes it anew",
        line + 1
    );
}

#[test]
fn the_table_of_levels_is_that_of_the_code() {
    let page = fs::read_to_string(root().join("docs/bots.md")).unwrap();
    let [begin, end] = LEVELS;
    let (before, rest) = page.split_once(begin).expect("where the table begins");
    let (_, after) = rest.split_once(end).expect("where the table ends");
    let usual = default_bot::<Hex>().levels();
    check(
        "bots.md",
        &format!(
            "{before}{begin}{}{end}{after}",
            levels(&knotpost_games::registry(), knotpost_games::find_bot, usual)
        ),
    );
}

#[test]
fn the_reference_of_settings_is_that_of_the_code() {
    check("reference/settings.md", &settings());
}

#[test]
fn the_reference_of_metrics_is_that_of_the_code() {
    check("reference/metrics.md", &metrics());
}

#[test]
fn the_reference_of_exit_codes_is_that_of_the_code() {
    check("reference/exit-codes.md", &exit_codes());
}
