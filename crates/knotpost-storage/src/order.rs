//! The order of the modules, checked on the sources: each knows only those before it.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules of one rank do not know each other.
const RANKS: [&[&str]; 7] = [
    &["connection"],
    &["postgres"],
    &["rows", "schema"],
    &["transaction"],
    &["boards", "mail", "ops", "ratings", "tournaments", "users"],
    &["writer"],
    &["store"],
];

fn rank(module: &str) -> Option<usize> {
    RANKS.iter().position(|modules| modules.contains(&module))
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The modules of the crate that a source names by `crate::…`. A name of the crate's root would hide where it belongs.
fn named_modules(text: &str) -> Vec<&str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = code.flat_map(|line| line.split("crate::").skip(1));
    paths
        .map(|path| path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
        .collect()
}

#[test]
fn modules_know_only_those_before_them() {
    let mut found = Vec::new();
    for file in rust_files(&sources()) {
        let place = file.strip_prefix(sources()).unwrap().to_owned();
        let module = place.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if ["lib", "order"].contains(&module) {
            continue;
        }
        let own = rank(module).unwrap_or_else(|| panic!("{module} has no rank"));
        for named in named_modules(&fs::read_to_string(&file).unwrap()) {
            if named != module && rank(named).is_none_or(|rank| rank >= own) {
                found.push(format!("{}: {named}", place.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
