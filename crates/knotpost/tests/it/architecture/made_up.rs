//! The checker must be able to fail: made-up sources that break the map.

use super::checks::{check_core_source, check_manifest, check_pure_source, check_server_source};
use super::source::{Source, reached_modules};

fn source(place: &str, text: &str) -> Source {
    Source { place: place.to_owned(), text: text.to_owned() }
}

fn complaints(place: &str, text: &str) -> Vec<String> {
    check_server_source(&source(place, text)).iter().map(ToString::to_string).collect()
}

#[test]
fn finds_sql_outside_the_storage() {
    assert_eq!(
        complaints("knotpost-core/play/moves.rs", "//! Moves.\n\nuse sqlx::query;\n"),
        ["knotpost-core/play/moves.rs:3: sqlx:: belongs to knotpost-storage"]
    );
    assert_eq!(complaints("knotpost-storage/boards.rs", "use sqlx::query;\n"), [""; 0]);
    assert_eq!(complaints("knotpost-storage/lib.rs", "use sqlx::query;\n"), [""; 0]);
}

#[test]
fn finds_libraries_and_the_environment_where_they_do_not_belong() {
    for (place, line) in [
        ("knotpost-transport/inbound/smtp.rs", "    let app = axum::Router::new();"),
        ("knotpost-web/router.rs", "use lettre::Message;"),
        ("knotpost-transport/outbound/letter.rs", "use mail_parser::MessageParser;"),
        ("knotpost-web/router.rs", "use smtp_proto::Request;"),
        ("knotpost-core/identity/accounts.rs", "let home = std::env::var(\"HOME\");"),
        ("knotpost-core/identity/accounts.rs", "use std::env;"),
    ] {
        assert_eq!(complaints(place, line).len(), 1, "{place}: {line}");
    }
}

#[test]
fn finds_a_module_that_knows_another_way() {
    assert_eq!(
        complaints("knotpost-transport/inbound/read.rs", "use crate::outbound::Letter;"),
        ["knotpost-transport/inbound/read.rs:1: knotpost-transport/inbound must not know outbound"]
    );
    assert_eq!(
        complaints("knotpost-program/worker.rs", "fn stop() -> crate::cli::Exit {"),
        ["knotpost-program/worker.rs:1: knotpost-program/worker must not know cli"]
    );
    assert_eq!(complaints("knotpost-program/cli/serve.rs", "use crate::worker::Workers;"), [""; 0]);
}

#[test]
fn finds_a_module_of_the_core_that_knows_a_later_one() {
    let complaints = |place: &str, text: &str| -> Vec<String> {
        check_core_source(&source(place, text)).iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        complaints("knotpost-core/mailing/post.rs", "use crate::app::App;\nuse crate::play::moves;\n"),
        ["knotpost-core/mailing/post.rs:2: knotpost-core/mailing stands before play"]
    );
    assert_eq!(
        complaints("knotpost-core/boards/time.rs", "fn f() -> crate::replies::Style {"),
        ["knotpost-core/boards/time.rs:1: knotpost-core/boards stands before replies"]
    );
    assert_eq!(complaints("knotpost-core/play/moves.rs", "use crate::boards::Board;\n"), [""; 0]);
    assert_eq!(complaints("knotpost-core/app.rs", "use crate::clock::Lookout;\n"), [""; 0]);
}

#[test]
fn finds_a_module_in_a_grouped_import() {
    let text =
        "use crate::{\n    domain::{web, BoardRef},\n    inbound::parse, clock,\n};\nuse crate::{cli};\n";
    let modules: Vec<String> =
        reached_modules(&source("x.rs", text)).into_iter().map(|(_, module)| module).collect();
    assert_eq!(modules, ["domain", "inbound", "clock", "cli"]);
    assert_eq!(complaints("knotpost-program/worker.rs", text).len(), 1);
}

#[test]
fn passes_over_comments_tests_and_longer_words() {
    assert_eq!(complaints("knotpost-web/router.rs", "// sqlx::query is not for us\n"), [""; 0]);
    assert_eq!(complaints("knotpost-web/router.rs", "use my_sqlx::query;\n"), [""; 0]);
    assert_eq!(
        complaints("knotpost-transport/outbound/letter/tests.rs", "use mail_parser::MessageParser;\n"),
        [""; 0]
    );
    let tail = "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use mail_parser::MessageParser;\n}\n";
    assert_eq!(complaints("knotpost-transport/outbound/letter.rs", tail), [""; 0]);
    let helper = "#[cfg(test)]\nuse mail_parser::MessageParser;\n";
    assert_eq!(complaints("knotpost-transport/outbound/letter.rs", helper).len(), 1);
}

#[test]
fn finds_a_crate_that_depends_on_one_above_it() {
    let manifest = "[package]\nname = \"x\"\n\n[dependencies]\nknotpost-core.workspace = true\n\n\
                    [dev-dependencies]\nknotpost-commands.workspace = true\n";
    assert_eq!(
        check_manifest("knotpost-rules", manifest),
        ["knotpost-rules must not depend on knotpost-core"]
    );
    assert_eq!(
        check_manifest("knotpost-mail", "[dependencies]\nknotpost-storage.workspace = true\n"),
        ["knotpost-mail must not depend on knotpost-storage"]
    );
    assert_eq!(check_manifest("knotpost-new", "").len(), 1);
}

#[test]
fn finds_a_clock_in_a_pure_crate() {
    let found = check_pure_source(&source("games/osbox/mod.rs", "use std::time::Instant;\n"));
    assert_eq!(found.len(), 1);
    assert!(check_pure_source(&source("grid.rs", "use std::fmt;\n")).is_empty());
}
