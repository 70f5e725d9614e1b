//! Profiles by mail: what is known of a player, and the list of players.

use super::tell;

tell! {
    a_player_is_known_by_their_games,
    words_about_oneself_are_one_line_and_can_be_removed,
    players_are_listed_by_name;
    on_postgres: a_player_is_known_by_their_games, words_about_oneself_are_one_line_and_can_be_removed,
    players_are_listed_by_name,
}

mod stories {
    use knotpost_core::admin::UserEdit;

    use crate::harness::{DAY, HOUR, Place, TestApp, edit_user, show_all};

    async fn ok(app: &TestApp, line: &str, body: &str) -> String {
        let page = app.post(line, body).await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        page.text
    }

    pub(super) async fn a_player_is_known_by_their_games(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("cyd@cyd.example", "profile ann", "").await;
        // Ann answers after three hours, bob after a day and an hour.
        ok(&app, "osbox challenge ann bob", "").await;
        for turn in 0..14 {
            app.pass(if turn % 2 == 0 { 2 * HOUR } else { DAY }).await;
            app.play_on("osbox", 101, 1).await;
        }
        ok(&app, "osbox resign 101 ann ann-secret", "").await;
        ok(&app, "obsidio challenge -size=5 ann bob --unrated", "").await;
        app.play_on("obsidio", 101, 4).await;
        // Whoever moves next loses on time.
        for _ in 0..23 {
            app.pass(DAY).await;
        }
        // Games against the computer and oneself do not count.
        ok(&app, "osbox challenge -size=3 ann ann", "").await;
        app.play_on("osbox", 102, 3).await;
        ok(&app, "osbox resign 102 ann ann-secret", "").await;
        ok(&app, "about ann ann-secret", "I like knots.").await;
        app.work().await;
        app.letters();
        app.mail("cyd@cyd.example", "profile ann", "").await;
        app.mail("cyd@cyd.example", "profile bob ann", "").await;
        app.mail("cyd@cyd.example", "profile cyd bob", "").await;
        app.mail("cyd@cyd.example", "profile ann ANN", "").await;
        app.mail("cyd@cyd.example", "profile nobody", "").await;
        insta::assert_snapshot!("profiles", show_all(&app.letters()));
        let user = app.get("/api/v1/users/ann").await.json();
        assert_eq!((&user["about"], &user["finished"]), (&"I like knots.".into(), &2.into()), "{user}");
        assert_eq!(user["answers_after_ms"], 3 * HOUR, "{user}");
        assert_eq!(user["form"], serde_json::json!(["lost", "lost"]), "{user}");
        assert_eq!(user["lost_on_time"], 1, "{user}");
    }

    pub(super) async fn words_about_oneself_are_one_line_and_can_be_removed(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "about ann ann-secret", "").await;
        app.mail("ann@ann.example", "about ann ann-secret", "Slow,\nbut <b>steady</b>  .").await;
        app.mail("ann@ann.example", "about ann ann-secret", &"x".repeat(301)).await;
        app.mail("ann@ann.example", "about ann ann-secret bold", "").await;
        app.mail("bob@bob.example", "about ann bob-secret", "Somebody else").await;
        app.mail("bob@bob.example", "profile ann", "").await;
        app.mail("ann@ann.example", "about ann ann-secret none", "").await;
        insta::assert_snapshot!("about", show_all(&app.letters()));
        ok(&app, "about ann ann-secret", "Bad words").await;
        assert!(app.get("/users/ann").await.text.contains("Bad words"));
        edit_user(&app.app, "ann", UserEdit::DropAbout).await.unwrap();
        assert!(!app.get("/users/ann").await.text.contains("Bad words"));
        assert!(!ok(&app, "profile ann", "").await.contains("Bad words"));
        ok(&app, "about ann ann-secret", "Once more").await;
        edit_user(&app.app, "ann", UserEdit::Delete).await.unwrap();
        assert!(app.tables().await.rows("profiles").is_empty());
    }

    pub(super) async fn players_are_listed_by_name(place: Place) {
        let app = TestApp::with_players(place, &["ann", "andy", "bob", "cyd"]).await;
        ok(&app, "osbox challenge ann bob", "").await;
        edit_user(&app.app, "cyd", UserEdit::Suspend).await.unwrap();
        app.work().await;
        app.letters();
        app.mail("bob@bob.example", "players", "").await;
        app.mail("bob@bob.example", "players AN", "").await;
        app.mail("bob@bob.example", "players x", "").await;
        insta::assert_snapshot!("players", show_all(&app.letters()));
        let page = app.get("/users").await.text;
        let at =
            |name: &str| page.find(&format!("href=\"/users/{name}\"")).unwrap_or_else(|| panic!("{page}"));
        assert!(at("andy") < at("ann") && at("ann") < at("bob"), "{page}");
        assert!(!page.contains("/users/cyd"), "{page}");
        let page = app.get("/users?q=An").await.text;
        assert!(page.contains("/users/andy") && !page.contains("/users/bob"), "{page}");
        let page = app.get("/users?q=an&after=andy").await.text;
        assert!(page.contains("/users/ann") && !page.contains("href=\"/users/andy\""), "{page}");
        let page = app.get("/users?q=%3Cb%3E").await.text;
        assert!(page.contains("No player's name begins with") && !page.contains("<b>"), "{page}");
        // The picture comes of the name alone.
        let one = app.get("/users/Ann/knot.svg").await;
        assert_eq!(one.status, 200);
        assert_eq!(one.header("content-type"), "image/svg+xml");
        assert_eq!(one.text, app.get("/users/ann/knot.svg").await.text);
        assert_ne!(one.text, app.get("/users/bob/knot.svg").await.text);
    }
}
