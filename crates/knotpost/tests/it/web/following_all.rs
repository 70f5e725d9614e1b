//! How all boards of a user stand, heard as it changes: what the start page follows.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::Request;
use futures_util::StreamExt;
use serde_json::Value;

use super::browser::Browser;
use super::program::{ask, basic, call, make_key};
use super::tell;
use crate::harness::{Page, Place, TestApp};

tell! {
    the_start_page_says_how_many_boards_wait,
    a_user_hears_of_all_their_boards,
    what_was_known_is_not_told_again,
    users_alone_follow_all_their_boards,
    whoever_logs_out_hears_no_more,
}

/// A stream of events.
struct Stream {
    body: BodyDataStream,
    text: String,
}

impl Stream {
    async fn open(app: &TestApp, headers: &[(&str, &str)], since: &str) -> Self {
        let mut request = Request::get(format!("/api/v1/users/ann/events?since={since}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = app.open(request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// The next event: its id, and how many boards wait; `None`: the stream has ended.
    async fn next(&mut self) -> Option<(String, Value)> {
        tokio::time::timeout(Duration::from_mins(1), self.read()).await.expect("news")
    }

    async fn read(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field =
                    |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                let (name, id, data) = (field("event:"), field("id:"), field("data:"));
                let found = id.zip(data).map(|(id, data)| (id.to_owned(), data.to_owned()));
                assert!(name.is_none_or(|name| name == "boards"), "{event}");
                self.text = String::from(rest);
                if let Some((id, data)) = found {
                    return Some((id, serde_json::from_str::<Value>(&data).unwrap()["waiting"].clone()));
                }
                continue;
            }
            let bytes = self.body.next().await?;
            self.text.push_str(std::str::from_utf8(&bytes.unwrap()).unwrap());
        }
    }
}

async fn playing(place: Place) -> TestApp {
    let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
    app.post("osbox challenge -size=3 ann bob", "").await;
    app
}

/// The state that a start page was made from.
fn state_of(page: &Page) -> &str {
    let (_, rest) = page.text.split_once("/api/v1/users/ann/events?since=").expect("a page that listens");
    rest.split('"').next().unwrap()
}

/// What another process did is told here: the start page is served by any of them.
#[tokio::test]
async fn all_boards_are_told_by_another_server_of_the_same_database_on_postgres() {
    let Some(database) = crate::postgres::database().await else { return };
    let url = database.url().to_owned();
    let one = TestApp::start_with(Place::Postgres(Box::new(database)), |_| {}).await;
    let key = std::fs::read_to_string(one.data.path().join("secret.key")).unwrap();
    let other = TestApp::start_with(Place::Sqlite, |config| {
        config.database.url.0 = url;
        config.secrets.key = key.trim().to_owned().into();
    })
    .await;
    for name in ["ann", "bob"] {
        one.sign_up(name).await;
    }
    let ann = Browser::of(&one, "ann").await.cookie.unwrap();
    let mut heard = Stream::open(&other, &[("cookie", &ann)], "").await;
    assert_eq!(heard.next().await.unwrap().1, 0);
    one.post("osbox challenge -size=3 ann bob", "").await;
    assert_eq!(heard.next().await.unwrap().1, 1);
}

mod stories {
    use super::*;

    pub(super) async fn the_start_page_says_how_many_boards_wait(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.get("/").await;
        assert!(
            page.text.contains("<title>(1) ") && page.text.contains("data-waiting=\"1\""),
            "{}",
            page.text
        );
        assert!(page.text.contains("/assets/home.js?v="));
        app.post("osbox move 101 ann ann-secret f1", "").await;
        let later = ann.get("/").await;
        assert!(!later.text.contains("<title>(") && later.text.contains("data-waiting=\"0\""));
        assert_ne!(state_of(&page), state_of(&later));
        let visitor = app.get("/").await.text;
        assert!(!visitor.contains("home.js") && !visitor.contains("/events?since="));
        let script = app.get("/assets/home.js").await.text;
        let shared = script.split('"').find(|word| word.starts_with("./live.js")).unwrap();
        let file = app.get(&format!("/assets/{}", shared.trim_start_matches("./"))).await;
        assert!(
            file.header("cache-control").contains("immutable"),
            "the import names what is there: {shared}"
        );
    }

    pub(super) async fn a_user_hears_of_all_their_boards(place: Place) {
        let app = playing(place).await;
        let ann = Browser::of(&app, "ann").await.cookie.unwrap();
        let mut heard = Stream::open(&app, &[("cookie", &ann)], "").await;
        let (mut state, waiting) = heard.next().await.unwrap();
        assert_eq!(waiting, 1);
        let commands = [
            ("osbox move 101 ann ann-secret f1", 0),
            ("osbox move 101 bob bob-secret e7", 1),
            // New, and somebody else's.
            ("osbox challenge -size=3 cyd ann", 1),
            ("osbox move 102 cyd cyd-secret f1", 2),
            ("osbox resign 101 ann ann-secret", 1),
        ];
        for (line, waiting) in commands {
            assert_eq!(app.post(line, "").await.outcome(), "200 ok", "{line}");
            let (id, count) = heard.next().await.unwrap();
            assert_eq!(count, waiting, "{line}");
            assert_ne!(id, state, "{line}");
            state = id;
        }
        let page = ask(&app, "GET", "/", &[("cookie", &ann)], "").await;
        assert_eq!(state_of(&page), state, "the page is made from the same");
    }

    pub(super) async fn what_was_known_is_not_told_again(place: Place) {
        let app = playing(place).await;
        let ann = Browser::of(&app, "ann").await.cookie.unwrap();
        let page = ask(&app, "GET", "/", &[("cookie", &ann)], "").await;
        let known = state_of(&page).to_owned();
        let mut heard = Stream::open(&app, &[("cookie", &ann)], &known).await;
        // What happens on a board of others is no news, and words change nothing that the page shows.
        app.post("osbox challenge -size=3 bob cyd", "").await;
        app.post("osbox move 102 bob bob-secret f1", "").await;
        app.post("osbox chat 101 bob bob-secret", "Hello").await;
        app.post("osbox move 101 ann ann-secret f1", "").await;
        let (id, waiting) = heard.next().await.unwrap();
        assert_eq!(waiting, 0, "the first that is told");
        // What the browser heard last counts for more than what its page said.
        let headers = [("cookie", ann.as_str()), ("last-event-id", id.as_str())];
        let mut again = Stream::open(&app, &headers, &known).await;
        app.post("osbox move 101 bob bob-secret e7", "").await;
        assert_eq!(again.next().await.unwrap().1, 1);
    }

    pub(super) async fn users_alone_follow_all_their_boards(place: Place) {
        let app = playing(place).await;
        let path = "/api/v1/users/ann/events";
        assert_eq!(ask(&app, "GET", path, &[], "").await.status, 401);
        for name in ["bob", "cyd"] {
            assert_eq!(
                call(&app, &basic(name), "GET", path, &Value::Null).await.outcome(),
                "403 not_allowed",
                "{name}"
            );
        }
        let page = call(&app, &basic("bob"), "GET", "/api/v1/users/nobody/events", &Value::Null).await;
        assert_eq!(page.outcome(), "403 not_allowed", "who there is, is not told");
        let key = make_key(&app, "ann", &["read"]).await;
        assert_eq!(Stream::open(&app, &[("authorization", &key)], "").await.next().await.unwrap().1, 1);
    }

    pub(super) async fn whoever_logs_out_hears_no_more(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let cookie = ann.cookie.clone().unwrap();
        let mut heard = Stream::open(&app, &[("cookie", &cookie)], "").await;
        heard.next().await.unwrap();
        ann.post("/logout", &[]).await;
        app.post("osbox move 101 ann ann-secret f1", "").await;
        assert_eq!(heard.next().await, None);
        let page = ask(&app, "GET", "/api/v1/users/ann/events", &[("cookie", &cookie)], "").await;
        assert_eq!(page.status, 401);
    }
}
