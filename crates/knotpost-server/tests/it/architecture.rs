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
const CRATES: [(&str, &[&str]); 8] = [
    ("sqlx-rusqlite", &[]),
    ("knotpost-rules", &[]),
    ("knotpost-commands", &[]),
    ("knotpost-mail", &["knotpost-commands"]),
    ("knotpost-picture", &["knotpost-rules"]),
    ("knotpost-bots", &["knotpost-rules"]),
    ("knotpost-load", &["knotpost-rules", "knotpost-commands"]),
    (
        "knotpost-server",
        &[
            "sqlx-rusqlite",
            "knotpost-rules",
            "knotpost-commands",
            "knotpost-mail",
            "knotpost-picture",
            "knotpost-bots",
        ],
    ),
];

/// A library or part of the standard library, and the places of the server
/// that alone may name it.
const OWNED_PATHS: [(&str, &[&str]); 10] = [
    ("sqlx::", &["store"]),
    ("sqlx_rusqlite::", &["store"]),
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

/// The driver is a library: neither its sources nor its manifest nor its README know what it is used for.
#[test]
fn the_driver_knows_nothing_of_the_server() {
    let folder = crates_folder().join("sqlx-rusqlite");
    let mut texts: Vec<(String, String)> =
        read_sources(&folder).into_iter().map(|source| (source.place, source.text)).collect();
    assert!(texts.len() > 10, "the driver has sources");
    for file in ["Cargo.toml", "README.md"] {
        texts.push((file.to_owned(), fs::read_to_string(folder.join(file)).unwrap()));
    }
    let found: Vec<&str> = texts
        .iter()
        .filter(|(_, text)| text.to_lowercase().contains("knotpost"))
        .map(|(place, _)| place.as_str())
        .collect();
    assert_none(&found);
}

/// Which statements change something is a matter of types: `ReadTx` has no connection for them. The one way past the
/// types is there for SQL of the tests.
#[test]
fn the_server_never_takes_the_connection_that_is_there_for_tests() {
    let sources = read_sources(&crates_folder().join("knotpost-server/src"));
    let named: Vec<String> = sources
        .iter()
        .filter(|source| source.text.contains("driver_for_tests"))
        .map(|source| source.place.clone())
        .collect();
    assert_eq!(named, ["store/tx.rs"]);
}
