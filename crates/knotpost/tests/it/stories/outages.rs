//! What the clock makes of time in which it did not run, of other clocks, and of broken boards.

use super::tell;

tell! {
    nobody_loses_while_the_server_is_down,
    short_stops_count_for_nobody,
    a_start_judges_no_loss_at_once,
    a_clock_that_is_set_harms_nobody,
    boards_from_before_start_with_all_their_time,
    two_processes_do_the_work_once,
    another_process_takes_over,
    clocks_that_are_apart_make_no_outage,
    a_broken_board_stops_no_other,
    a_late_mail_says_what_it_would_have_said_in_time;
    on_postgres:
    a_clock_that_is_set_harms_nobody,
    a_broken_board_stops_no_other,
}

mod stories {
    use knotpost_core::clock::{Watch, keep_watch, leave_watch, work_due};
    use knotpost_model::{BoardKey, Millis, MoveKind};
    use knotpost_storage::MoveRow;

    use crate::harness::{DAY, HOUR, Letter, Place, TestApp};

    async fn waiting_for_ann(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 101, 2).await;
        app.letters();
        app
    }

    fn subjects(app: &TestApp) -> Vec<String> {
        app.letters().into_iter().map(|letter: Letter| letter.subject).collect()
    }

    pub(super) async fn nobody_loses_while_the_server_is_down(place: Place) {
        let app = waiting_for_ann(place).await;
        app.pass(20 * DAY + 23 * HOUR).await;
        assert_eq!(app.letters().len(), 14);
        app.clock.advance(10 * DAY);
        app.tick().await;
        assert_eq!(app.letters().len(), 0, "neither reminded nor lost at the start");
        app.pass(HOUR - 1).await;
        assert_eq!(app.letters().len(), 0, "an hour is left as before");
        app.pass(1).await;
        let letters = app.letters();
        assert_eq!(letters[0].subject, "Osbox Board 101");
        let used = letters[0].text.lines().find(|line| line.starts_with("Time used  ann")).unwrap();
        assert_eq!(used, "Time used  ann 21 days, 01:00:00", "the ten days are nobody's");
    }

    pub(super) async fn short_stops_count_for_nobody(place: Place) {
        let app = waiting_for_ann(place).await;
        app.pass(7 * DAY - 120_000).await;
        app.clock.advance(120_000);
        // The row of the process before might be that of one with another clock, which goes on.
        work_due(&app.app, "after the restart").await.unwrap();
        app.clock.advance(45_000);
        work_due(&app.app, "after the restart").await.unwrap();
        app.work().await;
        assert_eq!(subjects(&app), [""; 0], "the two minutes of the restart count for nobody");
        assert_eq!(app.tables().await.rows("outages").len(), 2);
        app.clock.advance(45_000);
        work_due(&app.app, "after the restart").await.unwrap();
        app.clock.advance(30_000);
        work_due(&app.app, "after the restart").await.unwrap();
        app.work().await;
        assert_eq!(
            subjects(&app),
            ["Nag: Osbox Board 101 ann"],
            "the time in which it waited for the lease does"
        );
        // The same process, suspended for a minute.
        app.clock.advance(60_000);
        work_due(&app.app, "after the restart").await.unwrap();
        assert_eq!(app.tables().await.rows("outages").len(), 3);
    }

    pub(super) async fn a_start_judges_no_loss_at_once(place: Place) {
        let state = async |app: &TestApp| app.get("/api/v1/boards/osbox/101").await.json()["state"].clone();
        // Stopped a second before the time is up, and a second after.
        for (early, place) in [1_000, -1_000].into_iter().zip([place, Place::Sqlite]) {
            let app = waiting_for_ann(place).await;
            app.pass(21 * DAY - 60_000).await;
            app.clock.advance(60_000 - early);
            app.hold_clock("the test", app.app.clock.now()).await;
            leave_watch(&app.app, "the test").await.unwrap();
            app.clock.advance(3_000);
            assert_eq!(keep_watch(&app.app, "next").await.unwrap(), Watch::Ours);
            work_due(&app.app, "next").await.unwrap();
            assert_eq!(state(&app).await, "active", "{early}");
            for _ in 0..19 {
                app.clock.advance(30_000);
                work_due(&app.app, "next").await.unwrap();
                assert_eq!(state(&app).await, "active", "{early}: ten minutes to act");
            }
            app.clock.advance(30_000);
            work_due(&app.app, "next").await.unwrap();
            assert_eq!(state(&app).await, "over", "{early}");
        }
    }

    pub(super) async fn a_clock_that_is_set_harms_nobody(place: Place) {
        let app = waiting_for_ann(place).await;
        app.pass(6 * DAY).await;
        app.clock.advance(1000 * DAY);
        app.tick().await;
        assert_eq!(app.letters().len(), 0, "set forward: nobody loses");
        app.clock.advance(-1000 * DAY);
        app.tick().await;
        app.pass(DAY - HOUR).await;
        assert_eq!(app.letters().len(), 0);
        app.pass(HOUR).await;
        assert_eq!(subjects(&app), ["Nag: Osbox Board 101 ann"], "set back: the time runs as before");
    }

    pub(super) async fn boards_from_before_start_with_all_their_time(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        for play in ["ann ann-secret f1", "bob bob-secret f9"] {
            assert_eq!(app.post(&format!("osbox move 101 {play}"), "").await.outcome(), "200 ok");
        }
        app.work().await;
        app.letters();
        app.clock.advance(100 * DAY);
        app.tick().await;
        app.pass(7 * DAY - HOUR).await;
        assert_eq!(app.letters().len(), 0);
        app.pass(HOUR).await;
        assert_eq!(subjects(&app), ["Nag: Osbox Board 101 ann"]);
    }

    pub(super) async fn two_processes_do_the_work_once(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        for _ in 0..8 {
            app.post("osbox challenge -size=4 ann bob", "").await;
        }
        app.work().await;
        app.letters();
        app.clock.advance(7 * DAY + 61_000);
        // Nobody holds the duty any more; it was done until a moment ago. That moment counts for nobody.
        app.hold_clock("gone", Millis(app.app.clock.now().0 - 61_000)).await;
        for watcher in ["one", "two", "three"] {
            assert_eq!(keep_watch(&app.app, watcher).await.unwrap(), Watch::Theirs, "it may go on yet");
        }
        app.clock.advance(45_000);
        let (one, two, three) =
            tokio::join!(work_due(&app.app, "one"), work_due(&app.app, "two"), work_due(&app.app, "three"));
        assert!(one.is_ok() && two.is_ok() && three.is_ok());
        app.work().await;
        assert_eq!(app.letters().len(), 8, "each reminded once");
        let watch = [keep_watch(&app.app, "one").await.unwrap(), keep_watch(&app.app, "two").await.unwrap()];
        assert_eq!(app.tables().await.rows("duties").len(), 1);
        assert!(watch.iter().filter(|watch| **watch == Watch::Ours).count() <= 1, "{watch:?}");
    }

    /// Two servers whose clocks are twenty minutes apart: one keeps the clock, the other stands by, and neither counts a
    /// time in which nobody did. The other takes over when the first falls silent.
    pub(super) async fn clocks_that_are_apart_make_no_outage(place: Place) {
        let app = waiting_for_ann(place).await;
        for apart in [20 * HOUR / 60, -20 * HOUR / 60] {
            let (one, two) = (format!("one {apart}"), format!("two {apart}"));
            leave_watch(&app.app, "the test").await.unwrap();
            app.hold_clock("gone", Millis(app.app.clock.now().0)).await;
            leave_watch(&app.app, "gone").await.unwrap();
            assert_eq!(keep_watch(&app.app, &one).await.unwrap(), Watch::Ours);
            let outages = app.tables().await.rows("outages").to_vec();
            for _ in 0..40 {
                app.clock.advance(30_000);
                assert_eq!(keep_watch(&app.app, &one).await.unwrap(), Watch::Ours);
                app.clock.advance(apart);
                assert_eq!(keep_watch(&app.app, &two).await.unwrap(), Watch::Theirs, "{apart}");
                app.clock.advance(-apart);
            }
            app.clock.advance(apart);
            for _ in 0..2 {
                assert_eq!(keep_watch(&app.app, &two).await.unwrap(), Watch::Theirs);
                app.clock.advance(45_000);
            }
            assert_eq!(keep_watch(&app.app, &two).await.unwrap(), Watch::Ours, "{apart}");
            app.clock.advance(-apart);
            assert_eq!(keep_watch(&app.app, &one).await.unwrap(), Watch::Theirs, "{apart}");
            assert_eq!(app.tables().await.rows("outages"), outages, "{apart}: nobody lost any time");
            app.clock.advance(apart);
            leave_watch(&app.app, &two).await.unwrap();
            app.clock.advance(-apart);
        }
    }

    pub(super) async fn another_process_takes_over(place: Place) {
        let app = waiting_for_ann(place).await;
        app.stay_alive().await;
        assert_eq!(keep_watch(&app.app, "other").await.unwrap(), Watch::Theirs);
        app.clock.advance(30_000);
        assert_eq!(keep_watch(&app.app, "other").await.unwrap(), Watch::Theirs, "the lease still runs");
        app.clock.advance(40_000);
        assert_eq!(keep_watch(&app.app, "other").await.unwrap(), Watch::Ours);
        assert_eq!(keep_watch(&app.app, "the test").await.unwrap(), Watch::Theirs);
        leave_watch(&app.app, "the test").await.unwrap();
        assert_eq!(keep_watch(&app.app, "the test").await.unwrap(), Watch::Theirs, "it was not his to give");
        leave_watch(&app.app, "other").await.unwrap();
        assert_eq!(keep_watch(&app.app, "the test").await.unwrap(), Watch::Ours);
        assert_eq!(app.tables().await.rows("outages").len(), 1, "no time was lost");
    }

    pub(super) async fn a_broken_board_stops_no_other(place: Place) {
        let app = waiting_for_ann(place).await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 102, 2).await;
        app.letters();
        let nonsense = MoveRow {
            number: 3,
            seat: 1,
            kind: MoveKind::Move,
            text: "nonsense".to_owned(),
            auto: false,
            at: app.app.clock.now(),
        };
        let broken = app.app.store.write(async move |tx| {
            tx.insert_move(BoardKey(1), &nonsense).await?;
            let mut row = tx.board(BoardKey(1)).await?.unwrap();
            row.ply = 3;
            tx.update_board(&row).await
        });
        broken.await.unwrap();
        app.pass(7 * DAY).await;
        assert_eq!(subjects(&app), ["Nag: Osbox Board 102 ann"]);
        app.pass(14 * DAY).await;
        assert_eq!(app.get("/api/v1/boards/osbox/102").await.json()["state"], "over");
    }

    pub(super) async fn a_late_mail_says_what_it_would_have_said_in_time(place: Place) {
        let mut told = Vec::new();
        let places = [place, Place::Sqlite];
        for (late, place) in [true, false].into_iter().zip(places) {
            let app = TestApp::with_players(place, &["ann", "bob"]).await;
            app.tick().await;
            app.post("osbox challenge -size=4 ann bob --totaltime=40", "").await;
            app.play_on("osbox", 101, 2).await;
            app.letters();
            app.clock.advance(2 * DAY);
            app.hold_clock("the test", Millis(app.app.clock.now().0 - HOUR)).await;
            app.post("osbox move 101 ann ann-secret f4", "").await;
            if late {
                app.post("vacation ann ann-secret 3", "").await;
                app.clock.advance(DAY);
                work_due(&app.app, "the test").await.unwrap();
            }
            app.work().await;
            let boards = app.letters().into_iter().filter(|letter| letter.subject.contains("Board"));
            let text: Vec<String> = boards.map(|letter| letter.text).collect();
            assert_eq!(text.len(), 2);
            told.push(text);
        }
        assert_eq!(told[0], told[1]);
        assert!(told[0][0].contains("Time used  ann 2 days, 01:00:00"), "{}", told[0][0]);
    }
}
