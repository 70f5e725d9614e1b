//! What a computer player would do, asked by mail, by a reply and over HTTP.

use super::tell;

tell! {
    a_hint_is_asked_for_by_mail_and_played_by_replying,
    a_hint_over_http_is_the_one_that_was_mailed,
    hints_are_for_the_player_to_move_on_unrated_boards,
    too_many_hints_are_refused,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;

    use crate::harness::{Mailboxes, Page, Place, TestApp};

    /// Ann and bob play Boxilies without ratings, and five moves are left.
    async fn playing(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        begin(&app, "boxilies challenge ann bob --unrated").await;
        app.play_on("boxilies", 101, 4).await;
        app.letters();
        app
    }

    /// What somebody's program gets there.
    async fn get_as(app: &TestApp, path: &str, name: &str) -> Page {
        let login = data_encoding::BASE64.encode(format!("{name}:{name}-secret").as_bytes());
        let request = Request::get(path).header("authorization", format!("Basic {login}"));
        app.send(request.body(Body::empty()).expect("a request")).await
    }

    async fn begin(app: &TestApp, line: &str) {
        let page = app.post(line, "").await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
    }

    pub(super) async fn a_hint_is_asked_for_by_mail_and_played_by_replying(place: Place) {
        let app = playing(place).await;
        let mut boxes = Mailboxes::default();
        app.mail("ann@ann.example", "boxilies hint 101 ann ann-secret", "").await;
        boxes.fill(&app);
        let letter = boxes.top("ann").clone();
        insta::assert_snapshot!("hint", letter);
        let html = letter.html.as_ref().expect("a page");
        let said =
            letter.text.lines().find_map(|line| line.strip_prefix("Hint: a computer player would play "));
        let play = said.expect("a move").trim_end_matches('.').to_owned();
        assert!(html.contains(&format!("would play {play}.")), "{html}");
        assert_eq!(boxes.reply(&app, "ann", "hint").await, "queued");
        boxes.fill(&app);
        assert!(boxes.top("ann").text.contains(&format!("would play {play}.")), "{}", boxes.top("ann"));
        assert_eq!(boxes.reply(&app, "ann", &play).await, "executed");
        let board = app.get("/api/v1/boards/boxilies/101").await.json();
        assert_eq!(board["ply"], 5, "{board}");
    }

    pub(super) async fn a_hint_over_http_is_the_one_that_was_mailed(place: Place) {
        let app = playing(place).await;
        app.mail("ann@ann.example", "boxilies hint 101 ann ann-secret", "").await;
        let mailed = app.letters().remove(0).text;
        let hint = get_as(&app, "/api/v1/boards/boxilies/101/hint", "ann").await;
        assert_eq!(hint.status, 200, "{}", hint.text);
        assert_eq!(hint.header("cache-control"), "no-store");
        let json = hint.json();
        insta::assert_snapshot!("hint_json", serde_json::to_string_pretty(&json).expect("JSON"));
        let play = json["move"].as_str().expect("a move");
        assert!(mailed.contains(&format!("would play {play}.")), "{mailed}");
        assert!(mailed.contains(json["judgement"].as_str().expect("words")), "{mailed}");
        let legal = app.get("/api/v1/boards/boxilies/101/legal").await.json();
        assert!(legal["legal"].as_array().expect("moves").contains(&json["move"]), "{legal}");
    }

    pub(super) async fn hints_are_for_the_player_to_move_on_unrated_boards(place: Place) {
        let app = playing(place).await;
        begin(&app, "osbox challenge -size=3 ann bob").await;
        let ask = async |line: &str| app.post(line, "").await;
        assert_eq!(ask("boxilies hint 101 bob bob-secret").await.outcome(), "409 not_your_turn");
        assert_eq!(ask("boxilies hint 101 cyd cyd-secret").await.outcome(), "403 not_a_player");
        assert_eq!(ask("boxilies hint 101 ann wrong-secret").await.outcome(), "401 bad_credentials");
        assert_eq!(ask("boxilies hint 199 ann ann-secret").await.outcome(), "404 no_such_board");
        assert_eq!(ask("boxilies hint 101 ann").await.outcome(), "400 wrong_arguments");
        let rated = ask("osbox hint 101 ann ann-secret").await;
        assert_eq!(rated.outcome(), "403 not_allowed");
        assert!(rated.text.contains("there are no hints on rated boards"), "{}", rated.text);
        assert!(rated.text.contains("--unrated"), "{}", rated.text);
        let path = "/api/v1/boards/osbox/101/hint";
        assert_eq!(get_as(&app, path, "ann").await.outcome(), "403 not_allowed");
        assert_eq!(app.get(path).await.status, 401);
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "osbox hint 101 ann ann-secret", "").await;
        let refusal = app.letters().remove(0);
        assert!(refusal.text.contains("no hints on rated boards"), "{refusal}");
        app.post("boxilies resign 101 ann ann-secret", "").await;
        assert_eq!(ask("boxilies hint 101 bob bob-secret").await.outcome(), "409 game_over");
    }

    pub(super) async fn too_many_hints_are_refused(place: Place) {
        let app = TestApp::start_with(place, |config| config.limits.enabled = true).await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        begin(&app, "boxilies challenge ann bob --unrated").await;
        app.play_on("boxilies", 101, 6).await;
        for _ in 0..60 {
            let page = app.post("boxilies hint 101 ann ann-secret", "").await;
            assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        }
        let page = app.post("boxilies hint 101 ann ann-secret", "").await;
        assert_eq!(page.outcome(), "429 rate_limited");
        assert!(page.text.contains("too many hints were asked for by you"), "{}", page.text);
        assert!(!page.header("retry-after").is_empty());
    }
}
