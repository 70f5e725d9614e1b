//! Whether every page is among those that are opened in a browser and photographed.

use std::path::Path;

use knotpost_web::{Role, routes};

/// Files and streams, which are no pages.
const NO_PAGES: &[&str] = &[
    "/api/",
    "/assets/",
    "/figures/",
    "/favicon.ico",
    "/robots.txt",
    "/apple-touch-icon.png",
    "/manifest.webmanifest",
    "/service-worker.js",
];

#[test]
fn every_page_is_looked_at_in_a_browser() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser/pages.mjs");
    let list = std::fs::read_to_string(list).unwrap();
    let is_page = |path: &str| !NO_PAGES.iter().any(|prefix| path.starts_with(prefix));
    let by_people = |role| matches!(role, Role::Public | Role::User | Role::Admin | Role::Mailbox);
    let pages = routes().filter(|route| {
        route.method == "GET" && by_people(route.role) && is_page(route.path) && !route.path.ends_with('z')
    });
    let missing: Vec<&str> = pages
        .map(|route| route.path)
        .filter(|path| {
            // `/boards/{game}/{number}` is looked at on some board.
            let fixed = path.split('{').next().unwrap_or(path);
            let quoted = if fixed == *path { format!("\"{fixed}\"") } else { fixed.to_owned() };
            !list.contains(&quoted)
        })
        .collect();
    assert!(missing.is_empty(), "add these to tests/browser/pages.mjs: {missing:?}");
}
