//! Moves kept for later.

use super::tell;

tell! { queued_moves_are_played_one_a_turn, a_reply_that_was_not_expected_drops_the_rest }

mod stories {
    use crate::harness::{Place, TestApp, show_all};

    async fn begin(place: Place, queue: &str) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        app.mail("bob@bob.example", &format!("osbox queue 101 bob bob-secret {queue}"), "").await;
        app
    }

    async fn ply(app: &TestApp) -> serde_json::Value {
        app.get("/api/v1/boards/osbox/101").await.json()["ply"].clone()
    }

    pub(super) async fn queued_moves_are_played_one_a_turn(place: Place) {
        let app = begin(place, "if:F:1 e9 e10").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        assert_eq!(ply(&app).await, 2);
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f2", "").await;
        assert_eq!(ply(&app).await, 4);
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f3", "").await;
        assert_eq!(ply(&app).await, 5, "nothing is left to play");
        insta::assert_snapshot!("queue_played", show_all(&app.letters()));
    }

    pub(super) async fn a_reply_that_was_not_expected_drops_the_rest(place: Place) {
        let app = begin(place, "if:f2 e9 e10").await;
        app.letters();
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        assert_eq!(ply(&app).await, 1);
        insta::assert_snapshot!("queue_dropped", show_all(&app.letters()));
    }
}
