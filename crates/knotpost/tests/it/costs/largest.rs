//! What grows with boards: the lists, pictures and records of the largest board of each game, and what a user is told of
//! by feeds, the calendar and the archive.

use axum::body::Body;
use axum::http::Request;
use knotpost_core::identity::{ProvenUser, renew_feed_key, view_feed_key};

use super::spent::{Meter, Spent, print_head};
use super::table::{OF_LARGEST, OF_USER};
use crate::harness::{HOUR, Place, TestApp};

/// The options of the largest board of each game.
const LARGEST: &[(&str, &str)] =
    &[("boxilies", ""), ("obsidio", "-size=11"), ("osbo", "-size=8"), ("osbox", "-size=12")];

/// More boards than a feed tells of.
const BOARDS: usize = 210;

async fn asked(app: &TestApp, request: Request<Body>) -> (Spent, u16) {
    let bytes_in = request.uri().to_string().len();
    let meter = Meter::start(app);
    let (status, answer_bytes) = app.send_any(request).await;
    (meter.stop(app, bytes_in, answer_bytes), status.as_u16())
}

#[tokio::test]
async fn what_is_asked_of_the_largest_boards_costs_no_more_than_its_row() {
    let registry = knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]);
    let games: Vec<&str> = registry.iter().map(|game| game.meta().name).collect();
    assert_eq!(games.len(), LARGEST.len(), "{games:?}");
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    print_head();
    for (game, options) in LARGEST {
        assert!(games.contains(game));
        let page = app.post(&format!("{game} challenge {options} ann bob"), "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        for moves in [0, 4] {
            app.play_on(game, 101, moves).await;
            app.sent();
            for (path, cost) in OF_LARGEST {
                let what = format!("{game} {moves} {path}");
                let uri = format!("/api/v1/boards/{game}/101{path}");
                let (spent, status) = asked(&app, Request::get(uri).body(Body::empty()).unwrap()).await;
                assert!(status < 500, "{what}: {status}");
                spent.print(&what);
                spent.check(*cost, 1, &what);
            }
        }
    }
}

#[tokio::test]
async fn what_a_user_is_told_of_costs_no_more_than_its_row() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    for name in ["ann", "bob"] {
        let page = app.post(&format!("set {name} {name}-secret moves=digest"), "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
    }
    for _ in 0..BOARDS {
        assert_eq!(app.post("osbox challenge -size=4 ann bob", "").await.outcome(), "200 ok");
    }
    for number in 0..BOARDS {
        // Her time runs.
        for play in ["ann ann-secret f1", "bob bob-secret f9"] {
            let page = app.post(&format!("osbox move {} {play}", 101 + number), "words").await;
            assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        }
    }
    app.clock.advance(HOUR);
    app.work().await;
    let ann = app.app.store.read().await.unwrap().find_user("ann").await.unwrap().unwrap();
    let (user, hash) = (ann.id, ann.password_hash.unwrap());
    let proven = ProvenUser { user, userid: ann.userid, hash, key: None, session: None, password_at: None };
    renew_feed_key(&app.app, proven).await.unwrap();
    let key = view_feed_key(&app.app.store, &app.app.secret, user).await.unwrap().unwrap().key;
    print_head();
    for (path, cost) in OF_USER {
        let request = match *path {
            "/settings" => {
                let log_in = Request::post("/login")
                    .header("sec-fetch-site", "same-origin")
                    .header("content-type", "application/x-www-form-urlencoded");
                let page = app.send(log_in.body(Body::from("userid=ann&password=ann-secret")).unwrap()).await;
                let cookie = page.header("set-cookie").split(';').next().unwrap().to_owned();
                let archive = Request::post("/settings")
                    .header("sec-fetch-site", "same-origin")
                    .header("content-type", "application/x-www-form-urlencoded")
                    .header("cookie", cookie);
                archive.body(Body::from("act=archive&present=ann-secret")).unwrap()
            }
            path => Request::get(format!("{path}?key={key}")).body(Body::empty()).unwrap(),
        };
        let (spent, status) = asked(&app, request).await;
        assert_eq!(status, 200, "{path}");
        spent.print(path);
        spent.check(*cost, 1, path);
        assert!(spent.answer_bytes > 20_000, "{path}: the boards are in it: {spent:?}");
    }
}
