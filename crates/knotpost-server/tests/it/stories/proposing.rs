//! Draws by agreement and moves taken back.

use super::tell;

tell! {
    a_draw_is_proposed_rejected_and_agreed_on,
    a_move_is_taken_back_when_the_others_agree,
    with_three_players_both_others_must_agree,
    a_swap_taken_back_gives_the_sides_back,
}

mod stories {
    use crate::harness::{Place, TestApp, show_all};

    async fn begin(place: Place, challenge: &str, moves: &[&str]) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", challenge, "").await;
        for play in moves {
            assert_eq!(app.post(play, "").await.outcome(), "200 ok", "{play}");
        }
        app.work().await;
        app.letters();
        app
    }

    const OPENING: [&str; 2] = ["osbox move 101 ann ann-secret f1", "osbox move 101 bob bob-secret e9"];

    async fn outcome(app: &TestApp, line: &str) -> String {
        app.post(line, "").await.outcome()
    }

    pub(super) async fn a_draw_is_proposed_rejected_and_agreed_on(place: Place) {
        let app = begin(place, "osbox challenge ann bob", &OPENING).await;
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret propose", "Shall we?").await;
        insta::assert_snapshot!("draw_proposed", show_all(&app.letters()));
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret accept").await, "409 already_proposed");
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret propose").await, "409 already_proposed");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret undo").await, "409 already_proposed");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret reject").await, "200 ok");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret accept").await, "409 nothing_proposed");
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret propose").await, "200 ok");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret f2").await, "200 ok");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret accept").await, "409 nothing_proposed");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret propose").await, "200 ok");
        app.work().await;
        app.letters();
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret accept", "").await;
        insta::assert_snapshot!("draw_agreed", show_all(&app.letters()));
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["state"], &board["result"]["tie"]), (&"over".into(), &true.into()));
        assert_eq!(board["result"]["reason"], "agreement");
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret e10").await, "409 game_over");
        let mut replayed = knotpost_server::service::Replayed::default();
        while knotpost_server::service::replay_next(&app.app, &mut replayed).await.unwrap() {}
        assert_eq!(replayed.differences, []);
    }

    pub(super) async fn a_move_is_taken_back_when_the_others_agree(place: Place) {
        let app = begin(place, "osbox challenge ann bob", &OPENING[..1]).await;
        let before = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(outcome(&app, OPENING[1]).await, "200 ok");
        app.work().await;
        app.letters();
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret undo", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret accept", "").await;
        insta::assert_snapshot!("undo_agreed", show_all(&app.letters()));
        let after = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&after["ply"], &after["position"]), (&before["ply"], &before["position"]));
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret f9#2").await, "200 ok");
    }

    pub(super) async fn with_three_players_both_others_must_agree(place: Place) {
        let app = begin(place, "osbo challenge ann bob cyd", &[]).await;
        assert_eq!(outcome(&app, "osbo move 101 cyd cyd-secret propose").await, "200 ok");
        assert_eq!(outcome(&app, "osbo move 101 ann ann-secret accept").await, "200 ok");
        assert_eq!(outcome(&app, "osbo move 101 ann ann-secret accept").await, "409 already_proposed");
        app.work().await;
        let texts: Vec<String> = app.letters().into_iter().map(|letter| letter.text).collect();
        assert!(texts.iter().any(|text| text.contains("Still to accept or reject: bob.")), "{texts:?}");
        assert_eq!(outcome(&app, "osbo move 101 bob bob-secret accept").await, "200 ok");
        let board = app.get("/api/v1/boards/osbo/101").await.json();
        assert_eq!(board["result"]["placings"], serde_json::json!([1, 1, 1]));
    }

    pub(super) async fn a_swap_taken_back_gives_the_sides_back(place: Place) {
        let moves = ["obsidio move 101 ann ann-secret e5", "obsidio swap 101 bob bob-secret"];
        let app = begin(place, "obsidio challenge ann bob", &moves).await;
        assert_eq!(outcome(&app, "obsidio move 101 ann ann-secret propose").await, "422 not_supported");
        assert_eq!(outcome(&app, "obsidio move 101 bob bob-secret undo").await, "200 ok");
        assert_eq!(outcome(&app, "obsidio move 101 ann ann-secret accept").await, "200 ok");
        let board = app.get("/api/v1/boards/obsidio/101").await.json();
        assert_eq!((&board["players"][0]["userid"], &board["to_move"][0]), (&"ann".into(), &"bob".into()));
        assert_eq!(outcome(&app, "obsidio swap 101 bob bob-secret").await, "200 ok");
    }
}
