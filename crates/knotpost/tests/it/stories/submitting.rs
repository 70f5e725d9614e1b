//! Moves in two steps, and boards mailed again.

use super::tell;

tell! {
    a_move_is_seen_before_it_is_played,
    what_was_submitted_is_void_when_the_board_changes,
    a_submission_is_void_in_a_game_that_begins_again,
    no_roll_is_seen_by_submitting,
    who_wants_it_confirms_every_move,
    boards_are_sent_again;
    undeployed:
    no_more_than_fifty_boards_are_sent_again,
}

mod stories {
    use crate::harness::{Place, TestApp, show_all};

    async fn begin(place: Place, challenge: &str) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", challenge, "").await;
        app.letters();
        app
    }

    async fn outcome(app: &TestApp, line: &str) -> String {
        app.post(line, "").await.outcome()
    }

    async fn ply(app: &TestApp, board: &str) -> serde_json::Value {
        app.get(&format!("/api/v1/boards/{board}")).await.json()["ply"].clone()
    }

    pub(super) async fn a_move_is_seen_before_it_is_played(place: Place) {
        let app = begin(place, "osbox challenge ann bob").await;
        app.mail("ann@ann.example", "osbox submit 101 ann ann-secret o7", "first thought").await;
        app.letters();
        app.mail("ann@ann.example", "osbox submit 101 ann ann-secret f1", "second thought").await;
        let seen = app.letters();
        assert_eq!(seen.iter().map(|letter| letter.to.as_str()).collect::<Vec<_>>(), ["ann@ann.example"]);
        insta::assert_snapshot!("submitted", show_all(&seen));
        assert_eq!(ply(&app, "osbox/101").await, 0);
        app.mail("ann@ann.example", "osbox confirm 101 ann ann-secret", "").await;
        insta::assert_snapshot!("confirmed", show_all(&app.letters()));
        assert_eq!(ply(&app, "osbox/101").await, 1);
        assert_eq!(outcome(&app, "osbox submit 101 bob bob-secret e9").await, "200 ok");
        app.work().await;
        app.letters();
        app.mail("bob@bob.example", "osbox confirm 101 bob bob-secret", "words with it").await;
        let told = show_all(&app.letters());
        assert!(told.contains("bob writes:\nwords with it\n"), "{told}");
        app.mail("bob@bob.example", "osbox confirm 101 bob bob-secret", "").await;
        insta::assert_snapshot!("nothing_submitted", show_all(&app.letters()));
    }

    pub(super) async fn what_was_submitted_is_void_when_the_board_changes(place: Place) {
        let app = begin(place, "osbox challenge ann bob").await;
        let steps = [
            ("osbox submit 101 ann ann-secret f1", "200 ok"),
            ("osbox confirm 101 bob bob-secret", "409 nothing_submitted"),
            ("osbox move 101 ann ann-secret f2", "200 ok"),
            ("osbox confirm 101 ann ann-secret", "409 nothing_submitted"),
            ("osbox submit 101 bob bob-secret e9", "200 ok"),
            ("osbox move 101 ann ann-secret undo", "200 ok"),
            ("osbox move 101 bob bob-secret accept", "200 ok"),
            ("osbox confirm 101 ann ann-secret", "409 nothing_submitted"),
            ("osbox move 101 ann ann-secret f3", "200 ok"),
            ("osbox confirm 101 bob bob-secret", "409 nothing_submitted"),
            ("osbox submit 101 bob bob-secret e9", "200 ok"),
            ("osbox resign 101 bob bob-secret", "200 ok"),
            ("osbox confirm 101 bob bob-secret", "404 no_such_board"),
        ];
        for (line, expected) in steps {
            assert_eq!(outcome(&app, line).await, expected, "{line}");
        }
    }

    pub(super) async fn a_submission_is_void_in_a_game_that_begins_again(place: Place) {
        let app = begin(place, "osbox challenge ann bob cyd").await;
        assert_eq!(outcome(&app, "osbox submit 101 ann ann-secret f1").await, "200 ok");
        assert_eq!(outcome(&app, "osbox resign 101 bob bob-secret").await, "200 ok");
        assert_eq!(outcome(&app, "osbox confirm 101 ann ann-secret").await, "409 nothing_submitted");
    }

    pub(super) async fn no_roll_is_seen_by_submitting(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbo challenge ann bob", "").await;
        let first = show_all(&app.letters());
        let (_, play) = first.split_once("osbo move 101 ann PASSWORD ").expect("an example");
        let play = play.lines().next().unwrap_or_default();
        let position = |board: serde_json::Value| board["position"].as_str().unwrap().to_owned();
        let before = position(app.get("/api/v1/boards/osbo/101").await.json());
        assert_eq!(outcome(&app, &format!("osbo submit 101 ann ann-secret {play}")).await, "200 ok");
        app.work().await;
        insta::assert_snapshot!("submitted_roll", show_all(&app.letters()));
        assert_eq!(position(app.get("/api/v1/boards/osbo/101").await.json()), before);
        assert_eq!(outcome(&app, "osbo confirm 101 ann ann-secret").await, "200 ok");
        assert_eq!(ply(&app, "osbo/101").await, 1);
    }

    pub(super) async fn who_wants_it_confirms_every_move(place: Place) {
        let app = begin(place, "obsidio challenge -size=5 ann bob").await;
        assert_eq!(outcome(&app, "obsidio set bob bob-secret confirm=on").await, "200 ok");
        assert_eq!(outcome(&app, "obsidio move 101 ann ann-secret c3").await, "200 ok");
        assert_eq!(outcome(&app, "obsidio move 101 bob bob-secret nonsense").await, "422 illegal_move");
        app.work().await;
        app.letters();
        app.mail("bob@bob.example", "obsidio swap 101 bob bob-secret", "").await;
        insta::assert_snapshot!("swap_submitted", show_all(&app.letters()));
        assert_eq!(ply(&app, "obsidio/101").await, 1);
        assert_eq!(outcome(&app, "obsidio confirm 101 bob bob-secret").await, "200 ok");
        assert_eq!(ply(&app, "obsidio/101").await, 2);
        app.mail("ann@ann.example", "osbox challenge bob ann", "").await;
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret f1").await, "200 ok");
        assert_eq!(ply(&app, "osbox/101").await, 1, "the wish is for one game alone");
    }

    pub(super) async fn boards_are_sent_again(place: Place) {
        let app = begin(place, "osbox challenge ann bob").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "look here").await;
        app.mail("bob@bob.example", "osbo challenge bob ann", "").await;
        app.mail("cyd@cyd.example", "osbox subscribe 101 cyd cyd-secret", "").await;
        app.letters();
        app.mail("bob@bob.example", "resend bob bob-secret", "").await;
        insta::assert_snapshot!("sent_again", show_all(&app.letters()));
        app.mail("ann@ann.example", "resend ann ann-secret osbox", "").await;
        insta::assert_snapshot!("nothing_to_send_again", show_all(&app.letters()));
        app.mail("cyd@cyd.example", "resend cyd cyd-secret osbox 101", "").await;
        let told: Vec<String> =
            app.letters().iter().map(|letter| format!("{}: {}", letter.to, letter.subject)).collect();
        assert_eq!(
            told,
            ["cyd@cyd.example: Osbox Board 101 bob **", "cyd@cyd.example: 1 Osbox board sent again"]
        );
    }

    pub(super) async fn no_more_than_fifty_boards_are_sent_again(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for _ in 0..50 {
            assert_eq!(outcome(&app, "osbox challenge ann bob -size=3").await, "200 ok");
        }
        assert_eq!(outcome(&app, "resend ann ann-secret osbox").await, "200 ok");
        assert_eq!(outcome(&app, "osbo challenge ann bob").await, "200 ok");
        assert_eq!(outcome(&app, "resend ann ann-secret").await, "422 too_much_mail");
        assert_eq!(outcome(&app, "resend ann ann-secret osbo").await, "200 ok");
    }
}
