//! The checker must be able to fail: made-up sources that break the map.

use super::checks::{check_manifest, check_pure_source, check_server_source};
use super::source::{Source, reached_rooms};

fn source(place: &str, text: &str) -> Source {
    Source { place: place.to_owned(), text: text.to_owned() }
}

fn complaints(place: &str, text: &str) -> Vec<String> {
    check_server_source(&source(place, text)).iter().map(ToString::to_string).collect()
}

#[test]
fn finds_sql_outside_the_store() {
    assert_eq!(
        complaints("service/moves.rs", "//! Moves.\n\nuse sqlx::query;\n"),
        ["service/moves.rs:3: sqlx:: belongs to store"]
    );
    assert_eq!(complaints("store/boards.rs", "use sqlx::query;\n"), [""; 0]);
    assert_eq!(complaints("store.rs", "use sqlx::query;\n"), [""; 0]);
}

#[test]
fn finds_libraries_and_the_environment_outside_their_rooms() {
    for (place, line) in [
        ("inbound/smtp.rs", "    let app = axum::Router::new();"),
        ("web/router.rs", "use lettre::Message;"),
        ("outbound/letter.rs", "use mail_parser::MessageParser;"),
        ("web/router.rs", "use smtp_proto::Request;"),
        ("service/accounts.rs", "let home = std::env::var(\"HOME\");"),
        ("service/accounts.rs", "use std::env;"),
    ] {
        assert_eq!(complaints(place, line).len(), 1, "{place}: {line}");
    }
}

#[test]
fn finds_a_room_that_looks_up() {
    assert_eq!(
        complaints("domain/board.rs", "use crate::store::Store;"),
        ["domain/board.rs:1: domain must not know store"]
    );
    assert_eq!(
        complaints("service/moves.rs", "fn answer() -> crate::web::Page {"),
        ["service/moves.rs:1: service must not know web"]
    );
    assert_eq!(complaints("service/moves.rs", "use crate::store::Store;"), [""; 0]);
}

#[test]
fn finds_a_room_in_a_grouped_import() {
    let text =
        "use crate::{\n    domain::{web, BoardRef},\n    inbound::parse, clock,\n};\nuse crate::{cli};\n";
    let rooms: Vec<String> = reached_rooms(&source("x.rs", text)).into_iter().map(|(_, room)| room).collect();
    assert_eq!(rooms, ["domain", "inbound", "clock", "cli"]);
    assert_eq!(complaints("service/moves.rs", text).len(), 2);
}

#[test]
fn passes_over_comments_tests_and_longer_words() {
    assert_eq!(complaints("web/router.rs", "// sqlx::query is not for us\n"), [""; 0]);
    assert_eq!(complaints("web/router.rs", "use my_sqlx::query;\n"), [""; 0]);
    assert_eq!(complaints("outbound/letter/tests.rs", "use mail_parser::MessageParser;\n"), [""; 0]);
    let tail = "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use mail_parser::MessageParser;\n}\n";
    assert_eq!(complaints("outbound/letter.rs", tail), [""; 0]);
    let helper = "#[cfg(test)]\nuse mail_parser::MessageParser;\n";
    assert_eq!(complaints("outbound/letter.rs", helper).len(), 1);
}

#[test]
fn finds_a_crate_that_depends_on_one_above_it() {
    let manifest = "[package]\nname = \"x\"\n\n[dependencies]\nknotpost-server.workspace = true\n\n\
                    [dev-dependencies]\nknotpost-commands.workspace = true\n";
    assert_eq!(
        check_manifest("knotpost-rules", manifest),
        ["knotpost-rules must not depend on knotpost-server"]
    );
    assert_eq!(
        check_manifest("knotpost-mail", "[dependencies]\nsqlx-rusqlite.workspace = true\n"),
        ["knotpost-mail must not depend on sqlx-rusqlite"]
    );
    assert_eq!(check_manifest("knotpost-new", "").len(), 1);
}

#[test]
fn finds_a_clock_in_a_pure_crate() {
    let found = check_pure_source(&source("games/osbox/mod.rs", "use std::time::Instant;\n"));
    assert_eq!(found.len(), 1);
    assert!(check_pure_source(&source("grid.rs", "use std::fmt;\n")).is_empty());
}
