//! What caches are told of answers that depend on who asks.

use knotpost_core::admin::UserEdit;
use knotpost_web::{Role, routes};

use super::browser::Browser;
use super::program::{ask, basic};
use crate::harness::{Page, Place, TestApp, edit_user};

fn stays_private(page: &Page) -> bool {
    ["no-store", "private"].iter().any(|word| page.header("cache-control").contains(word))
}

fn varies(page: &Page) -> bool {
    page.headers.get_all("vary").iter().any(|value| value.to_str().unwrap().contains("cookie, authorization"))
}

/// Some shown board, user and thing of the server.
fn address(path: &str) -> String {
    let path = path.replace("{game}", "osbox").replace("{number}", "101").replace("{userid}", "ann");
    path.replace("{id}", "1").replace("{topic}", "web").replace("{token}", "x").replace("{name}", "x")
}

#[tokio::test]
async fn no_answer_that_depends_on_who_asks_may_be_kept() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    edit_user(&app.app, "ann", UserEdit::Role("admin")).await.unwrap();
    app.post("osbox challenge -size=3 ann bob", "").await;
    let cookie = Browser::of(&app, "ann").await.cookie.unwrap();
    let password = basic("ann");
    let (mut private, mut public) = (0, 0);
    let is_text = |path: &str| !path.ends_with("/events") && path != "/apple-touch-icon.png";
    for route in routes().filter(|route| route.method == "GET" && is_text(route.path)) {
        let path = address(route.path);
        let as_nobody = ask(&app, "GET", &path, &[], "").await;
        for shown in [("cookie", cookie.as_str()), ("authorization", password.as_str())] {
            let page = ask(&app, "GET", &path, &[shown], "").await;
            let depends = (page.status, &page.text) != (as_nobody.status, &as_nobody.text);
            if depends {
                assert!(stays_private(&page), "{path} with {}: {:?}", shown.0, page.headers);
                assert!(varies(&as_nobody) || stays_private(&as_nobody), "{path}: {:?}", as_nobody.headers);
                private += 1;
            } else if !stays_private(&page) {
                public += 1;
            }
            if matches!(route.role, Role::Admin | Role::User) && page.status == 200 {
                assert!(stays_private(&page), "{path} with {}: {:?}", shown.0, page.headers);
            }
        }
    }
    assert!(private > 40 && public > 10, "{private} private, {public} public");
    for path in ["/users/ann", "/standings/osbox", "/games/osbox", "/help/web", "/", "/boards/osbox/101"] {
        let page = ask(&app, "GET", path, &[("cookie", &cookie)], "").await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, "no-store"), "{path}");
    }
    for path in ["/api/v1/tokens", "/api/v1/webhooks", "/api/v1/users/ann"] {
        for shown in [("cookie", cookie.as_str()), ("authorization", password.as_str())] {
            let page = ask(&app, "GET", path, &[shown], "").await;
            assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, "no-store"), "{path}");
        }
    }
    // What is the same for everybody may be kept, whatever a browser sends along.
    let style = ask(&app, "GET", "/help/web", &[], "").await.text.replace("&#x2f;", "/");
    let style =
        style.split("/assets/style").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
    let page = ask(&app, "GET", &format!("/assets/style{style}"), &[("cookie", &cookie)], "").await;
    assert!(page.status == 200 && page.header("cache-control").contains("max-age"), "{:?}", page.headers);
}

#[tokio::test]
async fn an_answer_that_gives_a_cookie_may_not_be_kept() {
    let app = TestApp::with_players(Place::Sqlite, &["ann"]).await;
    let mut browser = Browser::new(&app);
    let page = browser.log_in("ann", "ann-secret").await;
    assert!(!page.header("set-cookie").is_empty() && page.header("cache-control") == "no-store");
    let page = browser.post("/logout", &[]).await;
    assert!(!page.header("set-cookie").is_empty() && page.header("cache-control") == "no-store");
}

#[tokio::test]
async fn a_board_is_told_as_it_stands_whatever_happened_to_it() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    app.post("osbox challenge -size=3 ann bob", "").await;
    let first = app.get("/api/v1/boards/osbox/101").await.json()["players"][0]["userid"].clone();
    let [one, other] = if first == "ann" { ["ann", "bob"] } else { ["bob", "ann"] };
    let said = [
        format!("osbox move 101 {one} {one}-secret propose"),
        format!("osbox move 101 {other} {other}-secret accept"),
    ];
    app.play_on("osbox", 101, 2).await;
    let undone = [
        format!("osbox move 101 {other} {other}-secret undo"),
        format!("osbox move 101 {one} {one}-secret accept"),
    ];
    let mut told = Vec::new();
    let mut steps = vec![None];
    steps.extend(undone.into_iter().chain([String::new()]).chain(said).map(Some));
    for step in steps {
        match step.as_deref() {
            Some("") => {
                app.play_on("osbox", 101, 1).await;
                edit_user(&app.app, "ann", UserEdit::Rename("Ann".to_owned())).await.unwrap();
            }
            Some(line) => assert_eq!(app.post(line, "words").await.outcome(), "200 ok", "{line}"),
            None => {}
        }
        let last = app.get("/api/v1/boards/osbox/101/moves").await.json()["moves"].as_array().unwrap().len();
        for path in ["/api/v1/boards/osbox/101", "/api/v1/boards/osbox/101/board.txt"] {
            let fresh = app.get(&format!("{path}?ply={last}")).await;
            for _ in 0..2 {
                let page = app.get(path).await;
                assert_eq!((page.status, &page.text), (fresh.status, &fresh.text), "{step:?}");
                assert_eq!(page.header("etag"), fresh.header("etag"), "{step:?}");
            }
            told.push(fresh.text);
        }
    }
    told.sort_unstable();
    told.dedup();
    assert!(told.len() > 8, "{told:?}");
}
