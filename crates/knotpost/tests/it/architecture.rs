//! The arrows between crates and modules, checked on manifests and sources.
//!
//! `ARCHITECTURE.md` says which crate and which module may know which; every line that says otherwise is listed here.
//! Cargo keeps the crates apart; what is checked beside is text.

mod checks;
mod landed;
mod made_up;
mod order;
mod source;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use checks::{Violation, check_manifest, check_pure_source, check_server_source};
use source::{Source, read_sources};

/// Which crates of the workspace a crate may depend on outside its tests.
const CRATES: [(&str, &[&str]); 16] = [
    ("knotpost-rules", &[]),
    ("knotpost-commands", &[]),
    ("knotpost-mail", &["knotpost-commands"]),
    ("knotpost-picture", &["knotpost-rules"]),
    ("knotpost-bots", &["knotpost-rules"]),
    ("knotpost-games", &["knotpost-rules", "knotpost-bots"]),
    ("knotpost-tournaments", &[]),
    ("knotpost-load", &["knotpost-rules", "knotpost-games", "knotpost-commands"]),
    ("knotpost-model", &["knotpost-commands"]),
    ("knotpost-platform", &["knotpost-model"]),
    ("knotpost-storage", &["knotpost-model", "knotpost-platform"]),
    (
        "knotpost-core",
        &[
            "knotpost-rules",
            "knotpost-commands",
            "knotpost-mail",
            "knotpost-picture",
            "knotpost-model",
            "knotpost-platform",
            "knotpost-storage",
            "knotpost-tournaments",
        ],
    ),
    (
        "knotpost-transport",
        &[
            "knotpost-rules",
            "knotpost-commands",
            "knotpost-mail",
            "knotpost-picture",
            "knotpost-model",
            "knotpost-platform",
            "knotpost-core",
        ],
    ),
    (
        "knotpost-web",
        &[
            "knotpost-rules",
            "knotpost-commands",
            "knotpost-picture",
            "knotpost-model",
            "knotpost-platform",
            "knotpost-core",
        ],
    ),
    (
        "knotpost-program",
        &[
            "knotpost-rules",
            "knotpost-commands",
            "knotpost-mail",
            "knotpost-picture",
            "knotpost-bots",
            "knotpost-model",
            "knotpost-platform",
            "knotpost-storage",
            "knotpost-tournaments",
            "knotpost-core",
            "knotpost-transport",
            "knotpost-web",
        ],
    ),
    ("knotpost", &["knotpost-games", "knotpost-program"]),
];

/// A library or part of the standard library, and the crates and modules of the server that alone may name it.
const OWNED_PATHS: [(&str, &[&str]); 11] = [
    ("rusqlite::", &["knotpost-storage"]),
    ("sqlx::", &["knotpost-storage"]),
    ("sqlx_postgres::", &["knotpost-storage"]),
    ("axum::", &["knotpost-web"]),
    ("tower_http::", &["knotpost-web"]),
    ("hyper::", &["knotpost-transport/outbound", "knotpost-web"]),
    ("lettre::", &["knotpost-transport/outbound"]),
    ("mail_parser::", &["knotpost-transport/inbound"]),
    ("mail_auth::", &["knotpost-transport/inbound", "knotpost-transport/outbound"]),
    ("smtp_proto::", &["knotpost-transport/inbound"]),
    // The last one reads what the runner of the tests says, in builds with debug assertions alone.
    ("std::env::", &["knotpost-core/config", "knotpost-program/cli", "knotpost-storage/connection"]),
];

/// The crates that the server consists of.
const SERVER_CRATES: [&str; 7] = [
    "knotpost-model",
    "knotpost-platform",
    "knotpost-storage",
    "knotpost-core",
    "knotpost-transport",
    "knotpost-web",
    "knotpost-program",
];

/// A module and the modules of its crate that it must not know. What lies in different crates is kept apart by Cargo.
const MODULES: [(&str, &[&str]); 4] = [
    ("knotpost-transport/inbound", &["outbound"]),
    ("knotpost-transport/outbound", &["inbound"]),
    ("knotpost-program/worker", &["cli", "server"]),
    ("knotpost-program/server", &["cli"]),
];

/// The modules of the core, lowest first: each knows only those before it.
const CORE_ORDER: [&str; 18] = [
    "signals",
    "boards",
    "replies",
    "ratings",
    "mailing",
    "webhooks",
    "identity",
    "requests",
    "records",
    "play",
    "tournaments",
    "commands",
    "intake",
    "queries",
    "clock",
    "admin",
    "transfer",
    "archive",
];

/// What every use case of the core is handed, and the parts it consists of: all modules may name them.
const CORE_CONTEXT: [&str; 9] =
    ["app", "config", "fair_queue", "gallery", "hold", "links", "outage", "pulse", "thinking"];

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
const PURE_CRATES: [&str; 7] = [
    "knotpost-rules",
    "knotpost-games",
    "knotpost-commands",
    "knotpost-mail",
    "knotpost-picture",
    "knotpost-bots",
    "knotpost-tournaments",
];

fn crates_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in a folder of crates").to_owned()
}

fn assert_none<T: fmt::Display>(found: &[T]) {
    let list: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "not as the map says:\n{}", list.join("\n"));
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

/// All sources of the server, placed by crate and module: `knotpost-core/boards/board.rs`.
fn server_sources() -> Vec<Source> {
    let mut sources = Vec::new();
    for name in SERVER_CRATES {
        let found = read_sources(&crates_folder().join(name).join("src"));
        assert!(!found.is_empty(), "{name} has sources");
        sources.extend(
            found
                .into_iter()
                .map(|source| Source { place: format!("{name}/{}", source.place), text: source.text }),
        );
    }
    sources
}

#[test]
fn libraries_and_modules_are_named_where_they_belong() {
    let found: Vec<Violation> = server_sources().iter().flat_map(check_server_source).collect();
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

/// Cargo keeps the storage crate out of the pages; this test keeps them off the rows that structs of the core still hand on,
/// and off the store, which they hand to a use case and ask nothing.
#[test]
fn pages_and_api_use_no_row_and_no_store() {
    let named: Vec<String> = server_sources()
        .into_iter()
        .filter(|source| source.place.starts_with("knotpost-web/"))
        .filter(|source| {
            [".store.", "= &web.app.store", ".row."].iter().any(|name| source.text.contains(name))
        })
        .map(|source| source.place)
        .collect();
    assert_none(&named);
}

/// Which statements change something is a matter of types: `ReadTx` has no connection for them. The one way past the
/// types is there for SQL of the tests.
#[test]
fn the_server_never_takes_the_connection_that_is_there_for_tests() {
    let named: Vec<String> = server_sources()
        .into_iter()
        .filter(|source| source.text.contains("driver_for_tests"))
        .map(|source| source.place)
        .collect();
    assert_eq!(named, ["knotpost-storage/transaction.rs"]);
}

/// A store fails where a test cuts it off; the server itself never does that.
#[test]
fn the_server_never_cuts_itself_off() {
    let named: Vec<String> = server_sources()
        .into_iter()
        .filter(|source| source.text.contains("cut_off_after"))
        .map(|source| source.place)
        .collect();
    assert_eq!(named, ["knotpost-storage/connection/steps.rs", "knotpost-storage/store/mod.rs"]);
}
