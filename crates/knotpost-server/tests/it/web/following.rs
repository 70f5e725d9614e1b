//! What happens on a board, heard as it happens.

use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt;

use super::tell;

tell! { a_watcher_hears_of_moves_words_and_the_end, nobody_watches_what_is_not_there }

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

    pub(super) async fn nobody_watches_what_is_not_there(place: Place) {
        let app = TestApp::start_with(place, |_| {}).await;
        assert_eq!(app.get("/api/v1/boards/osbox/7/events").await.outcome(), "404 no_such_board");
    }
}
