//! Watching boards without playing, and hearing of their end.

use super::tell;

tell! {
    a_watcher_reads_along,
    whoever_watches_all_gets_new_boards_too,
    the_end_is_told_once,
    of_several_boards_those_that_there_are_count,
    a_removed_board_is_told_to_everybody_who_waits;
    on_postgres: the_end_is_told_once,
}

mod stories {
    use crate::harness::{Letter, Place, TestApp, show_all};

    fn to<'a>(letters: &'a [Letter], name: &str) -> Vec<&'a str> {
        let address = format!("{name}@{name}.example");
        letters.iter().filter(|letter| letter.to == address).map(|letter| letter.subject.as_str()).collect()
    }

    pub(super) async fn a_watcher_reads_along(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.letters();
        app.mail("cyd@cyd.example", "osbox subscribe 101 cyd cyd-secret", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "nice to see you here").await;
        app.mail("cyd@cyd.example", "osbox chat 101 cyd cyd-secret", "I am only looking").await;
        app.mail("cyd@cyd.example", "osbox unsub cyd cyd-secret 101", "").await;
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret o7", "").await;
        insta::assert_snapshot!("watching", show_all(&app.letters()));
    }

    pub(super) async fn of_several_boards_those_that_there_are_count(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        for _ in 0..2 {
            app.post("osbox challenge -size=3 ann bob", "").await;
        }
        for line in ["move 102 ann ann-secret f1", "move 102 bob bob-secret o7", "resign 102 ann ann-secret"]
        {
            assert_eq!(app.post(&format!("osbox {line}"), "").await.outcome(), "200 ok", "{line}");
        }
        app.work().await;
        app.letters();
        app.mail("cyd@cyd.example", "osbox subscribe cyd cyd-secret 101 999 998", "").await;
        app.mail("cyd@cyd.example", "osbox notify cyd cyd-secret 101 102 999", "").await;
        insta::assert_snapshot!("several_boards", show_all(&app.letters()));
        for none in ["osbox subscribe cyd cyd-secret 998 999", "osbox notify cyd cyd-secret 998 999"] {
            assert_eq!(app.post(none, "").await.outcome(), "404 no_such_board", "{none}");
        }
        assert_eq!(app.post("osbox notify cyd cyd-secret 102", "").await.outcome(), "409 game_over");
    }

    pub(super) async fn whoever_watches_all_gets_new_boards_too(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.mail("ann@ann.example", "obsidio challenge ann bob", "").await;
        app.mail("cyd@cyd.example", "osbox sub cyd cyd-secret 102", "").await;
        app.mail("cyd@cyd.example", "osbox sub cyd cyd-secret all", "").await;
        app.letters();
        app.mail("ann@ann.example", "osbox challenge -size=3 bob ann", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        app.mail("ann@ann.example", "osbox move 102 ann ann-secret f1", "").await;
        app.mail("ann@ann.example", "obsidio move 101 ann ann-secret c3", "").await;
        let letters = app.letters();
        assert_eq!(
            to(&letters, "cyd"),
            ["New Osbox Board 103 bob", "Osbox Board 101 bob", "Osbox Board 102 bob"]
        );
        let refused = app.post("osbox unsubscribe 101 cyd cyd-secret", "").await;
        assert_eq!(refused.outcome(), "422 bad_value", "{}", refused.text);
        app.mail("cyd@cyd.example", "osbox unsubscribe cyd cyd-secret all", "").await;
        app.letters();
        app.mail("bob@bob.example", "osbox move 102 bob bob-secret o7", "").await;
        assert_eq!(to(&app.letters(), "cyd").len(), 0);
        // A player is no watcher, even one who watches all boards.
        app.post("osbox subscribe ann ann-secret all", "").await;
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "osbox move 102 ann ann-secret f2", "").await;
        let letters = app.letters();
        assert_eq!((to(&letters, "ann").len(), to(&letters, "bob").len()), (1, 1));
        assert!(letters.iter().all(|letter| !letter.text.contains("Subscribers")));
    }

    pub(super) async fn the_end_is_told_once(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan", "eve"]).await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.letters();
        app.mail("cyd@cyd.example", "osbox notify cyd cyd-secret 101", "").await;
        app.mail("dan@dan.example", "osbox notify dan dan-secret", "").await;
        insta::assert_snapshot!("notify_summaries", show_all(&app.letters()));
        // Whoever watches, plays or asked twice hears once.
        app.post("osbox notify eve eve-secret 101", "").await;
        app.post("osbox notify eve eve-secret", "").await;
        app.post("osbox subscribe 101 eve eve-secret", "").await;
        app.post("osbox notify ann ann-secret", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret o7", "").await;
        let letters = app.letters();
        assert!(to(&letters, "dan").is_empty(), "nothing before the end");
        app.mail("ann@ann.example", "osbox resign 101 ann ann-secret", "Enough").await;
        let letters = app.letters();
        for name in ["ann", "bob", "eve"] {
            assert_eq!(to(&letters, name), ["Osbox Board 101 **"], "{name}");
        }
        for name in ["cyd", "dan"] {
            assert_eq!(to(&letters, name), ["Osbox Board 101"], "{name}");
        }
        let cyds: Vec<Letter> = letters.into_iter().filter(|letter| letter.to.starts_with("cyd")).collect();
        insta::assert_snapshot!("notification", show_all(&cyds));
        app.mail("ann@ann.example", "osbox chat 101 ann ann-secret", "See you").await;
        assert_eq!(to(&app.letters(), "cyd").len(), 0, "the end is told once");
        assert_eq!(app.post("osbox notify cyd cyd-secret 101", "").await.outcome(), "409 game_over");
        // Switched off again.
        assert_eq!(app.post("osbox notify dan dan-secret", "").await.outcome(), "200 ok");
        app.post("osbox challenge -size=3 ann bob", "").await;
        for (name, word) in [
            ("ann", "move 102 ann ann-secret f1"),
            ("bob", "move 102 bob bob-secret o7"),
            ("ann", "resign 102 ann ann-secret"),
        ] {
            assert_eq!(app.post(&format!("osbox {word}"), "").await.outcome(), "200 ok", "{name}");
        }
        app.work().await;
        assert!(to(&app.letters(), "dan").iter().all(|subject| *subject == "Osbox Notify summary"));
    }

    pub(super) async fn a_removed_board_is_told_to_everybody_who_waits(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan", "eve"]).await;
        app.post("osbox challenge -size=3 ann bob", "").await;
        app.post("osbox subscribe 101 cyd cyd-secret", "").await;
        app.post("osbox notify dan dan-secret 101", "").await;
        app.post("osbox subscribe eve eve-secret all", "").await;
        app.work().await;
        app.letters();
        app.mail("bob@bob.example", "osbox resign 101 bob bob-secret", "").await;
        let letters = app.letters();
        for name in ["ann", "bob", "cyd", "dan", "eve"] {
            assert_eq!(to(&letters, name), ["Osbox board 101 has been removed"], "{name}");
        }
        for line in
            ["subscribe 101 cyd cyd-secret", "unsubscribe cyd cyd-secret 101", "notify cyd cyd-secret 101"]
        {
            assert_eq!(app.post(&format!("osbox {line}"), "").await.outcome(), "404 no_such_board");
        }
    }
}
