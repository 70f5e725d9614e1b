//! Settings, metrics and files that the texts name are there.

use std::collections::BTreeSet;

use knotpost_core::config::describe;

use super::{inline_code, pages, root};

/// A domain, a file of the data folder, and a field of a provider, which look like settings.
const OTHERS: [&str; 3] = ["games.example", "server.run", "mail.source"];

/// The section and the key, when the code could name a setting.
fn is_setting_like(code: &str) -> Option<(&str, &str)> {
    let (section, key) = code.split_once('.')?;
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    (is_word(section) && is_word(key)).then_some((section, key))
}

#[test]
fn every_setting_in_the_texts_is_one_of_the_program() {
    let sections = describe();
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for page in &pages() {
        for (line, code) in inline_code(&page.text) {
            // `KEY = VALUE` names a setting as well.
            let name = code.split_once(" = ").map_or(code.as_str(), |(name, _)| name);
            let Some((section, key)) = is_setting_like(name) else { continue };
            let Some(found) = sections.iter().find(|known| known.name == section) else { continue };
            if found.settings.iter().any(|setting| setting.key == key) {
                seen.insert(name.to_owned());
            } else if !OTHERS.contains(&name) {
                wrong.push(format!("{}:{line}: `{code}`", page.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen.len() > 50, "{seen:?}");
}

#[test]
fn every_metric_in_the_texts_is_one_of_the_program() {
    let table = knotpost_program::reference::metrics();
    let known: BTreeSet<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for page in &pages() {
        for (line, code) in inline_code(&page.text) {
            let name = code.split('{').next().unwrap();
            let is_metric = name.starts_with("knotpost_")
                && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            // A crate is written so in Rust.
            if !is_metric || root().join("crates").join(name.replace('_', "-")).exists() {
                continue;
            }
            count += 1;
            if !known.contains(name) {
                wrong.push(format!("{}:{line}: `{code}`", page.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 10, "{count}");
}

#[test]
fn every_file_in_the_texts_is_in_the_repository() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for page in &pages() {
        for (line, code) in inline_code(&page.text) {
            let path = code.split_whitespace().next().unwrap_or_default();
            let is_ours = ["deploy/", "docs/", "tests/", "templates/", "examples/"]
                .iter()
                .any(|folder| path.starts_with(folder));
            if !is_ours
                || path.contains(['*', '{', '<', '…'])
                || path.bytes().any(|byte| byte.is_ascii_uppercase())
            {
                continue;
            }
            count += 1;
            // Tests are named from the crate or from the root.
            let is_there = root().join(path).exists() || root().join("crates/knotpost").join(path).exists();
            if !is_there {
                wrong.push(format!("{}:{line}: {path}", page.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 30, "{count}");
}
