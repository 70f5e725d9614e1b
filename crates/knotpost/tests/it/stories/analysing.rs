//! Finished games as a computer player sees them, by mail and over HTTP.

use super::tell;

tell! {
    a_finished_game_is_analysed_by_mail,
    a_program_gets_the_figures_of_an_analysis,
    only_finished_boards_are_analysed,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;

    use crate::harness::{Page, Place, TestApp};

    const API: &str = "/api/v1/boards/boxilies/101/analysis";

    /// A game of Boxilies by ann and bob, who always make the first move there is.
    async fn played(place: Place) -> TestApp {
        let app = TestApp::start_with(place, |config| {
            config.inbound.trusted_authserv = vec!["mx.knotpost.example".to_owned()];
        })
        .await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        let page = app.post("boxilies challenge ann bob", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        app.play_on("boxilies", 101, 9).await;
        app.letters();
        app
    }

    async fn get_as(app: &TestApp, path: &str, name: &str) -> Page {
        let login = data_encoding::BASE64.encode(format!("{name}:{name}-secret").as_bytes());
        let request = Request::get(path).header("authorization", format!("Basic {login}"));
        app.send(request.body(Body::empty()).expect("a request")).await
    }

    pub(super) async fn a_finished_game_is_analysed_by_mail(place: Place) {
        let app = played(place).await;
        // Vouched for by its domain: others get the text alone.
        app.mail_aligned("ann@ann.example", "boxilies analyse 101").await;
        app.work().await;
        let letter = app.letters().remove(0);
        assert_eq!(
            (letter.to.as_str(), letter.subject.as_str()),
            ("ann@ann.example", "Boxilies Board 101 Analysis")
        );
        assert!(letter.text.lines().all(|line| line.chars().count() <= 72), "{letter}");
        assert!(letter.text.contains("How good the position was for ann after each move"), "{letter}");
        assert!(letter.text.contains("\nmove      0        9\n"), "{letter}");
        assert_eq!(letter.text.matches('*').count(), 10, "{letter}");
        assert_eq!(letter.text.matches("the move that lost most").count(), 1, "{letter}");
        let html = letter.html.as_ref().expect("a page");
        assert!(html.contains("100 % |") && html.contains("was the move that lost most"), "{html}");
        // By another of its words, and from what is kept.
        app.mail("bob@bob.example", "boxilies analysis 101", "").await;
        assert_eq!(app.letters().remove(0).text, letter.text);
    }

    pub(super) async fn a_program_gets_the_figures_of_an_analysis(place: Place) {
        let app = played(place).await;
        let page = get_as(&app, API, "ann").await;
        assert_eq!(page.status, 200, "{}", page.text);
        let json = page.json();
        let points = json["points"].as_array().expect("points");
        assert_eq!(points.len(), 10);
        let board = app.get("/api/v1/boards/boxilies/101").await.json();
        let winner = board["result"]["winners"][0].as_u64();
        if let Some(seat) = winner {
            assert_eq!(points[9]["value"][seat as usize - 1], 1.0, "{board} {json}");
        }
        // With one move left all is known.
        assert!(points[8]["value"][0] == 1.0 || points[8]["value"][0] == 0.0, "{json}");
        let mistakes = json["mistakes"].as_array().expect("mistakes");
        assert_eq!(mistakes.iter().filter(|mistake| mistake["worst"] == true).count(), 1, "{json}");
        for mistake in mistakes {
            assert!(mistake["before"].as_f64() > mistake["after"].as_f64(), "{mistake}");
            assert_ne!(mistake["better"][0], mistake["move"], "{mistake}");
        }
        assert_eq!(get_as(&app, API, "bob").await.text, page.text);
    }

    pub(super) async fn only_finished_boards_are_analysed(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("boxilies challenge ann bob", "").await;
        let page = app.post("boxilies analyse 101", "").await;
        assert_eq!(page.outcome(), "409 conflict");
        assert!(page.text.contains("is not over yet"), "{}", page.text);
        assert_eq!(app.post("boxilies analyse 199", "").await.outcome(), "404 no_such_board");
        // The lines of one request do not keep a processor for longer than one game.
        let page = app.post("multiple", "boxilies analyse 101\nboxilies analyse 101").await;
        assert_eq!(page.text.matches("Boxilies Board 101 Error").count(), 1, "{}", page.text);
        assert!(page.text.contains("asks for one analysis or twenty hints"), "{}", page.text);
        assert_eq!(get_as(&app, API, "ann").await.outcome(), "409 conflict");
        assert_eq!(app.get(API).await.status, 409);
        assert_eq!(app.get("/boards/boxilies/101/analysis").await.status, 409);
    }
}
