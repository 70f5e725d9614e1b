//! Output that nobody reads, and output that is on no disk.

use std::fs::OpenOptions;

use super::running::{Place, users};

/// Commands that print something.
const PRINTING: [&[&str]; 13] = [
    &["admin", "user", "list"],
    &["admin", "user", "show", "ann"],
    &["admin", "board", "list"],
    &["admin", "outbox", "list"],
    &["admin", "replay", "--all"],
    &["config", "show"],
    &["config", "templates"],
    &["completions", "bash"],
    &["man"],
    &["openapi"],
    &["play", "osbox"],
    &["export", "--all"],
    &["command", "help"],
];

async fn with_ann() -> Place {
    let place = Place::new().migrated().await;
    place.run(&["command", "signup ann ann-secret ann@example.org"]).await.succeed();
    place.run(&["command", "osbox challenge ann"]).await;
    place
}

#[tokio::test]
async fn a_command_whose_reader_has_gone_ends_quietly_and_its_work_is_done() {
    let place = with_ann().await;
    for arguments in PRINTING {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = place.run_into(arguments, writer).await;
        assert!([0, 141].contains(&ended.code()), "{arguments:?}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{arguments:?}: {ended:?}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = place.run_into(&["command", "signup bob bob-secret bob@example.org"], writer).await;
    assert_eq!(ended.code(), 0, "who is told otherwise repeats it: {ended:?}");
    assert_eq!(users(&place).await, ["ann", "bob"]);
}

#[tokio::test]
async fn output_that_is_on_no_disk_is_an_error() {
    let place = with_ann().await;
    for arguments in PRINTING {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = place.run_into(arguments, full).await;
        assert_eq!(ended.code(), if place_is_empty(arguments) { 0 } else { 74 }, "{arguments:?}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{arguments:?}: {ended:?}");
    }
    let place = place.with_shell("exec \"$@\" 2>/dev/full");
    assert_eq!(place.run(&["admin", "user", "show", "nobody"]).await.code(), 65);
}

/// Whether a command has nothing to print here.
fn place_is_empty(arguments: &[&str]) -> bool {
    arguments == ["admin", "board", "list"]
}
