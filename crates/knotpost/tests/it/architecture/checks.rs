//! What is wrong with a source or a manifest, by the map given in the tables
//! of the module above.

use std::fmt;

use super::source::{Source, reached_modules};
use super::{CORE_ORDER, CRATES, IMPURE, MODULES, OWNED_PATHS};

/// One line that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Violation {
    file: String,
    line: usize,
    says: String,
}

impl Violation {
    fn new(source: &Source, line: usize, says: String) -> Self {
        Self { file: source.place.clone(), line, says }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.says)
    }
}

/// Whether `path` stands in `line` as the beginning of a path, not as the end
/// of a longer word.
fn names(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == ':')
    })
}

/// `use sqlx;` and `use std::env;` name the path without the colons.
fn names_or_imports(line: &str, path: &str) -> bool {
    let bare = path.trim_end_matches(':');
    let import = line.trim_start().trim_start_matches("pub ").strip_prefix("use ").unwrap_or_default();
    names(line, path)
        || import.strip_prefix(bare).is_some_and(|rest| rest.starts_with(';') || rest.starts_with(" as "))
}

/// What is wrong with one source of the server.
pub(super) fn check_server_source(source: &Source) -> Vec<Violation> {
    if source.is_test() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let module = source.module();
    let is_in = |owner: &&str| module == **owner || module.starts_with(&format!("{owner}/"));
    for (number, line) in source.lines() {
        for (path, owners) in OWNED_PATHS {
            if names_or_imports(line, path) && !owners.iter().any(is_in) {
                found.push(Violation::new(
                    source,
                    number,
                    format!("{path} belongs to {}", owners.join(", ")),
                ));
            }
        }
    }
    let hidden = MODULES.iter().find(|(name, _)| *name == module).map_or(&[][..], |(_, hidden)| *hidden);
    for (number, reached) in reached_modules(source) {
        if hidden.contains(&reached.as_str()) {
            found.push(Violation::new(source, number, format!("{module} must not know {reached}")));
        }
    }
    found
}

/// The modules behind its own that a source of the core names.
pub(super) fn check_core_source(source: &Source) -> Vec<Violation> {
    let module = source.module();
    let place = |name: &str| CORE_ORDER.iter().position(|known| *known == name);
    let own = module.strip_prefix("knotpost-core/").and_then(place);
    if source.is_test() {
        return Vec::new();
    }
    reached_modules(source)
        .into_iter()
        .filter(|(_, reached)| own.zip(place(reached)).is_some_and(|(own, reached)| reached > own))
        .map(|(line, reached)| Violation::new(source, line, format!("{module} stands before {reached}")))
        .collect()
}

/// What is wrong with one source of a crate without side effects.
pub(super) fn check_pure_source(source: &Source) -> Vec<Violation> {
    if source.is_test() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, line) in source.lines() {
        for path in IMPURE {
            if names_or_imports(line, path) {
                found.push(Violation::new(source, number, format!("{path} has no place in a pure crate")));
            }
        }
    }
    found
}

/// The crates of the workspace that a manifest depends on outside its tests.
fn workspace_dependencies(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]") && !section.contains("dev-") {
            let name: String =
                line.chars().take_while(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
            if CRATES.iter().any(|(known, _)| *known == name) || name.starts_with("knotpost-") {
                found.push(name);
            }
        }
    }
    found
}

/// What is wrong with the manifest of the crate `name`.
pub(super) fn check_manifest(name: &str, manifest: &str) -> Vec<String> {
    let Some((_, allowed)) = CRATES.iter().find(|(known, _)| *known == name) else {
        return vec![format!("{name} has no place in the map of crates yet")];
    };
    workspace_dependencies(manifest)
        .into_iter()
        .filter(|dependency| !allowed.contains(&dependency.as_str()))
        .map(|dependency| format!("{name} must not depend on {dependency}"))
        .collect()
}
