//! Resigning out of turn: noted, taken back, happening.

use super::tell;

tell! {
    a_resignation_out_of_turn_waits_for_the_turn,
    words_with_it_wait_as_well,
    words_that_wait_reach_the_others_when_the_account_is_deleted,
    who_asks_first_and_moves_then_has_resigned_already;
    on_postgres: words_that_wait_reach_the_others_when_the_account_is_deleted,
}

mod stories {
    use crate::harness::{Letter, Place, TestApp, show_all};

    async fn begin(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        for play in ["ann ann-secret f1", "bob bob-secret e9"] {
            app.mail("x@x.example", &format!("osbox move 101 {play}"), "").await;
        }
        app.letters();
        app
    }

    pub(super) async fn a_resignation_out_of_turn_waits_for_the_turn(place: Place) {
        let app = begin(place).await;
        app.mail("bob@bob.example", "osbox resign 101 bob bob-secret", "").await;
        app.mail("bob@bob.example", "osbox resign 101 bob bob-secret", "").await;
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret resign", "").await;
        insta::assert_snapshot!("resign_noted_cancelled_noted", show_all(&app.letters()));
        app.clock.advance(60_000);
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f2", "").await;
        insta::assert_snapshot!("resign_happens", show_all(&app.letters()));
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["result"]["reason"], "resignation");
        assert_eq!(board["moves"][3]["auto"], true);
    }

    pub(super) async fn words_with_it_wait_as_well(place: Place) {
        let app = begin(place).await;
        let said = |letters: &[Letter], words: &str| {
            letters.iter().filter(|letter| letter.text.contains(words)).count()
        };
        app.mail("bob@bob.example", "osbox resign 101 bob bob-secret", "Never mind.").await;
        assert!(app.letters()[0].text.contains("What you wrote goes to the others"));
        app.mail("bob@bob.example", "osbox resign 101 bob bob-secret", "").await;
        app.mail("bob@bob.example", "osbox resign 101 bob bob-secret", "Sorry, I must go.").await;
        assert_eq!(said(&app.letters(), "writes:"), 0, "not before it takes effect");
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f2", "Your turn.").await;
        let letters = app.letters();
        assert_eq!(said(&letters, "bob writes:\nSorry, I must go."), 2);
        assert_eq!((said(&letters, "ann writes:\nYour turn."), said(&letters, "Never mind.")), (2, 0));
        let record = app.get("/api/v1/boards/osbox/101/record").await;
        assert!(record.text.contains("Sorry, I must go."), "{}", record.text);
    }

    pub(super) async fn words_that_wait_reach_the_others_when_the_account_is_deleted(place: Place) {
        let app = begin(place).await;
        app.mail("bob@bob.example", "osbox resign 101 bob bob-secret", "Thanks for all the games.").await;
        app.letters();
        app.mail("bob@bob.example", "delete bob bob-secret really", "").await;
        let letters = app.letters();
        let ann: Vec<&Letter> = letters.iter().filter(|letter| letter.to == "ann@ann.example").collect();
        assert!(
            ann.len() == 1 && ann[0].text.contains("bob writes:\nThanks for all the games."),
            "{}",
            show_all(&letters)
        );
        assert_eq!(app.tables().await.rows("submissions").len(), 0);
    }

    pub(super) async fn who_asks_first_and_moves_then_has_resigned_already(place: Place) {
        let app = begin(place).await;
        let noted = app.post("osbox resign 101 bob bob-secret", "").await;
        assert_eq!(noted.outcome(), "200 ok");
        assert_eq!(app.post("osbox move 101 ann ann-secret f2", "").await.outcome(), "200 ok");
        assert_eq!(app.post("osbox move 101 bob bob-secret e10", "").await.outcome(), "409 game_over");
    }
}
