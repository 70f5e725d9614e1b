//! The load program as whoever calls it sees it. Its trials are run by `./test` and by hand: they
//! need a server beside it, and a machine to themselves.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    // What a failed trial keeps goes with this folder.
    let folder = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_knotpost-load"));
    program.args(arguments).env("TMPDIR", folder.path()).output().unwrap()
}

fn error_of(output: &Output) -> String {
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_server_that_is_not_there_is_named_with_what_to_do() {
    for trial in ["kill", "storm", "powercut"] {
        let error = error_of(&run(&[trial, "--server", "/nowhere/knotpost"]));
        assert!(
            error.contains("/nowhere/knotpost") && error.contains("cargo build -p knotpost-server"),
            "{trial}: {error}"
        );
    }
}

#[test]
fn a_range_that_runs_backwards_is_refused() {
    let error = error_of(&run(&["kill", "--kill-every", "3000..300"]));
    assert!(error.contains("300..3000"), "{error}");
}

#[test]
fn nobody_restarts_a_database_that_was_not_named() {
    let error = error_of(&run(&["storm", "--restart-database", "true"]));
    assert!(error.contains("--database"), "{error}");
}

#[test]
fn a_server_that_ends_at_once_is_a_failed_trial() {
    let output = run(&["kill", "--server", "/bin/true", "--mails", "1"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!output.status.success() && said.contains("the server did not start"), "{said}");
}
