//! docs/adding-a-game.md lists the files that a game touches: for every game there is, and no others.

use knotpost_rules::Registry;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Its tests are older than the layout of the others and lie beside their folders.
const OLDEST: &str = "osbox";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("a folder of crates in a folder")
        .to_owned()
}

/// The paths in the first column of each table in section 3: those that must be touched, and those that may be.
fn listed() -> (Vec<String>, Vec<String>) {
    let text = fs::read_to_string(repository().join("docs/adding-a-game.md")).unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with("3. What is touched")).unwrap();
    let (must, may) = section.split_once("a new one may join them").unwrap();
    let paths = |table: &str| {
        let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        rows.map(|(path, _)| path.to_owned()).collect()
    };
    (paths(must), paths(may))
}

/// Files of the crates and those at the top, with their paths from the repository.
fn files() -> Vec<(String, PathBuf)> {
    let (root, mut found) = (repository(), Vec::new());
    let mut folders = vec![root.join("crates")];
    let mut take = |path: PathBuf| {
        let name = path.strip_prefix(repository()).unwrap().to_string_lossy().replace('\\', "/");
        found.push((name, path));
    };
    fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .for_each(&mut take);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() { folders.push(path) } else { take(path) }
        }
    }
    found
}

/// Whether a path has the form of a pattern, in which `*` stands for anything.
fn fits(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut open = false;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        open = part.is_empty();
    }
    open || rest.is_empty()
}

/// Whether a string of the source is the game's name. A word of a comment says nothing: a game may be called `go`.
fn knows(path: &Path, game: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.contains(&format!("\"{game}\"")))
}

fn names(path: &Path, game: &str) -> bool {
    let Ok(text) = fs::read_to_string(path) else { return false };
    let text = text.to_ascii_lowercase();
    text.split(|sign: char| !sign.is_ascii_alphanumeric()).any(|word| word == game)
}

#[test]
fn every_game_touches_what_is_listed() {
    let ((must, may), files) = (listed(), files());
    assert!(must.len() > 10 && may.len() > 1, "{must:?} {may:?}");
    for game in Registry::standard().iter().map(|game| game.meta().name).filter(|game| *game != OLDEST) {
        for pattern in must.iter().chain(&may) {
            let own = pattern.replace("yourgame", game);
            let mut fitting = files.iter().filter(|(path, _)| fits(&own, path));
            assert!(
                fitting.any(|(_, path)| own != *pattern || names(path, game)),
                "{own} does not name {game}"
            );
        }
    }
}

#[test]
fn no_other_source_names_the_newest_game() {
    let (must, may) = listed();
    let registry = Registry::standard();
    let newest = registry.iter().last().expect("a game").meta().name;
    let is_source = |path: &str| path.split('/').any(|part| part == "src" || part == "examples");
    let folder = format!("crates/knotpost-rules/src/games/{newest}/");
    for (path, file) in files().iter().filter(|(path, _)| is_source(path) && !path.starts_with(&folder)) {
        let is_listed = must.iter().chain(&may).any(|pattern| fits(pattern, path));
        assert!(is_listed || !knows(file, newest), "{path} names {newest}");
    }
}
