//! Accounts for which a program of their owner plays: how they become that, what their keys allow, and how they hear of
//! their boards.

use axum::body::{Body, BodyDataStream};
use axum::http::Request;
use futures_util::StreamExt;
use serde_json::{Value, json};

use super::browser::Browser;
use super::program::{ask, basic, call, make_key};
use super::tell;
use crate::harness::{Place, TestApp};

tell! {
    an_account_of_a_program_is_marked_and_stays_one,
    a_program_plays_unrated_and_looks_for_nobody,
    a_key_for_programs_plays_and_speaks_and_leaves_the_account_alone,
    a_program_hears_of_all_its_boards,
    who_comes_back_hears_what_was_missed_on_every_board,
    an_account_has_a_few_open_streams_at_most;
    on_postgres:
    an_account_of_a_program_is_marked_and_stays_one,
    a_program_hears_of_all_its_boards,
    who_comes_back_hears_what_was_missed_on_every_board,
}

/// A stream of events.
struct Stream {
    body: BodyDataStream,
    waiting: String,
}

/// An event: its name, its id, its data.
type Event = (String, String, Value);

impl Stream {
    async fn open(app: &TestApp, key: &str, last: Option<&str>) -> Self {
        let mut request = Request::get("/api/v1/bot/events").header("authorization", key);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = app.open(request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { body: response.into_body().into_data_stream(), waiting: String::new() }
    }

    async fn next(&mut self) -> Event {
        loop {
            if let Some((event, rest)) = self.waiting.split_once("\n\n") {
                let field = |name: &str| {
                    event
                        .lines()
                        .find_map(|line| line.strip_prefix(name))
                        .unwrap_or_default()
                        .trim()
                        .to_owned()
                };
                let (name, id, data) = (field("event:"), field("id:"), field("data:"));
                let rest = rest.to_owned();
                self.waiting = rest;
                if !data.is_empty() {
                    return (name, id, serde_json::from_str(&data).unwrap());
                }
                continue;
            }
            let bytes = self.body.next().await.expect("the stream goes on").unwrap();
            self.waiting.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// The next events as `turn 101`.
    async fn hear(&mut self, count: usize) -> Vec<String> {
        let mut heard = Vec::new();
        for _ in 0..count {
            let (name, _, data) = self.next().await;
            heard.push(format!("{name} {}", data["number"]));
        }
        heard
    }
}

async fn post(app: &TestApp, line: &str, body: &str) {
    let page = app.post(line, body).await;
    assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
}

/// A server with people, and the account of a program.
async fn with_program(place: Place) -> TestApp {
    let app = TestApp::with_players(place, &["ann", "bob", "robo"]).await;
    post(&app, "set robo robo-secret bot=on", "").await;
    app
}

mod stories {
    use super::*;
    use crate::harness::edit_user;
    use knotpost_core::admin::UserEdit;

    pub(super) async fn an_account_of_a_program_is_marked_and_stays_one(place: Place) {
        let app = TestApp::with_players(place, &["ann", "robo"]).await;
        let wish = json!({ "name": "x", "scopes": ["bot"] });
        let page = call(&app, &basic("robo"), "POST", "/api/v1/tokens", &wish).await;
        assert_eq!(page.outcome(), "403 not_allowed", "{}", page.text);
        post(&app, "osbox challenge ann robo", "").await;
        let page = app.post("set robo robo-secret bot=on", "").await;
        assert_eq!(page.outcome(), "403 not_allowed", "a rated board: {}", page.text);
        app.play_on("osbox", 101, 4).await;
        post(&app, "osbox move 101 ann ann-secret resign", "").await;
        let page = app.post("set robo robo-secret bot=on", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        assert_eq!(app.get("/api/v1/users/robo").await.json()["bot"], true);
        let page = app.get("/users/robo").await;
        assert!(page.text.contains("A computer program plays for robo"), "{}", page.text);
        let page = app.post("osbox standings", "").await;
        assert!(page.text.contains("robo (bot)") && !page.text.contains("ann (bot)"), "{}", page.text);
        let page = app.get("/standings/osbox").await;
        assert_eq!(page.text.matches("computer program").count(), 1, "{}", page.text);
        let page = app.get("/api/v1/standings/osbox").await;
        assert_eq!(page.text.matches("\"bot\":true").count(), 1, "{}", page.text);
        let page = app.post("set robo robo-secret bot=off", "").await;
        assert_eq!(page.outcome(), "403 not_allowed", "{}", page.text);
        assert!(edit_user(&app.app, "robo", UserEdit::Role("admin")).await.is_err());
        edit_user(&app.app, "robo", UserEdit::Role("player")).await.unwrap();
        assert_eq!(app.get("/api/v1/users/robo").await.json().get("bot"), None);
    }

    pub(super) async fn a_program_plays_unrated_and_looks_for_nobody(place: Place) {
        let app = with_program(place).await;
        app.work().await;
        app.letters();
        post(&app, "osbox challenge ann robo", "").await;
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["rated"], false);
        app.work().await;
        let letters = app.letters();
        assert!(letters[0].text.contains("robo is a computer program."), "{}", letters[0].text);
        let page = app.post("osbox seek robo robo-secret 1", "").await;
        assert_eq!(page.outcome(), "403 not_allowed", "{}", page.text);
    }

    pub(super) async fn a_key_for_programs_plays_and_speaks_and_leaves_the_account_alone(place: Place) {
        let app = with_program(place).await;
        let key = make_key(&app, "robo", &["bot"]).await;
        post(&app, "osbox challenge -size=4 robo ann", "").await;
        let board = "/api/v1/boards/osbox/101";
        let page = call(&app, &key, "POST", &format!("{board}/moves"), &json!({ "move": "f1" })).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let page = call(&app, &key, "POST", &format!("{board}/chat"), &json!({ "text": "Good luck" })).await;
        assert_eq!((page.status.as_u16(), page.json()["ok"].clone()), (200, true.into()));
        app.work().await;
        assert!(app.letters().iter().any(|letter| letter.text.contains("Good luck")));
        for (method, path, wish) in [
            ("GET", "/api/v1/tokens", Value::Null),
            ("POST", "/api/v1/tokens", json!({ "name": "x", "scopes": ["bot"] })),
            ("POST", "/api/v1/webhooks", json!({ "url": "https://example.org/", "events": ["turn"] })),
        ] {
            assert_eq!(call(&app, &key, method, path, &wish).await.outcome(), "403 not_allowed", "{path}");
        }
        let own = call(&app, &key, "GET", "/api/v1/users/robo", &Value::Null).await.json();
        assert_eq!(own.get("addresses"), None);
        let reads = make_key(&app, "ann", &["read", "play"]).await;
        for shown in [&reads, &basic("ann")] {
            let page = call(&app, shown, "GET", "/api/v1/bot/events", &Value::Null).await;
            assert_eq!(page.outcome(), "403 not_allowed", "{}", page.text);
        }
        let page = call(&app, &reads, "POST", &format!("{board}/chat"), &json!({ "text": " " })).await;
        assert_eq!(page.outcome(), "400 wrong_arguments");
        // On the settings page the owner of an account makes it one of a program.
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.post("/settings", &[("act", "bot")]).await;
        assert!(page.text.contains("Tick that you are sure"), "{}", page.text);
        ann.post("/settings", &[("act", "bot"), ("sure", "yes")]).await;
        assert_eq!(app.get("/api/v1/users/ann").await.json()["bot"], true);
    }

    pub(super) async fn a_program_hears_of_all_its_boards(place: Place) {
        let app = with_program(place).await;
        let key = make_key(&app, "robo", &["bot"]).await;
        post(&app, "osbox challenge -size=3 robo ann", "").await;
        post(&app, "osbox challenge -size=3 ann robo", "").await;
        let mut stream = Stream::open(&app, &key, None).await;
        let (name, id, data) = stream.next().await;
        assert_eq!((&*name, &data), ("turn", &json!({ "game": "osbox", "number": 101, "ply": 0 })));
        assert!(id.parse::<i64>().is_ok(), "{id}");
        post(&app, "osbox move 102 ann ann-secret f1", "").await;
        assert_eq!(stream.hear(1).await, ["turn 102"]);
        post(&app, "osbox challenge -size=3 robo bob", "").await;
        assert_eq!(stream.hear(2).await, ["start 103", "turn 103"]);
        post(&app, "osbox chat 102 ann ann-secret", "Hello").await;
        assert_eq!(stream.hear(1).await, ["chat 102"]);
        post(&app, "osbox move 102 ann ann-secret propose", "").await;
        assert_eq!(stream.hear(1).await, ["proposal 102"]);
        // What others do on boards of others is not told, nor what the program does itself.
        post(&app, "osbox challenge -size=3 ann bob", "").await;
        post(&app, "osbox move 101 robo robo-secret f1", "").await;
        post(&app, "osbox move 102 ann ann-secret resign", "").await;
        assert_eq!(stream.hear(1).await, ["over 102"]);
    }

    pub(super) async fn who_comes_back_hears_what_was_missed_on_every_board(place: Place) {
        let app = with_program(place).await;
        let key = make_key(&app, "robo", &["bot"]).await;
        post(&app, "osbox challenge -size=3 ann robo", "").await;
        post(&app, "osbox challenge -size=3 robo ann", "").await;
        // So long ago that a clock that differs plays no part.
        app.clock.advance(60_000);
        let (_, id, _) = Stream::open(&app, &key, None).await.next().await;
        app.clock.advance(60_000);
        post(&app, "osbox move 101 ann ann-secret resign", "").await;
        post(&app, "osbox challenge -size=3 robo bob", "").await;
        post(&app, "osbox chat 102 ann ann-secret", "Are you there?").await;
        let mut again = Stream::open(&app, &key, Some(&id)).await;
        let mut heard = again.hear(5).await;
        heard.sort_unstable();
        assert_eq!(heard, ["chat 102", "over 101", "start 103", "turn 102", "turn 103"]);
    }

    pub(super) async fn an_account_has_a_few_open_streams_at_most(place: Place) {
        let app = with_program(place).await;
        let key = make_key(&app, "robo", &["bot"]).await;
        let first = Stream::open(&app, &key, None).await;
        let _others = [Stream::open(&app, &key, None).await, Stream::open(&app, &key, None).await];
        let page = ask(&app, "GET", "/api/v1/bot/events", &[("authorization", &key)], "").await;
        assert_eq!((page.status.as_u16(), page.header("retry-after")), (503, "60"));
        drop(first);
        // The place is free as soon as the server has seen that its client is gone.
        while ask_status(&app, &key).await == 503 {
            tokio::task::yield_now().await;
        }
    }

    async fn ask_status(app: &TestApp, key: &str) -> u16 {
        let request = Request::get("/api/v1/bot/events").header("authorization", key);
        app.open(request.body(Body::empty()).unwrap()).await.status().as_u16()
    }
}
