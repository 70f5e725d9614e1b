//! The command line of the load program. Its trials are run by `./test` and by hand: they need a server beside it, and a
//! machine to themselves.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs::{Permissions, read_to_string, set_permissions, write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

fn program(arguments: &[&str], folder: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_knotpost-load"));
    program.args(arguments).env("TMPDIR", folder);
    program
}

fn run(arguments: &[&str]) -> Output {
    // The folders of failed trials are removed with this one.
    let folder = tempfile::tempdir().unwrap();
    program(arguments, folder.path()).output().unwrap()
}

/// Waits for a minute at most.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..12_000 {
        if holds() {
            return;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("{what}");
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
            error.contains("/nowhere/knotpost") && error.contains("cargo build -p knotpost"),
            "{trial}: {error}"
        );
    }
}

#[test]
fn a_server_that_ends_at_once_is_a_failed_trial() {
    let output = run(&["kill", "--server", "/bin/true", "--mails", "1"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!output.status.success() && said.contains("the server did not start"), "{said}");
}

#[test]
fn whoever_ends_it_ends_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let (server, id) = (folder.path().join("server"), folder.path().join("id"));
    // A program that never opens its listeners.
    write(&server, format!("#!/bin/sh\necho $$ >{0}.new && mv {0}.new {0}\nexec sleep 300\n", id.display()))
        .unwrap();
    set_permissions(&server, Permissions::from_mode(0o700)).unwrap();
    let mut load = program(&["bench", "start", "--server", server.to_str().unwrap()], folder.path());
    let load = load.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the server is not started", || id.exists());
    let server = Path::new("/proc").join(read_to_string(&id).unwrap().trim());
    assert!(server.exists());
    assert!(Command::new("kill").arg(load.id().to_string()).status().unwrap().success());
    let ended = load.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    assert_eq!(error_of(&ended), "knotpost-load: terminated\n");
    // A killed process ends some time later, and stays in the list until its parent has waited for it.
    wait_until("the server goes on", || {
        read_to_string(server.join("stat")).map_or(true, |stat| stat.contains(") Z"))
    });
}
