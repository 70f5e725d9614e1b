//! What happens on a board, heard as it happens.

use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt;

use super::tell;

tell! {
    a_watcher_hears_of_moves_words_and_the_end,
    who_comes_back_hears_what_he_missed,
    nobody_watches_what_is_not_there,
}

mod stories {
    use super::*;
    use crate::harness::{Place, TestApp};

    pub(super) async fn a_watcher_hears_of_moves_words_and_the_end(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=3 ann bob", "").await;
        let request = Request::get("/api/v1/boards/osbox/101/events").body(Body::empty()).unwrap();
        let response = app.open(request).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut heard = response.into_body().into_data_stream();
        let deeds = [
            ("osbox move 101 ann ann-secret f1", "", vec!["move"]),
            ("osbox chat 101 bob bob-secret", "Hello", vec!["chat"]),
            ("osbox move 101 bob bob-secret e7", "", vec!["move"]),
            ("osbox move 101 bob bob-secret undo", "", vec!["proposal"]),
            ("osbox move 101 ann ann-secret resign", "", vec!["move", "proposal", "over"]),
        ];
        for (line, body, events) in deeds {
            assert_eq!(app.post(line, body).await.outcome(), "200 ok", "{line}");
            for event in events {
                let bytes = heard.next().await.unwrap().unwrap();
                let text = String::from_utf8(bytes.to_vec()).unwrap();
                assert!(text.contains(&format!("event: {event}\n")), "{line}: {text}");
            }
        }
    }

    /// The first event of a stream.
    async fn first_event(app: &TestApp, query: &str, last: Option<&str>) -> String {
        let mut request = Request::get(format!("/api/v1/boards/osbox/101/events{query}"));
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = app.open(request.body(Body::empty()).unwrap()).await;
        let bytes = response.into_body().into_data_stream().next().await.unwrap().unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    fn id_of(event: &str) -> &str {
        event.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id")
    }

    pub(super) async fn who_comes_back_hears_what_he_missed(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=3 ann bob", "").await;
        let page = app.get("/boards/osbox/101").await.text;
        let (_, rest) = page.split_once("events?since=").expect("a page that listens");
        let opened = rest.split('"').next().unwrap().to_owned();
        app.post("osbox move 101 ann ann-secret f1", "").await;
        let event = first_event(&app, &format!("?since={opened}"), None).await;
        assert!(event.contains("event: move\n") && event.contains("\"ply\":1"), "{event}");
        let heard = id_of(&event).to_owned();
        app.post("osbox chat 101 bob bob-secret", "Hello").await;
        // What the browser heard last counts for more than what its page said.
        let event = first_event(&app, &format!("?since={opened}"), Some(&heard)).await;
        assert!(event.contains("event: chat\n"), "{event}");
        assert_ne!(id_of(&event), heard);
    }

    pub(super) async fn nobody_watches_what_is_not_there(place: Place) {
        let app = TestApp::start_with(place, |_| {}).await;
        assert_eq!(app.get("/api/v1/boards/osbox/7/events").await.outcome(), "404 no_such_board");
    }
}
