//! Looking as a player, and looking over all games.

use super::tell;

tell! {
    players_see_their_own_side,
    one_look_covers_all_games;
    undeployed:
    too_much_mail_is_refused,
}

mod stories {
    use crate::harness::{Place, TestApp, show_all, show_drawn};

    pub(super) async fn players_see_their_own_side(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", "boxilies challenge ann bob", "").await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.letters();
        for subject in [
            "boxilies showas ann ann-secret 101",
            "osbox showas bob bob-secret next",
            "osbox showas ann ann-secret",
            "osbox showas cyd cyd-secret 101",
        ] {
            app.mail("elsewhere@ann.example", subject, "").await;
        }
        let letters = app.letters();
        assert!(letters.iter().all(|letter| letter.to == "elsewhere@ann.example"));
        insta::assert_snapshot!("showas", show_drawn(&letters));
    }

    pub(super) async fn one_look_covers_all_games(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        for line in [
            "osbox challenge -size=3 ann bob",
            "obsidio challenge -size=5 bob ann",
            "osbo challenge -size=3 ann bob cyd",
        ] {
            app.mail("ann@ann.example", line, "").await;
        }
        app.letters();
        for subject in [
            "all show cyd next",
            "all show ann next",
            "all games ann",
            "all games ann cyd next",
            "all games cyd inactive",
        ] {
            app.mail("someone@elsewhere.example", subject, "").await;
        }
        insta::assert_snapshot!("all_games", show_all(&app.letters()));
        assert_eq!(app.post("all show nobody", "").await.outcome(), "404 no_such_user");
        assert_eq!(app.post("all games ann nobody", "").await.outcome(), "404 no_such_user");
    }

    pub(super) async fn too_much_mail_is_refused(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for game in ["osbox", "obsidio"] {
            for _ in 0..21 {
                app.post(&format!("{game} challenge ann bob"), "").await;
            }
        }
        let boards: Vec<String> = (0..41).map(|board| (101 + board).to_string()).collect();
        let repeated: Vec<String> = (0..200).map(|board| (101 + board % 21).to_string()).collect();
        for (line, outcome) in [
            ("osbox show ann".to_owned(), "200 ok"),
            ("osbox showas ann ann-secret".to_owned(), "200 ok"),
            ("all show ann".to_owned(), "422 too_much_mail"),
            ("all show ann next".to_owned(), "422 too_much_mail"),
            ("all games ann".to_owned(), "200 ok"),
            (format!("osbox show {}", boards.join(" ")), "422 too_much_mail"),
            (format!("osbox showas ann ann-secret {}", boards.join(" ")), "422 too_much_mail"),
            (format!("osbox subscribe ann ann-secret {}", boards.join(" ")), "422 too_much_mail"),
            (format!("osbox show {}", repeated.join(" ")), "200 ok"),
            ("osbox show".to_owned(), "422 too_much_mail"),
            ("osbox show next".to_owned(), "422 too_much_mail"),
        ] {
            let answer = app.post(&line, "").await;
            assert_eq!(answer.outcome(), outcome, "{line}: {}", answer.text);
        }
    }
}
