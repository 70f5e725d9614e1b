//! Ratings as players meet them: the last mail of a board, the standings, and boards that do not count.

use super::tell;

tell! {
    the_last_mail_says_what_became_of_the_ratings,
    unrated_boards_change_nothing,
    of_three_only_the_winner_wins,
    who_stays_away_becomes_inactive_and_comes_back,
    tables_of_four_players_fit_into_a_mail,
    standings_of_many_are_cut,
    ties_have_a_column_of_their_own;
    on_postgres: the_last_mail_says_what_became_of_the_ratings,
}

mod stories {
    use knotpost_core::admin::{Administrator, Recompute, recompute_ratings};
    use knotpost_core::ratings::rate_board;
    use knotpost_model::{Millis, Rating, Score};
    use knotpost_storage::{NewBoard, NewUser, RatingRow, StoreError};

    use crate::harness::{Letter, Place, TestApp, show_all};

    const DAY_MS: i64 = 24 * 3_600_000;

    /// Begins a board, lets all `players` move once, and the first of them give up.
    async fn lose(app: &TestApp, number: u32, players: &[&str], options: &str) {
        let challenge = format!("osbox challenge {} {options}", players.join(" "));
        assert_eq!(app.post(&challenge, "").await.outcome(), "200 ok", "{challenge}");
        for userid in players {
            let legal = app.get(&format!("/api/v1/boards/osbox/{number}/legal")).await.json();
            let play = legal["legal"][0].as_str().unwrap_or_else(|| panic!("{legal}")).to_owned();
            let line = format!("osbox move {number} {userid} {userid}-secret {play}");
            assert_eq!(app.post(&line, "").await.outcome(), "200 ok", "{line}");
        }
        let loser = players[0];
        let line = format!("osbox resign {number} {loser} {loser}-secret");
        assert_eq!(app.post(&line, "").await.outcome(), "200 ok", "{line}");
    }

    async fn standings(app: &TestApp) -> Letter {
        app.work().await;
        app.letters();
        app.mail("eve@eve.example", "osbox standings", "").await;
        app.letters().remove(0)
    }

    async fn check_history(app: &TestApp) {
        let found = recompute_ratings(
            &app.app.store,
            app.app.clock.as_ref(),
            &Administrator::of_shell("root"),
            "osbox",
            Recompute::Check,
        )
        .await
        .unwrap();
        assert_eq!(found.differences, Vec::<String>::new());
    }

    pub(super) async fn the_last_mail_says_what_became_of_the_ratings(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        insta::assert_snapshot!("standings_before_any_game", standings(&app).await.to_string());
        lose(&app, 101, &["bob", "ann"], "").await;
        app.work().await;
        let last: Vec<Letter> =
            app.letters().into_iter().filter(|letter| letter.subject == "Osbox Board 101").collect();
        insta::assert_snapshot!("last_mail_of_a_rated_board", show_all(&last));
        let page = app.post("osbox show 101", "").await;
        assert!(page.text.contains("ann's rating went up from 1600 to 1800"), "{}", page.text);
        let page = app.post("osbox show 101#1", "").await;
        assert!(!page.text.contains("rating went"), "{}", page.text);
        app.clock.advance(DAY_MS);
        lose(&app, 102, &["cyd", "bob"], "-size=5").await;
        let page = app.post("osbox show 102", "").await;
        assert!(page.text.contains("bob's rating went up from 1400 to 1550"), "{}", page.text);
        assert!(page.text.contains("cyd's rating went down from 1600 to 1300"), "{}", page.text);
        app.post("osbox challenge ann cyd", "").await;
        app.post("osbox limit ann ann-secret 3", "").await;
        app.post("osbox reject bob bob-secret", "").await;
        app.post("osbox seek cyd cyd-secret 2 -size=5 --nagtime=3", "").await;
        insta::assert_snapshot!("standings_after_two_games", standings(&app).await.to_string());
        let json = app.get("/api/v1/standings/osbox").await.json();
        let ann = &json["standings"][1]["lines"][0];
        assert_eq!((&ann["userid"], &ann["rating"], &ann["limit"]), (&"ann".into(), &1800.into(), &3.into()));
        assert_eq!(json["seeks"][0]["terms"], "-size=5 --nagtime=3");
        assert_eq!(app.get("/api/v1/standings/hex").await.status.as_u16(), 404);
        check_history(&app).await;
    }

    pub(super) async fn unrated_boards_change_nothing(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        lose(&app, 101, &["bob", "ann"], "--unrated").await;
        lose(&app, 102, &["ann", "ann"], "").await;
        app.post("osbox challenge ann bob", "").await;
        app.post("osbox resign 103 bob bob-secret", "").await;
        let tables = app.tables().await;
        assert!(tables.rows("ratings").is_empty() && tables.rows("rating_changes").is_empty());
        assert!(!app.post("osbox show 101", "").await.text.contains("rating went"));
        check_history(&app).await;
    }

    pub(super) async fn of_three_only_the_winner_wins(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        lose(&app, 101, &["ann", "bob", "cyd"], "").await;
        assert_eq!(app.post("osbox resign 101 bob bob-secret", "").await.outcome(), "200 ok");
        let page = app.post("osbox show 101", "").await;
        for line in [
            "ann's rating went down from 1600 to 1400",
            "bob's rating went down from 1600 to 1400",
            "cyd's rating went up from 1600 to 1800",
        ] {
            assert!(page.text.contains(line), "{line}: {}", page.text);
        }
        check_history(&app).await;
    }

    pub(super) async fn who_stays_away_becomes_inactive_and_comes_back(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan"]).await;
        lose(&app, 101, &["bob", "ann"], "").await;
        lose(&app, 102, &["cyd", "dan"], "").await;
        app.post("osbox reject bob bob-secret", "").await;
        app.post("osbox challenge cyd ann", "").await;
        app.clock.advance(181 * DAY_MS);
        let away = standings(&app).await;
        insta::assert_snapshot!("standings_after_half_a_year", away.to_string());
        check_history(&app).await;
        app.post("osbox accept bob bob-secret", "").await;
        let page = app.post("osbox standings", "").await;
        let inactive = page.text.split("Inactive").nth(1).unwrap();
        assert!(inactive.contains("bob") && inactive.contains("dan"), "{}", page.text);
        app.post("osbox challenge bob dan", "").await;
        assert!(!app.post("osbox standings", "").await.text.contains("Inactive"));
        check_history(&app).await;
    }

    pub(super) async fn tables_of_four_players_fit_into_a_mail(place: Place) {
        let names = ["adelheid.von.walden", "bartholomew-junior", "clementine-of-oz", "dan"];
        let app = TestApp::with_players(place, &names).await;
        lose(&app, 101, &names, "").await;
        for name in &names[1..3] {
            app.post(&format!("osbox resign 101 {name} {name}-secret"), "").await;
        }
        app.post(&format!("osbox challenge {}", names.join(" ")), "").await;
        app.post(&format!("osbox challenge {} {}", names[3], names[0]), "").await;
        app.work().await;
        app.letters();
        for line in [
            "osbox games",
            "osbox games dan all",
            "osbox history",
            "osbox standings",
            "list osbox osbo",
            "help ratings",
        ] {
            app.mail("dan@dan.example", line, "").await;
        }
        insta::assert_snapshot!("tables_of_four_players", show_all(&app.letters()));
    }

    pub(super) async fn standings_of_many_are_cut(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let stored = app.app.store.write(async move |tx| {
            for number in 0..230 {
                let userid = format!("player{number}");
                let new = NewUser { userid, password_hash: "none".to_owned(), at: Millis(1) };
                let user = tx.insert_user(&new).await?.unwrap();
                let games = if number < 120 { 25 } else { 5 };
                let rating = Rating { rating: 2000.0 - f64::from(number), games, ..Rating::default() };
                let row = RatingRow::of(user, rating, true, Millis(1_795_168_800_000));
                tx.put_rating("osbox", &row).await?;
            }
            Ok::<_, StoreError>(())
        });
        stored.await.unwrap();
        app.post("osbox seek ann ann-secret 3", "").await;
        let text = standings(&app).await.text;
        assert_eq!(text.matches("\n... and more.\n").count(), 2, "{text}");
        assert!(text.contains("\n   1 player0 ") && text.contains(" 100 player99 "), "{text}");
        assert!(text.contains("\nann           3\n"), "{text}");
        assert!(text.lines().count() < 250);
    }

    pub(super) async fn ties_have_a_column_of_their_own(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let stored = app.app.store.write(async move |tx| {
            let [ann, bob] = [tx.find_user("ann").await?.unwrap().id, tx.find_user("bob").await?.unwrap().id];
            let new = NewBoard {
                game: "osbox".to_owned(),
                options: String::new(),
                rules_version: 1,
                seed: [1; 32],
                rated: true,
                position: String::new(),
                scores: String::new(),
                at: Millis(1_795_168_800_000),
                nag_ms: None,
                forfeit_ms: None,
                total_ms: None,
                pairing: None,
            };
            let board = tx.insert_board(500, &new).await?;
            let scores = [(ann, Score::Tied), (bob, Score::Tied)];
            rate_board(tx, "osbox", board, &scores, new.at).await.map(drop)
        });
        stored.await.unwrap();
        insta::assert_snapshot!("standings_with_ties", standings(&app).await.text);
    }
}
