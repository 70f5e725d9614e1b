//! The recipes of `docs/operations.md`, run as they stand there but for hosts and ports.

use std::fs;
use std::path::Path;

/// The fenced block behind `<!-- recipe:NAME -->`.
pub(super) fn recipe(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let text = fs::read_to_string(path).unwrap();
    let mark = format!("<!-- recipe:{name} -->\n```");
    let block = text.split_once(&mark).unwrap_or_else(|| panic!("no recipe {name}")).1;
    let (_, block) = block.split_once('\n').unwrap();
    block.split_once("\n```").unwrap().0.to_owned() + "\n"
}

#[test]
fn every_marked_recipe_is_found() {
    for name in ["swaks", "postfix-domain", "postfix-shared", "postfix-shared-transport", "postfix-relays"] {
        assert!(!recipe(name).trim().is_empty(), "{name}");
    }
}
