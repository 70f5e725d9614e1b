//! Finding opponents: refusing challenges, limiting the number of boards, seeking opponents.

use super::tell;

tell! {
    a_challenge_names_who_cannot_play_and_why,
    two_who_look_for_the_same_are_paired,
    whoever_is_at_their_limit_is_paired_as_soon_as_a_board_ends,
    boards_count_down_what_is_sought,
    a_search_is_for_others_with_the_same_options,
    many_who_look_at_once_are_each_paired_once,
}

mod stories {
    use std::sync::Arc;

    use crate::harness::{Place, TestApp, show_all};

    async fn ok(app: &TestApp, line: &str) -> String {
        let page = app.post(line, "").await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        page.text
    }

    /// The players of a board in the order of their seats.
    async fn players(app: &TestApp, number: u32) -> Vec<String> {
        let board = app.get(&format!("/api/v1/boards/osbox/{number}")).await.json();
        let players = board["players"].as_array().cloned().unwrap_or_default();
        players.iter().map(|player| player["userid"].as_str().unwrap().to_owned()).collect()
    }

    pub(super) async fn a_challenge_names_who_cannot_play_and_why(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan"]).await;
        app.mail("bob@bob.example", "osbox reject bob bob-secret", "").await;
        app.mail("cyd@cyd.example", "osbox limit cyd cyd-secret 1", "").await;
        app.mail("cyd@cyd.example", "osbox challenge ann cyd", "").await;
        app.mail("cyd@cyd.example", "osbox limit cyd cyd-secret", "").await;
        app.mail("ann@ann.example", "osbox challenge ann bob cyd nobody", "").await;
        app.mail("cyd@cyd.example", "osbox limit cyd cyd-secret none", "").await;
        app.mail("bob@bob.example", "osbox accept bob bob-secret", "").await;
        let letters: Vec<_> =
            app.letters().into_iter().filter(|letter| !letter.subject.starts_with("New")).collect();
        insta::assert_snapshot!("refused_challenges", show_all(&letters));
        ok(&app, "osbox challenge ann bob cyd").await;
        ok(&app, "osbox limit ann ann-secret 0").await;
        let page = app.post("osbox challenge ann bob", "").await;
        assert_eq!(page.outcome(), "422 invalid_challenge");
        assert!(page.text.contains("At their limit: ann"), "{}", page.text);
        ok(&app, "osbo challenge ann bob").await;
    }

    pub(super) async fn two_who_look_for_the_same_are_paired(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox seek ann ann-secret 1 -si=5 --unrated", "").await;
        app.mail("ann@ann.example", "osbox seek ann ann-secret", "").await;
        app.mail("bob@bob.example", "osbox seek bob bob-secret 2 --unrated -size=5", "").await;
        app.mail("bob@bob.example", "osbox seek bob bob-secret 0", "").await;
        app.mail("bob@bob.example", "osbox seek bob bob-secret", "").await;
        insta::assert_snapshot!("paired", show_all(&app.letters()));
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["rated"], &board["options"]), (&false.into(), &"-size=5".into()));
        assert!(app.tables().await.rows("seeks").is_empty());
    }

    pub(super) async fn whoever_is_at_their_limit_is_paired_as_soon_as_a_board_ends(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        ok(&app, "osbox challenge ann cyd").await;
        ok(&app, "osbox limit ann ann-secret 1").await;
        assert!(ok(&app, "osbox seek ann ann-secret 1").await.contains("No opponent is found for you"));
        ok(&app, "osbox seek bob bob-secret 1").await;
        assert_eq!(players(&app, 102).await, Vec::<String>::new());
        for userid in ["ann", "cyd"] {
            let legal = app.get("/api/v1/boards/osbox/101/legal").await.json();
            let play = legal["legal"][0].as_str().unwrap().to_owned();
            ok(&app, &format!("osbox move 101 {userid} {userid}-secret {play}")).await;
        }
        ok(&app, "osbox resign 101 ann ann-secret").await;
        let mut paired = players(&app, 102).await;
        paired.sort();
        assert_eq!(paired, ["ann", "bob"]);
        app.work().await;
        let new =
            app.letters().into_iter().filter(|letter| letter.subject.starts_with("New Osbox Board 102"));
        assert_eq!(new.count(), 2);
    }

    pub(super) async fn boards_count_down_what_is_sought(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan"]).await;
        ok(&app, "osbox seek ann ann-secret 2").await;
        ok(&app, "osbox challenge ann ann").await;
        ok(&app, "osbo challenge ann bob").await;
        assert!(
            ok(&app, "osbox seek ann ann-secret").await.contains("for 2 more boards"),
            "solo, other game"
        );
        ok(&app, "osbox challenge bob ann -size=3").await;
        assert!(ok(&app, "osbox seek ann ann-secret").await.contains("for 1 more board "));
        // A player who refuses is not found; one who takes challenges again is found by those who wait.
        ok(&app, "osbox reject ann ann-secret").await;
        ok(&app, "osbox seek cyd cyd-secret 3").await;
        assert!(ok(&app, "osbox standings").await.contains("Looking for opponents"));
        let text = ok(&app, "osbox accept ann ann-secret").await;
        assert!(text.contains("\"boards\""), "{text}");
        let mut paired = players(&app, 103).await;
        paired.sort();
        assert_eq!(paired, ["ann", "cyd"]);
        assert!(ok(&app, "osbox seek ann ann-secret").await.contains("You are not looking"));
        assert!(ok(&app, "osbox seek cyd cyd-secret").await.contains("for 2 more boards"));
        ok(&app, "osbox seek dan dan-secret 5").await;
        assert!(ok(&app, "osbox seek cyd cyd-secret").await.contains("for 1 more board "), "one with each");
    }

    pub(super) async fn a_search_is_for_others_with_the_same_options(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan", "eve"]).await;
        for line in [
            "seek ann ann-secret 1 -size=5",
            "seek ann ann-secret 1 -size=5",
            "seek bob bob-secret 1",
            "seek cyd cyd-secret 1 -size=5 --unrated",
            "seek dan dan-secret 1 -size=5 --forfeittime=10",
        ] {
            ok(&app, &format!("osbox {line}")).await;
        }
        assert!(app.tables().await.rows("boards").is_empty());
        assert_eq!(app.tables().await.rows("seeks").len(), 4);
        // Defaults that are given are no other options.
        ok(&app, "osbox seek eve eve-secret 1 -size=4").await;
        let mut paired = players(&app, 101).await;
        paired.sort();
        assert_eq!(paired, ["bob", "eve"]);
    }

    pub(super) async fn many_who_look_at_once_are_each_paired_once(place: Place) {
        let names: Vec<String> = (0..8).map(|number| format!("player{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let app = Arc::new(TestApp::with_players(place, &names).await);
        let seeks: Vec<_> = names
            .iter()
            .map(|name| {
                let (app, line) = (Arc::clone(&app), format!("osbox seek {name} {name}-secret 1"));
                tokio::spawn(async move { app.post(&line, "").await.outcome() })
            })
            .collect();
        for seek in seeks {
            assert_eq!(seek.await.unwrap(), "200 ok");
        }
        let mut seated = Vec::new();
        for number in 101..105 {
            seated.extend(players(&app, number).await);
        }
        seated.sort();
        assert_eq!(seated, names);
        let tables = app.tables().await;
        assert_eq!((tables.rows("boards").len(), tables.rows("seeks").len()), (4, 0));
    }
}
