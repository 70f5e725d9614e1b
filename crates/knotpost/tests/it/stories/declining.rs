//! Declining: resigning before everybody has moved once.

use super::tell;

tell! {
    with_three_players_the_game_begins_again_without_them,
    with_two_players_the_board_is_removed,
    what_the_first_mail_says_is_not_lost_when_somebody_declines;
    on_postgres: what_the_first_mail_says_is_not_lost_when_somebody_declines,
}

mod stories {
    use crate::harness::{Place, TestApp, show_all};

    pub(super) async fn with_three_players_the_game_begins_again_without_them(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob cyd", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        let before = app.get("/api/v1/boards/osbox/101").await;
        let seeds = app.tables().await.rows("boards").to_vec();
        app.letters();
        app.mail("bob@bob.example", "osbox resign 101 bob bob-secret", "Too busy this month.").await;
        let letters = app.letters();
        insta::assert_snapshot!("declined_of_three", show_all(&letters));
        let told: Vec<&str> = letters
            .iter()
            .filter(|letter| letter.to.starts_with("bob@"))
            .map(|letter| letter.subject.as_str())
            .collect();
        assert_eq!(told, ["Osbox Board 101 declined"], "who declines hears of it once");

        let after = app.get("/api/v1/boards/osbox/101").await;
        let board = after.json();
        assert_ne!(before.header("etag"), after.header("etag"));
        assert_ne!(app.tables().await.rows("boards"), seeds, "a new seed");
        let players = board["players"].as_array().unwrap();
        assert_eq!(players.len(), 2);
        assert_eq!(
            (&players[1]["userid"], &players[1]["seat"], &players[1]["name"]),
            (&"cyd".into(), &2.into(), &"Vert".into())
        );
        assert_eq!((&board["ply"], &board["moves"]), (&0.into(), &serde_json::json!([])));
        assert_eq!(app.post("osbox move 101 bob bob-secret f1", "").await.outcome(), "403 not_a_player");
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret o1", "").await;
        assert!(app.letters().iter().all(|letter| !letter.to.starts_with("bob@")), "and watches nothing");
    }

    pub(super) async fn what_the_first_mail_says_is_not_lost_when_somebody_declines(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("osbox challenge ann bob cyd --totaltime=40", "A long game for long evenings.").await;
        let declined = app.post("osbox resign 101 cyd cyd-secret", "Too long for me.").await;
        assert_eq!(declined.outcome(), "200 ok");
        app.work().await;
        let letters = app.letters();
        for reader in ["ann@ann.example", "bob@bob.example"] {
            let told: Vec<_> = letters.iter().filter(|letter| letter.to == reader).collect();
            let [only] = told.as_slice() else { panic!("{}", show_all(&letters)) };
            for words in [
                "A long game for long evenings.",
                "Too long for me.",
                "The challenge came",
                "Limits: loss after",
            ] {
                assert_eq!(only.text.matches(words).count(), 1, "{words}: {}", only.text);
            }
        }
    }

    pub(super) async fn with_two_players_the_board_is_removed(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        app.mail("bob@bob.example", "osbox resign 101 bob bob-secret", "No, thank you.").await;
        insta::assert_snapshot!("declined_of_two", show_all(&app.letters()));
        assert_eq!(app.post("osbox show 101", "").await.outcome(), "404 no_such_board");
        assert_eq!(app.post("osbox move 101 ann ann-secret f1", "").await.outcome(), "404 no_such_board");
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["state"], "removed");
        app.post("osbox challenge ann bob", "").await;
        assert_eq!(
            app.get("/api/v1/boards/osbox/102").await.json()["state"],
            "active",
            "numbers are not used again"
        );
    }
}
