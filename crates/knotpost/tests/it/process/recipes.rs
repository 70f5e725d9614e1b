//! The recipes of `docs/operations.md`, run as they stand there but for hosts and ports.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::running::has_neighbour;

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

/// The unit of the manual, which is the file that is shipped, by its settings.
#[test]
fn the_unit_starts_a_server_again_for_as_long_as_it_takes_and_keeps_its_files_to_itself() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let text = fs::read_to_string(path).unwrap();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/knotpost.service");
    let unit = fs::read_to_string(&shipped).unwrap();
    assert!(text.contains(&format!("```ini\n{unit}```\n")), "the manual shows another unit");
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

/// What others could do with a server that was taken over stays little. The sandbox itself is not started.
#[test]
fn the_unit_exposes_little() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/knotpost.service");
    if !has_neighbour("systemd-analyze") {
        return;
    }
    let mut rating = Command::new("systemd-analyze");
    rating.args(["security", "--no-pager", "--offline=true", "--threshold=25"]).arg(&shipped);
    let rated = rating.output().unwrap();
    assert!(rated.status.success(), "{}", String::from_utf8_lossy(&rated.stdout));
    // Only the program is not in its place here.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("knotpost.service");
    let unit = fs::read_to_string(&shipped).unwrap();
    fs::write(&copy, unit.replace("/usr/local/bin/knotpost", "/bin/true")).unwrap();
    let verified = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&copy).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && !said.contains("knotpost.service:"), "{said}");
}
