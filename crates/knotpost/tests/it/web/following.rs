//! What happens on a board, heard as it happens.

use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt;

use super::tell;

tell! {
    a_watcher_hears_of_moves_words_and_the_end,
    whoever_comes_back_hears_what_they_missed,
    whatever_changes_a_board_is_told_at_once,
    nobody_watches_what_is_not_there,
}

/// What another process did is told here without looking.
#[tokio::test]
async fn boards_are_told_from_process_to_process_on_postgres() {
    use crate::harness::{Place, TestApp};
    use knotpost_program::worker::work_peers;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio_util::sync::CancellationToken;

    let Some(database) = crate::postgres::database().await else { return };
    let url = database.url().to_owned();
    let one = TestApp::start_with(Place::Postgres(Box::new(database)), |_| {}).await;
    let key = std::fs::read_to_string(one.data.path().join("secret.key")).unwrap();
    let other = TestApp::start_with(Place::Sqlite, |config| {
        config.database.url.0 = url;
        config.secrets.key = key.trim().to_owned().into();
    })
    .await;
    let (stop, mut heard) = (CancellationToken::new(), other.app.signals.boards.subscribe());
    let peers = [&one, &other].map(|app| {
        let told = Arc::new(tokio::sync::Mutex::new(app.app.signals.take_announcements()));
        tokio::spawn(work_peers(Arc::clone(&app.app), told, stop.clone()))
    });
    for name in ["ann", "bob"] {
        one.sign_up(name).await;
    }
    // Told as often as it takes until the other one listens.
    let told = async {
        loop {
            one.post("osbox challenge -size=3 ann bob", "").await;
            if let Ok(board) = tokio::time::timeout(Duration::from_millis(200), heard.recv()).await {
                return board.unwrap();
            }
        }
    };
    let board = tokio::time::timeout(Duration::from_mins(1), told).await.expect("something is heard");
    assert_eq!(board.game, "osbox");
    // What a page of one shows is in sight at the other, too: its mails wait.
    let (ann, now) = (
        one.app.store.read().await.unwrap().find_user("ann").await.unwrap().unwrap().id,
        one.app.clock.now(),
    );
    one.app.signals.note_in_sight(board.clone(), ann, now);
    let seen = async {
        while !other.app.signals.in_sight.has(&board, ann, other.app.clock.now()) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), seen).await.expect("it is told");
    stop.cancel();
    for peer in peers {
        peer.await.unwrap();
    }
}

mod stories {
    use super::*;
    use crate::harness::{DAY, Place, TestApp};

    pub(super) async fn a_watcher_hears_of_moves_words_and_the_end(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=3 ann bob", "").await;
        let request = Request::get("/api/v1/boards/osbox/101/events").body(Body::empty()).unwrap();
        let response = app.open(request).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut heard = response.into_body().into_data_stream();
        let commands = [
            ("osbox move 101 ann ann-secret f1", "", vec!["move"]),
            ("osbox chat 101 bob bob-secret", "Hello", vec!["chat"]),
            ("osbox move 101 bob bob-secret e7", "", vec!["move"]),
            ("osbox move 101 bob bob-secret undo", "", vec!["proposal"]),
            ("osbox move 101 ann ann-secret resign", "", vec!["move", "proposal", "over"]),
        ];
        for (line, body, events) in commands {
            assert_eq!(app.post(line, body).await.outcome(), "200 ok", "{line}");
            for event in events {
                let text = next_event(&mut heard).await;
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
        next_event(&mut response.into_body().into_data_stream()).await
    }

    /// The next event, without what stands before the first: how long to wait before coming back.
    async fn next_event(stream: &mut axum::body::BodyDataStream) -> String {
        loop {
            let bytes = stream.next().await.unwrap().unwrap();
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            if !text.starts_with("retry:") {
                return text;
            }
        }
    }

    fn id_of(event: &str) -> &str {
        event.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id")
    }

    pub(super) async fn whoever_comes_back_hears_what_they_missed(place: Place) {
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

    pub(super) async fn whatever_changes_a_board_is_told_at_once(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=3 ann bob", "").await;
        let mut signs = app.app.signals.boards.subscribe();
        let mut told = || {
            let mut numbers = Vec::new();
            while let Ok(board) = signs.try_recv() {
                numbers.push(board.number);
            }
            numbers
        };
        app.post("osbox move 101 ann ann-secret f1", "").await;
        assert_eq!(told(), [101], "a command");
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret e7", "").await;
        assert_eq!(told(), [101], "a mail whose sender is known");
        app.app.credentials.forget_all();
        app.mail("ann@ann.example", "osbox chat 101 ann ann-secret", "Hello").await;
        assert_eq!(told(), [101], "a mail that waits for its password to be checked");
        app.post("osbox show 101", "").await;
        app.post("osbox move 101 bob bob-secret z99", "").await;
        assert_eq!(told(), [0; 0], "a look and a mistake change nothing");
        app.pass(40 * DAY).await;
        assert!(told().contains(&101), "the clock");
    }

    pub(super) async fn nobody_watches_what_is_not_there(place: Place) {
        let app = TestApp::start_with(place, |_| {}).await;
        assert_eq!(app.get("/api/v1/boards/osbox/7/events").await.outcome(), "404 no_such_board");
    }
}
