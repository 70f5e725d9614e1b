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

/// The unit of the manual, by its settings.
#[test]
fn the_unit_starts_a_server_again_for_as_long_as_it_takes_and_keeps_its_files_to_itself() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let text = fs::read_to_string(path).unwrap();
    let unit = text.split_once("```ini\n[Unit]\n").expect("a unit").1.split_once("```").unwrap().0;
    for line in [
        // A server whose disk is full fails at once, again and again, and has to come back when there is room.
        "StartLimitIntervalSec=0",
        "Restart=on-failure",
        "RestartSec=5",
        "StateDirectoryMode=0700",
        "UMask=0077",
        "ExecReload=/bin/kill -HUP $MAINPID",
    ] {
        assert!(unit.lines().any(|of_unit| of_unit == line), "{line} is missing in\n{unit}");
    }
}
