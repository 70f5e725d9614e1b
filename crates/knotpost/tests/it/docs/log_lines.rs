//! Troubleshooting by log line: what the tables quote is in the sources, and every warning and error of the sources is in
//! the tables.

use std::fs;
use std::path::Path;

use super::{Page, root};

/// Every crate whose code runs in a server.
const CRATES: [&str; 6] = ["-program", "-core", "-platform", "-storage", "-transport", "-web"];
/// Messages that are made of what was said elsewhere.
const MADE: [&str; 4] = ["{what}", "{warning}", "{why}", "{what}; `before` failed in the outage before"];

/// The sources of a folder without their tests, with texts over several lines joined.
fn sources(folder: &Path, all: &mut String) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            let mut joined = String::new();
            for (at, part) in text.split("\\\n").enumerate() {
                joined.push_str(if at == 0 { part } else { part.trim_start() });
            }
            all.push_str(&joined);
        }
    }
}

fn server() -> String {
    let mut all = String::new();
    for name in CRATES {
        sources(&root().join(format!("crates/knotpost{name}/src")), &mut all);
    }
    all
}

/// The last text in each `warn!` and `error!`, and those given to `log_failure`.
fn logged(sources: &str) -> Vec<String> {
    let mut found = Vec::new();
    for begin in ["warn!(", "error!(", "log_failure("] {
        for rest in sources.split(begin).skip(1) {
            let (mut depth, mut is_text, mut text, mut last) = (1, false, String::new(), None);
            let mut letters = rest.chars();
            while let Some(letter) = letters.next() {
                match (is_text, letter) {
                    (true, '\\') => text.extend(letters.next()),
                    (true, '"') => {
                        is_text = false;
                        last = Some(std::mem::take(&mut text));
                    }
                    (true, letter) => text.push(letter),
                    (false, '"') => is_text = true,
                    (false, '(') => depth += 1,
                    (false, ')') => depth -= 1,
                    (false, _) => {}
                }
                if depth == 0 {
                    break;
                }
            }
            found.extend(last);
        }
    }
    found
}

/// What the first column of the tables quotes.
fn quoted(page: &Page) -> Vec<String> {
    let (_, tables) = page.text.split_once("<!-- log lines -->").unwrap();
    let (tables, _) = tables.split_once("<!-- end of log lines -->").unwrap();
    let cells = tables.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// Whether the pieces of a quoted message, between its `…`, follow each other in a text.
fn fits(quoted: &str, text: &str) -> bool {
    let mut rest = text;
    quoted.split('…').map(str::trim).filter(|piece| !piece.is_empty()).all(|piece| {
        rest.split_once(piece).is_some_and(|(_, after)| {
            rest = after;
            true
        })
    })
}

#[test]
fn every_quoted_message_is_in_the_sources() {
    let (page, sources) = (Page::read("docs/operations/troubleshooting.md"), server());
    let quoted = quoted(&page);
    let unknown: Vec<&String> =
        quoted.iter().filter(|message| !sources.lines().any(|line| fits(message, line))).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(quoted.len() > 80, "{}", quoted.len());
}

#[test]
fn every_warning_and_error_of_the_sources_is_explained() {
    let page = Page::read("docs/operations/troubleshooting.md");
    let (quoted, logged) = (quoted(&page), logged(&server()));
    let unexplained: Vec<&String> = logged
        .iter()
        .filter(|message| !MADE.contains(&message.as_str()))
        .filter(|message| !quoted.iter().any(|quoted| fits(quoted, message)))
        .collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(logged.len() > 80, "{}", logged.len());
}
