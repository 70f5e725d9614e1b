//! Queries, wrong commands and many commands in one mail.

use super::tell;

tell! {
    errors_say_what_is_wrong_and_what_would_work,
    queries_are_answered_to_whoever_asks,
    one_mail_carries_many_commands,
    more_than_fifty_lines_are_too_many;
    undeployed:
    changes_of_an_account_are_told_to_all_its_addresses,
}

mod stories {
    use crate::harness::{Place, TestApp, show_all};

    pub(super) async fn errors_say_what_is_wrong_and_what_would_work(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        let subjects = [
            "hello there",
            "osbox chalenge ann bob",
            "osbox challenge ann bob -siez=5",
            "osbox challenge ann nobody",
            "hex challenge ann bob",
            "osbox move 101 ann ann-secret",
            "osbox move 101 ann wrong-secret f1",
            "osbox move 101 ann ann-secret f13",
            "osbox move 101 bob bob-secret f9",
        ];
        for subject in subjects {
            app.mail("ann@ann.example", subject, "Some words of my own.").await;
        }
        insta::assert_snapshot!("errors", show_all(&app.letters()));
    }

    pub(super) async fn queries_are_answered_to_whoever_asks(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.mail("ann@ann.example", "osbox challenge ann bob cyd", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret o2", "").await;
        app.letters();
        let subjects = [
            "list",
            "list osbox",
            "osbox games bob next",
            "osbox history",
            "osbox show board 101",
            "osbox show 101#-1 102",
            "osbox show cyd next",
            "osbox preview 101 o8",
            "osbox preview new 2 f1 e9 -size=3",
            "help",
        ];
        for subject in subjects {
            app.mail("someone@elsewhere.example", subject, "").await;
        }
        let letters = app.letters();
        assert!(letters.iter().all(|letter| letter.to == "someone@elsewhere.example"));
        insta::assert_snapshot!("queries", show_all(&letters));
    }

    pub(super) async fn one_mail_carries_many_commands(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.letters();
        let body = "# my moves of today\n\
                    osbox move 101 ann ann-secret f1\n\
                    osbox move 101 ann ann-secret f2\n\
                    > osbox move 101 ann ann-secret f3\n\
                    osbox mvoe 999 ann ann-secret f1\n\
                    frobnicate ann-secret\n\
                    \n\
                    list\n\
                    -- \n\
                    help";
        app.mail("ann@ann.example", "multiple", body).await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| !letter.text.contains("ann-secret")));
        insta::assert_snapshot!("multiple", show_all(&letters));
    }

    pub(super) async fn more_than_fifty_lines_are_too_many(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.mail("ann@ann.example", "multiple", &"osbox challenge ann ann\n".repeat(51)).await;
        let letters = app.letters();
        assert_eq!(
            app.get("/api/v1/boards").await.json()["boards"],
            serde_json::json!([]),
            "none is carried out"
        );
        insta::assert_snapshot!("multiple_too_many", show_all(&letters));
    }

    pub(super) async fn changes_of_an_account_are_told_to_all_its_addresses(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.mail("ann@phone.example", "add ann ann-secret", "").await;
        app.mail("ann@ann.example", "change password ann ann-secret ann-newsecret", "").await;
        app.mail("ann@ann.example", "change address ann ann-newsecret ann@new.example", "").await;
        let letters = app.letters();
        insta::assert_snapshot!("account", show_all(&letters));
    }
}
