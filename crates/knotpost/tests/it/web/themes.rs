//! Light or dark pages, as a browser has chosen.

use super::program::ask;
use crate::harness::{Page, Place, TestApp};

async fn choose(app: &TestApp, theme: &str) -> Page {
    let headers = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("sec-fetch-site", "same-origin"),
        ("referer", "http://127.0.0.1:8080/boards/osbox/101?ply=0"),
    ];
    ask(app, "POST", "/theme", &headers, &format!("theme={theme}")).await
}

/// The style sheet of a page, with its address.
async fn style(app: &TestApp, page: &Page) -> (String, Page) {
    let text = page.text.replace("&#x2f;", "/");
    let address = text.split("rel=\"stylesheet\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
    let address = address.unwrap().to_owned();
    let sheet = ask(app, "GET", &address, &[], "").await;
    assert!(sheet.header("cache-control").contains("immutable"), "{address}");
    (address, sheet)
}

#[tokio::test]
async fn a_browser_keeps_the_theme_it_has_chosen() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    app.post("osbox challenge ann bob", "").await;
    let board = "/boards/osbox/101?ply=0";
    let plain = ask(&app, "GET", board, &[], "").await;
    assert!(plain.text.contains("content=\"light dark\""));
    assert!(style(&app, &plain).await.1.text.contains("prefers-color-scheme"));
    for theme in ["dark", "light"] {
        let chosen = choose(&app, theme).await;
        assert_eq!((chosen.status.as_u16(), chosen.header("location")), (303, board));
        let cookie = chosen.header("set-cookie").split(';').next().unwrap().to_owned();
        // On every page, in the first answer, and for nobody else.
        for path in [board, "/", "/nothing", "/login", "/api/docs"] {
            let page = ask(&app, "GET", path, &[("cookie", &cookie)], "").await;
            assert!(page.text.contains(&format!("content=\"{theme}\"")), "{path}");
            assert_eq!(page.header("cache-control"), "no-store", "{path}");
            let (address, sheet) = style(&app, &page).await;
            assert!(address.starts_with(&format!("/assets/style-{theme}.css")), "{address}");
            assert!(!sheet.text.contains("prefers-color-scheme"));
        }
    }
    let chosen = choose(&app, "system").await;
    assert!(chosen.header("set-cookie").contains("Max-Age=0"), "{}", chosen.header("set-cookie"));
    let odd = ask(&app, "GET", "/", &[("cookie", "theme=purple")], "").await;
    assert!(odd.text.contains("content=\"light dark\""));
}
