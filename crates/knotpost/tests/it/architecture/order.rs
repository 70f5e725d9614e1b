//! The modules of `knotpost-core` stand in one order.
//!
//! The table of modules in `ARCHITECTURE.md` is printed here, so that it says what the sources say.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use super::checks::check_core_source;
use super::source::{Source, read_sources};
use super::{CORE_CONTEXT, CORE_ORDER, assert_none, crates_folder};

fn core_sources() -> Vec<Source> {
    let sources = read_sources(&crates_folder().join("knotpost-core/src"));
    sources
        .into_iter()
        .map(|source| Source { place: format!("knotpost-core/{}", source.place), text: source.text })
        .collect()
}

#[test]
fn modules_of_the_core_know_only_modules_before_them() {
    let found: Vec<_> = core_sources().iter().flat_map(check_core_source).collect();
    assert_none(&found);
}

#[test]
fn every_module_of_the_core_has_its_place() {
    let modules: BTreeSet<String> = core_sources()
        .iter()
        .map(|source| source.module().replace("knotpost-core/", ""))
        .filter(|name| name != "lib")
        .collect();
    let placed: BTreeSet<String> = CORE_ORDER.iter().chain(&CORE_CONTEXT).map(ToString::to_string).collect();
    assert_eq!(modules, placed);
}

/// `App` owns values of these modules. Were one of them to name `App`, most of the core would be one circle.
#[test]
fn the_context_is_made_of_what_does_not_know_it() {
    let parts = [
        "signals/",
        "replies/",
        "boards/",
        "identity/buckets.rs",
        "identity/credentials.rs",
        "identity/limits.rs",
        "clock/leader_watch.rs",
    ];
    // These look boards up for a command, and no part of `App` knows them.
    let above = ["finding.rs", "repeated.rs", "replay.rs"].map(|file| format!("knotpost-core/boards/{file}"));
    let is_part = |source: &&Source| {
        parts.iter().any(|part| source.place.starts_with(&format!("knotpost-core/{part}")))
            && !above.contains(&source.place)
            && !source.is_test()
    };
    let sources = core_sources();
    let mut seen = 0;
    for source in sources.iter().filter(is_part) {
        seen += 1;
        let knows = source.lines().iter().any(|(_, line)| line.contains("crate::app"));
        assert!(!knows, "{} is a part of `App` and names it", source.place);
    }
    assert!(seen > 25, "{seen}");
}

/// A verb is called by `execute` and must not call it: a command inside a command would have its own transaction.
#[test]
fn no_verb_knows_who_carries_it_out() {
    let verbs = ["accounts", "boards", "lists", "messages", "opponents"];
    let is_verb = |source: &&Source| {
        verbs.iter().any(|folder| source.place.starts_with(&format!("knotpost-core/commands/{folder}/")))
    };
    let sources = core_sources();
    let (mut seen, mut found) = (0, Vec::new());
    for source in sources.iter().filter(is_verb) {
        seen += 1;
        let calls = |(_, line): &(usize, &str)| line.contains("execute");
        found.extend(
            source.lines().into_iter().filter(calls).map(|(line, _)| format!("{}:{line}", source.place)),
        );
    }
    assert!(seen > 30, "the verbs were found");
    assert_none(&found);
}

/// Whoever changes a board calls `play::notifications`, which queues its mails and the events of webhooks.
#[test]
fn mails_and_webhooks_of_a_board_are_queued_together() {
    let sources = core_sources();
    let naming = |source: &&Source| source.lines().iter().any(|(_, line)| line.contains("post_board("));
    let named: Vec<&str> = sources.iter().filter(naming).map(|source| source.place.as_str()).collect();
    assert_eq!(named, ["knotpost-core/mailing/post.rs", "knotpost-core/play/notifications.rs"]);
}

/// The first sentence of a module's documentation.
fn purpose(module: &str) -> String {
    let folder = crates_folder().join("knotpost-core/src");
    let text = fs::read_to_string(folder.join(module).join("mod.rs"))
        .or_else(|_| fs::read_to_string(folder.join(format!("{module}.rs"))))
        .unwrap_or_else(|error| panic!("{module}: {error}"));
    let doc: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let doc = doc.join(" ");
    doc.split_once(". ").map_or(doc.trim_end_matches('.'), |(first, _)| first).to_owned()
}

fn table() -> String {
    CORE_ORDER.iter().fold("| module | what it is for |\n|---|---|\n".to_owned(), |mut table, name| {
        let _ = writeln!(table, "| `{name}` | {} |", purpose(name));
        table
    })
}

#[test]
fn the_table_of_modules_says_what_the_sources_say() {
    let document = fs::read_to_string(crates_folder().join("../ARCHITECTURE.md")).unwrap();
    let shown = document
        .split_once("<!-- modules of the core -->\n")
        .and_then(|(_, rest)| rest.split_once("<!-- end of modules -->"))
        .map(|(shown, _)| shown.trim());
    let table = table();
    assert_eq!(shown, Some(table.trim()), "the table in ARCHITECTURE.md is to be:\n{table}");
}

/// `docs/ways.md` follows a mail and a request function by function.
#[test]
fn the_ways_name_functions_where_they_are() {
    let document = fs::read_to_string(crates_folder().join("../docs/ways.md")).unwrap();
    let (mut ways, mut steps) = (0, 0);
    for way in document.split("\n## ").skip(1) {
        ways += 1;
        let mut passed = BTreeSet::new();
        for row in way.lines().filter(|line| line.starts_with("| `")) {
            let [function, file] = row.split('`').skip(1).step_by(2).take(2).collect::<Vec<_>>()[..] else {
                panic!("{row}");
            };
            let text = fs::read_to_string(crates_folder().join(file))
                .unwrap_or_else(|error| panic!("{file}: {error}"));
            let calls = [format!("fn {function}("), format!("fn {function}<")];
            assert!(calls.iter().any(|call| text.contains(call)), "{file} has no function `{function}`");
            assert!(passed.insert((function, file)), "a way comes back to `{function}` in {file}");
            steps += 1;
        }
    }
    assert!(ways == 3 && steps > 30, "{ways} ways, {steps} steps");
}
