//! Finding opponents: refusing challenges, limiting the number of boards, seeking opponents.

use super::tell;

tell! {
    a_challenge_names_who_cannot_play_and_why,
    two_who_look_for_the_same_are_paired,
    whoever_is_at_their_limit_is_paired_as_soon_as_a_board_ends,
    boards_count_down_what_is_sought,
    a_search_is_for_others_with_the_same_options,
    many_who_look_at_once_are_each_paired_once,
    a_search_rests_while_its_owner_is_away,
    a_search_rests_while_its_owner_cannot_be_told,
    every_state_of_a_user_has_a_word_to_those_who_want_something_of_them,
}

mod stories {
    use std::sync::Arc;

    use knotpost_core::admin::UserEdit;
    use knotpost_model::{BounceKind, OutboxKey, Trouble};

    use crate::harness::{DAY, Place, TestApp, edit_user, show_all};

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

    /// Mail to this user comes back for good.
    async fn stop_mail(app: &TestApp, name: &str) {
        let (address, now) = (format!("{name}@{name}.example"), app.app.clock.now());
        let stopped = app.app.store.write(async move |tx| {
            let (status, said) = ("5.1.1".to_owned(), "no such user".to_owned());
            let trouble = Trouble { kind: BounceKind::Hard, status, said };
            tx.insert_bounce(OutboxKey(1), &address, &trouble, now).await?;
            tx.stop_address(&address, "no such user", now).await
        });
        assert!(stopped.await.unwrap());
    }

    pub(super) async fn a_search_rests_while_its_owner_is_away(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.tick().await;
        ok(&app, "osbox seek bob bob-secret 1 -size=3").await;
        ok(&app, "vacation bob bob-secret 5").await;
        let told = ok(&app, "osbox seek bob bob-secret").await;
        assert!(told.contains("rests while you are on vacation"), "{told}");
        let told = ok(&app, "osbox seek cyd cyd-secret 1 -size=3").await;
        assert!(told.contains("looking for opponents for 1 more board"), "{told}");
        assert!(players(&app, 101).await.is_empty());
        let standings = ok(&app, "osbox standings").await;
        let flat = standings.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("This search rests: bob is on vacation until"), "{standings}");
        let seeks = app.get("/api/v1/standings/osbox").await.json()["seeks"].clone();
        assert!(seeks[0]["rests"].is_string() && seeks[1]["rests"].is_null(), "{seeks}");
        app.pass(4 * DAY).await;
        assert!(players(&app, 101).await.is_empty());
        app.pass(DAY + 60_000).await;
        let mut paired = players(&app, 101).await;
        paired.sort();
        assert_eq!(paired, ["bob", "cyd"], "it goes on by itself");
    }

    pub(super) async fn a_search_rests_while_its_owner_cannot_be_told(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        ok(&app, "osbox seek bob bob-secret 1 -size=3").await;
        stop_mail(&app, "bob").await;
        app.clock.advance(8 * DAY);
        app.stay_alive().await;
        app.tick().await;
        ok(&app, "osbox seek ann ann-secret 1 -size=3").await;
        assert!(players(&app, 101).await.is_empty());
        let standings = ok(&app, "osbox standings").await;
        assert!(standings.contains("bob cannot be reached"), "{standings}");
        // Bob looks in, and is told there from then on.
        ok(&app, "osbox limit bob bob-secret").await;
        app.pass(60_000).await;
        let mut paired = players(&app, 101).await;
        paired.sort();
        assert_eq!(paired, ["ann", "bob"]);
    }

    pub(super) async fn every_state_of_a_user_has_a_word_to_those_who_want_something_of_them(place: Place) {
        let names = ["ann", "bob", "cyd", "dan", "eve", "fay"];
        let app = TestApp::with_players(place, &names).await;
        app.tick().await;
        for other in ["bob", "cyd", "dan", "eve"] {
            for line in ["challenge -size=5 ann", "challenge -size=5"] {
                let line = format!("osbox {line} {other}{}", if line.ends_with("ann") { "" } else { " ann" });
                ok(&app, &line).await;
            }
        }
        // The first board of each is over, the second one waits for the other.
        for (number, other) in [(101, "bob"), (103, "cyd"), (105, "dan"), (107, "eve")] {
            for user in ["ann", other] {
                let legal = app.get(&format!("/api/v1/boards/osbox/{number}/legal")).await.json();
                let play = legal["legal"][0].as_str().unwrap().to_owned();
                ok(&app, &format!("osbox move {number} {user} {user}-secret {play}")).await;
            }
            ok(&app, &format!("osbox resign {number} ann ann-secret")).await;
        }
        edit_user(&app.app, "bob", UserEdit::Suspend).await.unwrap();
        stop_mail(&app, "cyd").await;
        ok(&app, "vacation dan dan-secret 5").await;
        edit_user(&app.app, "eve", UserEdit::Delete).await.unwrap();
        // The board that is over, and the one that waits; the boards of users who left are over.
        let words = [
            ("bob", "suspended", 101, Some(102)),
            ("cyd", "Mail to cyd comes back", 103, Some(104)),
            ("dan", "dan is on vacation until", 105, Some(106)),
            ("eve", "eve has left the server", 107, None),
        ];
        for (other, word, over, waiting) in words {
            let is_gone = matches!(other, "bob" | "eve");
            let page = app.post(&format!("message ann ann-secret {other}"), "Hello").await;
            assert!(page.text.contains(word), "message to {other}: {}", page.text);
            assert_eq!(page.outcome() == "200 ok", other == "dan", "{}", page.text);
            let page = app.post(&format!("osbox challenge -size=3 ann {other}"), "").await;
            assert!(page.text.contains(word), "challenge to {other}: {}", page.text);
            assert_eq!(page.outcome() == "200 ok", !is_gone, "{}", page.text);
            let page = app.post(&format!("osbox rematch {over} ann ann-secret"), "").await;
            assert!(page.text.contains(word), "rematch with {other}: {}", page.text);
            assert_eq!(page.outcome() == "200 ok", other == "cyd", "{}", page.text);
            if other == "dan" {
                assert!(page.text.contains("osbox challenge dan ann -size=5"), "{}", page.text);
            }
            let Some(waiting) = waiting else { continue };
            let shown = ok(&app, &format!("osbox show {waiting}")).await;
            assert!(shown.contains(word), "show {other}: {shown}");
            let page = app.get(&format!("/boards/osbox/{waiting}")).await.text;
            let on_page = if other == "dan" { "away until" } else { word };
            assert!(page.contains(on_page), "page of {other}: {page}");
            let table = ok(&app, &format!("osbox games {other}")).await;
            let short = match other {
                "bob" => "bob's turn, suspended",
                "cyd" => "cyd's turn, mail comes back",
                _ => "dan's turn, away until 2026-",
            };
            assert!(table.contains(short), "games {other}: {table}");
            app.work().await;
            app.letters();
            app.mail("ann@ann.example", &format!("osbox chat {waiting} ann ann-secret"), "Hello?").await;
            let letters = app.letters();
            let own = letters.iter().find(|letter| letter.to == "ann@ann.example").unwrap();
            assert!(own.text.contains(word), "mail about {other}: {own}");
        }
        let fine = app.post("message ann ann-secret fay", "Hello").await;
        assert_eq!(fine.outcome(), "200 ok", "{}", fine.text);
    }
}
