//! Reminders and losses on time, over simulated weeks.

use super::tell;

tell! {
    reminders_come_after_a_week_and_daily_until_the_time_is_up,
    a_board_may_have_hours_instead_of_weeks,
    who_uses_more_than_the_total_time_loses,
    nobody_loses_a_game_that_they_have_not_begun,
    with_three_players_the_others_play_on,
    nobody_is_reminded_of_a_move_they_have_made,
    moves_that_follow_each_other_soon_leave_the_clock_alone,
    a_move_that_came_in_time_counts_late_as_it_is_read,
    limits_that_make_no_sense_are_refused,
    hours_hold_once_everybody_has_moved,
    who_sought_hours_has_hours,
}

mod stories {
    use crate::harness::{DAY, HOUR, Letter, Place, TestApp, show_all};

    fn subjects(letters: &[Letter]) -> Vec<String> {
        letters.iter().map(|letter| format!("{}: {}", letter.to, letter.subject)).collect()
    }

    pub(super) async fn reminders_come_after_a_week_and_daily_until_the_time_is_up(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 101, 3).await;
        app.letters();
        app.pass(7 * DAY - HOUR).await;
        assert_eq!(app.letters().len(), 0, "an hour is left");
        app.pass(HOUR).await;
        insta::assert_snapshot!("reminded", show_all(&app.letters()));
        app.pass(DAY - HOUR).await;
        assert_eq!(app.letters().len(), 0, "once a day");
        app.pass(HOUR).await;
        assert_eq!(subjects(&app.letters()), ["bob@bob.example: Nag: Osbox Board 101 bob"]);
        app.pass(13 * DAY - HOUR).await;
        assert_eq!(app.letters().len(), 12);
        app.pass(HOUR).await;
        insta::assert_snapshot!("forfeited", show_all(&app.letters()));
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["state"], &board["result"]["reason"]), (&"over".into(), &"forfeit".into()));
        assert_eq!(board["result"]["winners"], serde_json::json!([1]));
        app.pass(30 * DAY).await;
        assert_eq!(app.letters().len(), 0, "a game that is over waits for nobody");
        assert_eq!(app.post("osbox move 101 bob bob-secret f1", "").await.outcome(), "409 game_over");
    }

    pub(super) async fn moves_that_follow_each_other_soon_leave_the_clock_alone(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        let look = async || {
            let board = app.app.store.read().await.unwrap().find_board("osbox", 101).await.unwrap().unwrap();
            board.due_at.unwrap() - board.last_move_at.unwrap_or(board.started_at.0)
        };
        assert_eq!(look().await, 7 * DAY);
        // An hour passes before each.
        app.play_on("osbox", 101, 1).await;
        assert_eq!(look().await, 7 * DAY - HOUR, "as it was");
        app.play_on("osbox", 101, 1).await;
        assert_eq!(look().await, 7 * DAY, "two hours are too early");
        app.play_on("osbox", 101, 1).await;
        app.letters();
        app.pass(7 * DAY - HOUR).await;
        assert_eq!(app.letters().len(), 0, "looked at in vain");
        assert_eq!(look().await, 7 * DAY, "and put off");
        app.pass(HOUR).await;
        assert_eq!(subjects(&app.letters()), ["bob@bob.example: Nag: Osbox Board 101 bob"]);
    }

    pub(super) async fn a_board_may_have_hours_instead_of_weeks(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob --nagtime=0.25 --forfeittime=0,5", "").await;
        app.post("osbox challenge -size=4 ann bob --forfeittime=3", "").await;
        app.play_on("osbox", 101, 2).await;
        app.play_on("osbox", 102, 2).await;
        app.letters();
        let limits = app.get("/api/v1/boards/osbox/101").await.json()["limits"].clone();
        assert_eq!(
            limits,
            serde_json::json!({ "nag_ms": 6 * HOUR, "forfeit_ms": 12 * HOUR, "total_ms": null })
        );
        app.pass(4 * HOUR).await;
        insta::assert_snapshot!("hours", show_all(&app.letters()));
        app.pass(6 * HOUR).await;
        assert_eq!(
            subjects(&app.letters()),
            ["ann@ann.example: Osbox Board 101", "bob@bob.example: Osbox Board 101"]
        );
        app.pass(14 * HOUR).await;
        assert_eq!(
            subjects(&app.letters()),
            ["ann@ann.example: Nag: Osbox Board 102 ann"],
            "a third of 3 days"
        );
    }

    pub(super) async fn hours_hold_once_everybody_has_moved(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.mail("x@x.example", "osbox challenge -size=4 ann bob --forfeittime=0.0007 --totaltime=0.1", "")
            .await;
        let first = &app.letters()[0];
        let note = "Limits: loss after 0 days, 00:01:00, reminder after 0 days, 00:00:20,\n\
                    and 0 days, 02:24:00 for all moves of a player\n\
                    (one day at least until everybody has moved).\n";
        assert!(first.text.contains(note), "{first}");
        app.pass(7 * HOUR).await;
        assert_eq!(app.letters().len(), 0);
        app.play_on("osbox", 101, 1).await;
        app.letters();
        app.pass(20 * HOUR).await;
        assert_eq!(
            subjects(&app.letters()),
            ["bob@bob.example: Nag: Osbox Board 101 bob"],
            "a third of a day"
        );
        app.play_on("osbox", 101, 1).await;
        app.letters();
        app.tick().await;
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["state"], "active", "what was used before does not count now");
        app.pass(61_000).await;
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["state"], &board["result"]["winners"]), (&"over".into(), &serde_json::json!([2])));
    }

    pub(super) async fn who_sought_hours_has_hours(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        for name in ["ann", "bob"] {
            app.mail("x@x.example", &format!("osbox seek {name} {name}-secret 1 --forfeittime=0.5"), "")
                .await;
        }
        let letters = app.letters();
        let new = letters.iter().find(|letter| letter.subject.starts_with("New")).expect("a board");
        assert!(new.text.contains("Limits: loss after 0 days, 12:00:00"), "{new}");
        assert!(!new.text.contains("one day at least"), "{new}");
        app.pass(13 * HOUR).await;
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["state"], "removed");
    }

    pub(super) async fn who_uses_more_than_the_total_time_loses(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob --totaltime=2", "").await;
        app.play_on("osbox", 101, 2).await;
        for _ in 0..2 {
            app.pass(20 * HOUR).await;
            app.play_on("osbox", 101, 2).await;
        }
        app.letters();
        app.pass(5 * HOUR - 1000).await;
        assert_eq!(app.letters().len(), 0, "43 hours of 48 are used, and almost five");
        app.pass(1000).await;
        insta::assert_snapshot!("total", show_all(&app.letters()[..1]));
    }

    pub(super) async fn nobody_loses_a_game_that_they_have_not_begun(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.tick().await;
        app.post("osbox challenge ann bob --forfeittime=1", "").await;
        app.post("osbox challenge ann bob cyd --forfeittime=3", "").await;
        app.play_on("osbox", 101, 1).await;
        app.play_on("osbox", 102, 1).await;
        app.pass(23 * HOUR).await;
        let letters = app.letters();
        insta::assert_snapshot!("never_begun", show_all(&letters[letters.len() - 2..]));
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["state"], "removed");
        app.pass(2 * DAY + HOUR).await;
        let letters = app.letters();
        insta::assert_snapshot!("never_moved", show_all(&letters[letters.len() - 3..][..1]));
        let board = app.get("/api/v1/boards/osbox/102").await.json();
        assert_eq!((&board["state"], &board["ply"]), (&"active".into(), &0.into()));
        assert_eq!(board["players"].as_array().unwrap().len(), 2);
        app.pass(3 * DAY).await;
        assert_eq!(app.get("/api/v1/boards/osbox/102").await.json()["state"], "removed");
    }

    pub(super) async fn with_three_players_the_others_play_on(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.tick().await;
        app.post("osbo challenge -size=3 ann bob cyd --forfeittime=2", "").await;
        app.play_on("osbo", 101, 4).await;
        app.letters();
        app.pass(2 * DAY).await;
        let letters = app.letters();
        assert_eq!(subjects(&letters[..1]), ["bob@bob.example: Nag: Osbo Board 101 bob"]);
        insta::assert_snapshot!("others_play_on", show_all(&letters[letters.len() - 3..][..1]));
        app.play_on("osbo", 101, 2).await;
        let board = app.get("/api/v1/boards/osbo/101").await.json();
        let texts: Vec<&str> =
            board["moves"].as_array().unwrap().iter().map(|entry| entry["text"].as_str().unwrap()).collect();
        assert_eq!((texts[4], board["moves"][4]["auto"].as_bool()), ("Forfeit", Some(false)));
        assert!(!texts[5..].contains(&"Forfeit"), "{texts:?}");
        assert_ne!(board["to_move"], serde_json::json!(["bob"]));
        assert!(subjects(&app.letters()).iter().any(|line| line.starts_with("bob@")), "he watches");
    }

    pub(super) async fn nobody_is_reminded_of_a_move_they_have_made(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 101, 2).await;
        app.letters();
        app.clock.advance(7 * DAY);
        app.stay_alive().await;
        knotpost_core::clock::work_due(&app.app, "the test").await.unwrap();
        app.post("osbox move 101 ann ann-secret f3", "").await;
        app.work().await;
        assert_eq!(
            subjects(&app.letters()),
            ["bob@bob.example: Osbox Board 101 bob", "ann@ann.example: Osbox Board 101 bob"]
        );
    }

    pub(super) async fn a_move_that_came_in_time_counts_late_as_it_is_read(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 101, 2).await;
        app.pass(21 * DAY - 1000).await;
        app.letters();
        let raw = b"From: ann@ann.example\r\nSubject: osbox move 101 ann ann-secret f3\r\n\r\n";
        app.receive(Some("ann@ann.example"), raw).await;
        app.clock.advance(1000);
        app.stay_alive().await;
        assert!(!knotpost_core::clock::work_due(&app.app, "the test").await.unwrap());
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["state"], "active");
        app.work().await;
        assert_eq!(app.letters().len(), 2, "she has moved");
        app.pass(DAY).await;
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["to_move"], serde_json::json!(["bob"]));
    }

    pub(super) async fn limits_that_make_no_sense_are_refused(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for (limits, outcome) in [
            ("--nagtime=5 --forfeittime=5", "422 bad_option"),
            ("--nagtime=21", "422 bad_option"),
            ("--nagtime=30 --forfeittime=60", "200 ok"),
            ("--forfeittime=0.01 --totaltime=0.01", "200 ok"),
            ("--forfeittime=0", "422 bad_option"),
            ("--totaltime=-1", "422 bad_option"),
        ] {
            let page = app.post(&format!("osbox challenge ann bob {limits}"), "").await;
            assert_eq!(page.outcome(), outcome, "{limits}: {}", page.text);
        }
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "osbox challenge ann bob --nagtime=30", "").await;
        insta::assert_snapshot!("senseless", show_all(&app.letters()));
    }
}
