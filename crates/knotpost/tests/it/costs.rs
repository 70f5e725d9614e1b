//! What a stranger can make the server do: each command and each address at its largest, by mail with a forged sender,
//! in a mail session and over HTTP, costs no more than its row of the table says. What has no row fails.
//!
//! Mails, bytes, rows and statements are the same in every run, so their bounds are near. A processor's time is not: it
//! is bounded at ten to twenty times what was measured without optimisation, and what grows with the square is found by
//! comparing a request with one of half its size. No time on a clock is asserted, since other
//! programs on the machine would decide it; see docs/how/limits.md.

mod beside_tournaments;
mod commands;
mod largest;
mod mails;
mod routes;
mod session;
mod spent;
mod table;
mod verbs;

use knotpost_commands::MOST_NAMES;

use crate::harness::{Place, TestApp};

/// Boards that there are to ask for, from 101 on.
const BOARDS: usize = MOST_NAMES + 2;

async fn a_server_with_boards() -> TestApp {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    for _ in 0..BOARDS {
        assert_eq!(app.post("osbox challenge -size=3 ann bob", "").await.outcome(), "200 ok");
    }
    app.work().await;
    app.sent();
    app
}
