//! Sources as text: their places, their lines, and the modules they reach.

use std::fs;
use std::path::Path;

/// A source file: its place below `src/`, with slashes, and its text.
pub(super) struct Source {
    pub(super) place: String,
    pub(super) text: String,
}

impl Source {
    /// Crate and module: `knotpost-core/boards` for `knotpost-core/boards/board.rs`, and `knotpost-program/server` for both
    /// `knotpost-program/server/listeners.rs` and `knotpost-program/server.rs`.
    pub(super) fn module(&self) -> String {
        let mut parts = self.place.split('/');
        let (name, first) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        format!("{name}/{}", first.strip_suffix(".rs").unwrap_or(first))
    }

    pub(super) fn is_test(&self) -> bool {
        self.place.split('/').any(|part| part == "tests" || part == "tests.rs")
    }

    /// The numbered lines that are compiled into the program: no comments,
    /// and nothing from the test module at the end of a file.
    pub(super) fn lines(&self) -> Vec<(usize, &str)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let end = (0..lines.len())
            .find(|&at| {
                lines[at].starts_with("#[cfg(test)]")
                    && lines[at + 1..]
                        .iter()
                        .find(|next| !next.starts_with("#["))
                        .is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'))
            })
            .unwrap_or(lines.len());
        lines[..end]
            .iter()
            .enumerate()
            .map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
            .filter(|(_, line)| !line.trim().is_empty())
            .collect()
    }
}

/// The modules that a source reaches by `crate::module` or `crate::{module, …}`,
/// with the line of each.
pub(super) fn reached_modules(source: &Source) -> Vec<(usize, String)> {
    let mut reached = Vec::new();
    let mut depth_in_group = 0_usize;
    for (number, line) in source.lines() {
        let mut rest = line;
        if depth_in_group == 0 {
            while let Some(at) = rest.find("crate::") {
                let qualified =
                    rest[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
                rest = &rest[at + "crate::".len()..];
                if let Some(group) = rest.strip_prefix('{') {
                    depth_in_group = 1;
                    rest = group;
                    break;
                }
                if !qualified {
                    reached.push((number, leading_word(rest)));
                }
            }
        }
        if depth_in_group > 0 {
            depth_in_group = read_group(rest, depth_in_group, number, &mut reached);
        }
    }
    reached.retain(|(_, module)| !module.is_empty());
    reached
}

/// Reads one line inside `crate::{…}`, notes the words at its top level and
/// returns how deep the line ends.
fn read_group(line: &str, depth: usize, number: usize, reached: &mut Vec<(usize, String)>) -> usize {
    let mut depth = depth;
    let mut word = String::new();
    let mut in_path = false;
    for letter in line.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => in_path = false,
            _ => {}
        }
        if depth == 1 && !in_path && (letter.is_alphanumeric() || letter == '_') {
            word.push(letter);
            continue;
        }
        if !word.is_empty() {
            reached.push((number, std::mem::take(&mut word)));
            in_path = letter != ',';
        }
        if depth == 0 {
            return 0;
        }
    }
    if !word.is_empty() {
        reached.push((number, word));
    }
    depth
}

fn leading_word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

/// Every `.rs` file below `folder`, placed relative to it.
pub(super) fn read_sources(folder: &Path) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let below = path.strip_prefix(folder).unwrap();
                let parts: Vec<_> =
                    below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
                sources.push(Source { place: parts.join("/"), text: fs::read_to_string(&path).unwrap() });
            }
        }
    }
    sources.sort_by(|a, b| a.place.cmp(&b.place));
    sources
}
