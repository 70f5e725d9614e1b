//! Time off: what players and their opponents read, and what the clock makes of it.

use super::tell;

tell! {
    a_vacation_stops_reminders_and_losses,
    a_vacation_can_be_shown_changed_and_ended,
    thirty_days_of_a_year_are_enough,
    total_time_does_not_run_in_a_vacation,
}

mod stories {
    use crate::harness::{DAY, HOUR, Place, TestApp, show_all};

    pub(super) async fn a_vacation_stops_reminders_and_losses(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 101, 3).await;
        app.pass(6 * DAY).await;
        app.letters();
        app.mail("bob@bob.example", "vacation bob bob-secret 20", "").await;
        app.mail("ann@ann.example", "osbox show 101", "").await;
        insta::assert_snapshot!("away", show_all(&app.letters()));
        app.pass(20 * DAY).await;
        assert_eq!(app.letters().len(), 0, "nobody is reminded in his vacation");
        app.pass(DAY).await;
        let letters = app.letters();
        assert_eq!((letters.len(), letters[0].subject.as_str()), (1, "Nag: Osbox Board 101 bob"));
        app.pass(14 * DAY - HOUR).await;
        assert_eq!(app.letters().len(), 13);
        app.pass(HOUR).await;
        let letters = app.letters();
        assert_eq!(letters[0].subject, "Osbox Board 101", "21 days of his own are over");
        let used = letters[0].text.lines().find(|line| line.contains("bob 21 days"));
        assert_eq!(
            used.unwrap_or(&letters[0].text).trim(),
            "bob 21 days, 01:00:00",
            "the vacation is not counted"
        );
    }

    pub(super) async fn a_vacation_can_be_shown_changed_and_ended(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 bob ann", "").await;
        app.play_on("osbox", 101, 2).await;
        app.letters();
        app.mail("bob@bob.example", "vacation bob bob-secret", "").await;
        app.mail("bob@bob.example", "vacation bob bob-secret 2026-12-01", "").await;
        app.pass(5 * DAY).await;
        app.mail("bob@bob.example", "vacation bob bob-secret 15", "").await;
        app.pass(DAY).await;
        app.mail("bob@bob.example", "vacation bob bob-secret off", "").await;
        app.mail("bob@bob.example", "vacation bob bob-secret off", "").await;
        insta::assert_snapshot!("changed", show_all(&app.letters()));
        app.pass(7 * DAY - HOUR).await;
        assert_eq!(app.letters().len(), 0);
        app.pass(HOUR).await;
        assert_eq!(app.letters()[0].subject, "Nag: Osbox Board 101 bob", "the time runs again");
    }

    pub(super) async fn thirty_days_of_a_year_are_enough(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let say = async |words: &str| app.post(&format!("vacation ann {words}"), "").await.outcome();
        assert_eq!(say("wrong-secret 3").await, "401 bad_credentials");
        assert_eq!(say("ann-secret 31").await, "422 bad_value");
        assert_eq!(say("ann-secret 2026-11-20").await, "422 bad_value", "today has begun");
        assert_eq!(say("ann-secret 2026-12-21").await, "422 bad_value", "more than 30 days");
        assert_eq!(say("ann-secret 2026-12-20").await, "200 ok");
        app.clock.advance(20 * DAY);
        assert_eq!(say("ann-secret 11").await, "422 bad_value", "it began 20 days ago");
        assert_eq!(say("ann-secret 10").await, "200 ok", "extended");
        assert_eq!(say("ann-secret off").await, "200 ok");
        app.clock.advance(100 * DAY);
        assert_eq!(say("ann-secret 11").await, "422 bad_value");
        assert_eq!(say("ann-secret 10").await, "200 ok", "what was given back is there");
        app.clock.advance(200 * DAY);
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "vacation ann ann-secret 1", "").await;
        insta::assert_snapshot!("no_vacation_left", show_all(&app.letters()));
        app.clock.advance(50 * DAY);
        assert_eq!(say("ann-secret 20").await, "200 ok", "the year of the first days is over");
    }

    pub(super) async fn total_time_does_not_run_in_a_vacation(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob --totaltime=3", "").await;
        app.play_on("osbox", 101, 2).await;
        app.post("vacation ann ann-secret 10", "").await;
        app.pass(12 * DAY).await;
        app.play_on("osbox", 101, 1).await;
        app.letters();
        app.mail("ann@ann.example", "osbox show 101", "").await;
        let text = &app.letters()[0].text;
        let block = &text[text.rfind("****").unwrap() + 4..];
        insta::assert_snapshot!("total_in_a_vacation", block);
    }
}
