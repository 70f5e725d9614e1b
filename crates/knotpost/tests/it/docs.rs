//! The documents against the program: what they show is parsed, what they name exists, and the pages of the reference
//! are those that the code makes.
//!
//! A block of `docs/operations` that nothing tries says so above it: `<!-- not run: REASON -->`.

mod blocks;
mod commands;
mod links;
mod log_lines;
mod names;
mod reference;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A document.
struct Page {
    /// From the root of the repository.
    name: String,
    text: String,
}

impl Page {
    fn read(name: &str) -> Self {
        let text = fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name: name.to_owned(), text }
    }

    /// Whether operators copy from it.
    fn is_for_operators(&self) -> bool {
        self.name == "README.md" || self.name.starts_with("docs/operations/")
    }
}

/// README, CONTRIBUTING, ARCHITECTURE and everything below `docs`, by name.
fn pages() -> Vec<Page> {
    let mut names = vec!["ARCHITECTURE.md".to_owned(), "CONTRIBUTING.md".to_owned(), "README.md".to_owned()];
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let name = format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap());
            if root().join(&name).is_dir() {
                folders.push(name);
            } else if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                names.push(name);
            }
        }
    }
    names.sort();
    assert!(names.len() > 50, "{names:?}");
    names.iter().map(|name| Page::read(name)).collect()
}

/// The lines of a document that are no code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The code within the lines of a document that are no blocks, with their numbers. Code may go on in the next line.
fn inline_code(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut paragraph = String::new();
    let mut begin = 0;
    let mut take = |begin: usize, paragraph: &mut String| {
        for code in std::mem::take(paragraph).split('`').skip(1).step_by(2) {
            found.push((begin, code.to_owned()));
        }
    };
    for (number, line) in prose(text).chain([(0, "")]) {
        if line.trim().is_empty() || line.starts_with('|') {
            take(begin, &mut paragraph);
        }
        if paragraph.is_empty() {
            begin = number;
        } else {
            paragraph.push(' ');
        }
        paragraph.push_str(line.trim());
    }
    take(begin, &mut paragraph);
    found
}
