//! Pages asked with queries that no page of ours would send.

use axum::body::Body;
use axum::http::Request;
use knotpost_core::admin::UserEdit;
use knotpost_model::UserKey;
use knotpost_web::routes;

use super::browser::Browser;
use crate::harness::{Place, TestApp, edit_user};

/// Addresses whose answers are no pages.
const FOR_PROGRAMS: &[&str] = &[
    "/healthz",
    "/readyz",
    "/favicon.ico",
    "/robots.txt",
    "/apple-touch-icon.png",
    "/manifest.webmanifest",
    "/service-worker.js",
];

/// Parameters of all pages, and one of none.
const NAMES: &[&str] = &[
    "ply", "choose", "v", "to", "active", "over", "next", "userid", "game", "player2", "options", "number",
    "state", "user", "q", "since", "before", "after", "reason", "address", "seat", "done", "cursor", "limit",
    "by", "nothing", "moves", "deal", "spot", "side", "saved",
];

/// What they are given: numbers at their edges, other kinds, other alphabets, and what is not even text.
const VALUES: &[&str] = &[
    "",
    "0",
    "-1",
    "1",
    "-9223372036854775808",
    "9223372036854775807",
    "9223372036854775808",
    "1e9",
    "0x10",
    "NaN",
    "%00",
    "%ff%fe",
    "%",
    "%zz",
    "%C3%28",
    "%0d%0aSet-Cookie:%20x=1",
    "..%2f..%2fetc",
    "%3Cscript%3E",
    "'%20OR%201=1",
    "osbox",
    "ann",
    "active",
    "f1",
    "f1%239%239",
    "2026-02-30",
    "%F0%9F%8E%B2",
    "%E2%80%AE",
    "{{7*7}}",
    "//evil.example",
];

/// The next of numbers that look like chance and are the same in every run.
fn step(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

fn any_query(state: &mut u64) -> String {
    let mut query = String::new();
    for _ in 0..=step(state) % 3 {
        let (name, value) = (NAMES[step(state) % NAMES.len()], VALUES[step(state) % VALUES.len()]);
        let glue = if step(state).is_multiple_of(9) { "&&" } else { "&" };
        query.extend([name, "=", value, glue]);
    }
    query
}

#[tokio::test]
async fn every_page_bears_any_query() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    edit_user(&app.app, "ann", UserEdit::Role("admin")).await.unwrap();
    app.post("osbox challenge -size=4 ann bob", "").await;
    app.post("osbox move 101 ann ann-secret d1", "").await;
    let cookie = Browser::of(&app, "ann").await.cookie.unwrap();
    let confirmation =
        app.app.links.confirmation(UserKey(1), "ann@ann.example", knotpost_model::Millis(i64::MAX));
    let confirmation = &confirmation[confirmation.find("/confirm/").unwrap()..];
    let is_page =
        |path: &str| !path.starts_with("/api/") && !path.starts_with("/assets/") && path != "/metrics";
    let mut state = 7;
    let mut asked = 0;
    for route in routes().filter(|route| route.method == "GET" && is_page(route.path)) {
        let path =
            route.path.replace("{game}", "osbox").replace("{number}", "101").replace("{userid}", "ann");
        let path = path
            .replace("{id}", "1")
            .replace("{topic}", "web")
            .replace("/confirm/{token}", confirmation)
            .replace("{token}", "x")
            .replace("{name}", "x");
        // Each value of each parameter that pages know well, and many at once.
        let alone = VALUES.iter().map(|value| format!("ply={value}")).take(if path.contains("/boards/") {
            99
        } else {
            2
        });
        let queries: Vec<String> = alone.chain((0..24).map(|_| any_query(&mut state))).collect();
        for query in queries {
            let Ok(request) =
                Request::get(format!("{path}?{query}")).header("cookie", &cookie).body(Body::empty())
            else {
                continue;
            };
            let page = app.send(request).await;
            let status = page.status.as_u16();
            assert!(status < 500, "{path}?{query}: {status} {}", page.text);
            assert!(
                !page.text.contains("<script>") && page.header("set-cookie").is_empty(),
                "{path}?{query}"
            );
            let is_for_programs = FOR_PROGRAMS.contains(&path.as_str())
                || path.starts_with("/figures/")
                || path.contains("/knot.");
            if !is_for_programs && ![303, 304].contains(&status) {
                assert!(
                    page.header("content-type").starts_with("text/html"),
                    "{path}?{query}: {}",
                    page.text
                );
                let footer = "Play by e-mail</a> (<strong>games@knotpost.example</strong>)";
                assert!(page.text.contains(footer), "{path}?{query}: {}", page.text);
            }
            asked += 1;
        }
    }
    assert!(asked > 800, "{asked}");
}
