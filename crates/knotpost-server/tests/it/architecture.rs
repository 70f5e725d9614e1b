//! The arrows between the rooms, checked on the sources themselves.
//!
//! `ARCHITECTURE.md` says which crate and which module may know which; this
//! room reads manifests and sources as text and lists every line that says
//! otherwise. It knows names and places only, nothing of what the code does.

mod checks;
mod landed;
mod made_up;
mod source;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use checks::{Violation, check_manifest, check_pure_source, check_server_source};
use source::read_sources;

/// Which crates of the workspace a crate may depend on outside its tests.
const CRATES: [(&str, &[&str]); 7] = [
    ("knotpost-rules", &[]),
    ("knotpost-commands", &[]),
    ("knotpost-mail", &["knotpost-commands"]),
    ("knotpost-picture", &["knotpost-rules"]),
    ("knotpost-bots", &["knotpost-rules"]),
    ("knotpost-load", &["knotpost-rules", "knotpost-commands"]),
    (
        "knotpost-server",
        &["knotpost-rules", "knotpost-commands", "knotpost-mail", "knotpost-picture", "knotpost-bots"],
    ),
];

/// A library or part of the standard library, and the places of the server
/// that alone may name it.
const OWNED_PATHS: [(&str, &[&str]); 9] = [
    ("sqlx::", &["store"]),
    ("axum::", &["web"]),
    ("tower_http::", &["web"]),
    ("hyper::", &["outbound", "web"]),
    ("lettre::", &["outbound"]),
    ("mail_parser::", &["inbound"]),
    ("mail_auth::", &["inbound"]),
    ("smtp_proto::", &["inbound"]),
    ("std::env::", &["config", "cli", "main"]),
];

/// A room of the server and the rooms it must not know.
const ROOMS: [(&str, &[&str]); 10] = [
    (
        "domain",
        &["app", "cli", "config", "inbound", "outbound", "server", "service", "store", "web", "worker"],
    ),
    (
        "connections",
        &["app", "cli", "config", "inbound", "outbound", "server", "service", "store", "web", "worker"],
    ),
    ("config", &["app", "cli", "inbound", "outbound", "server", "service", "web", "worker"]),
    ("app", &["cli", "inbound", "outbound", "server", "web", "worker"]),
    ("store", &["app", "cli", "inbound", "outbound", "server", "service", "web", "worker"]),
    ("service", &["cli", "inbound", "outbound", "server", "web", "worker"]),
    ("outbound", &["cli", "inbound", "server", "web", "worker"]),
    ("inbound", &["cli", "outbound", "server", "web", "worker"]),
    ("web", &["cli", "inbound", "outbound", "server", "worker"]),
    ("worker", &["cli", "server", "web"]),
];

/// What the pure crates must not name: they have no files, sockets, clock,
/// tasks or logs.
const IMPURE: [&str; 10] = [
    "std::fs::",
    "std::io::",
    "std::net::",
    "std::time::",
    "std::thread::",
    "std::env::",
    "tokio::",
    "tracing::",
    "println!",
    "eprintln!",
];
const PURE_CRATES: [&str; 4] = ["knotpost-rules", "knotpost-commands", "knotpost-mail", "knotpost-picture"];

fn crates_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in a folder of crates").to_owned()
}

fn assert_none<T: fmt::Display>(found: &[T]) {
    let list: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "arrows that point back:\n{}", list.join("\n"));
}

#[test]
fn crates_depend_only_on_crates_below_them() {
    let mut found = Vec::new();
    for entry in fs::read_dir(crates_folder()).unwrap().map(Result::unwrap) {
        if let Ok(manifest) = fs::read_to_string(entry.path().join("Cargo.toml")) {
            found.extend(check_manifest(&entry.file_name().to_string_lossy(), &manifest));
        }
    }
    assert_none(&found);
}

#[test]
fn rooms_of_the_server_know_only_rooms_below_them() {
    let sources = read_sources(&crates_folder().join("knotpost-server/src"));
    assert!(!sources.is_empty(), "the server has sources");
    let found: Vec<Violation> = sources.iter().flat_map(check_server_source).collect();
    assert_none(&found);
}

#[test]
fn pure_crates_touch_nothing_outside() {
    for name in PURE_CRATES {
        let folder = crates_folder().join(name).join("src");
        if folder.is_dir() {
            let found: Vec<Violation> = read_sources(&folder).iter().flat_map(check_pure_source).collect();
            assert_none(&found);
        }
    }
}

/// A statement that changes something is told of by [`knotpost_server::store::Tx::writing`]; otherwise a command that is
/// refused later could leave it behind.
#[test]
fn what_writes_to_the_database_says_so_first() {
    let sources = read_sources(&crates_folder().join("knotpost-server/src"));
    let (mut writers, mut silent) = (0, Vec::new());
    for source in sources.iter().filter(|source| source.place.starts_with("store/")) {
        for function in source.text.split(" async fn ").skip(1) {
            let writes = ["INSERT INTO", "DELETE FROM", "UPDATE "].iter().any(|word| function.contains(word));
            if writes && function.contains("on!(") {
                writers += 1;
                if !function.contains(".writing().await?") {
                    let name = function.split('(').next().unwrap_or_default();
                    silent.push(format!("{}: {name} writes and does not say so", source.place));
                }
            }
        }
    }
    assert!(writers > 100, "only {writers} functions that write were found");
    assert_none(&silent);
}
