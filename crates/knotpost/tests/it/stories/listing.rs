//! Lists that are empty or incomplete, and answers that say first what their reader needs.

use super::tell;

tell! {
    an_empty_list_says_what_there_is_none_of,
    of_several_boards_those_are_shown_that_there_are,
    several_commands_begin_with_what_was_done,
    a_fixed_subject_is_the_same_for_all_mails_of_a_board,
    the_standard_layout_is_set_by_its_name,
    a_proposal_tells_how_to_answer_those_who_are_asked,
    a_vacation_ended_at_once_costs_no_day,
    who_seeks_is_told_what_others_seek,
    a_new_board_says_how_to_decline_and_a_watched_one_how_to_stop;
    on_postgres:
    an_empty_list_says_what_there_is_none_of,
    a_vacation_ended_at_once_costs_no_day,
}

mod stories {
    use crate::harness::{Place, TestApp, show_all};

    async fn text(app: &TestApp, from: &str, subject: &str, body: &str) -> String {
        app.mail(&format!("{from}@{from}.example"), subject, body).await;
        app.letters().iter().map(|letter| letter.text.clone()).collect::<Vec<_>>().join("\n")
    }

    fn flat(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) async fn an_empty_list_says_what_there_is_none_of(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for (line, said) in [
            ("osbox games", "No Osbox board is being played. `osbox games` lists"),
            ("osbox games inactive", "No Osbox board is over."),
            ("osbox games next", "No Osbox board is being played."),
            ("osbox games all", "There is no Osbox board. `osbox games` lists"),
            ("osbox games ann", "No Osbox board of ann is being played."),
            ("osbox games ann next", "No Osbox board waits for ann."),
            ("osbox show ann next", "No Osbox board waits for ann."),
            ("osbox show ann inactive", "No Osbox board of ann is over."),
            ("osbox show ann bob all", "There is no Osbox board of ann, bob."),
            ("osbox showas ann ann-secret", "No Osbox board of ann is being played."),
            ("all show ann", "No board of ann is being played. `list` shows"),
            ("all games ann bob next", "No board waits for ann, bob."),
            ("osbox history", "No such Osbox game has been finished yet."),
            ("list osbox", "No Osbox board is being played."),
        ] {
            // No more than ten answers an hour go where nothing proves who asked.
            app.clock.advance(3_600_000);
            let told = text(&app, "ann", line, "").await;
            assert!(flat(&told).contains(said), "{line}: {told}");
            assert!(!told.contains("There is no such"), "{line}: {told}");
        }
    }

    pub(super) async fn of_several_boards_those_are_shown_that_there_are(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.work().await;
        app.letters();
        for line in ["osbox show 101 102", "osbox showas ann ann-secret 102 101"] {
            let told = text(&app, "ann", line, "").await;
            assert!(told.starts_with("There is no Osbox board 102.\n"), "{line}: {told}");
            assert!(told.contains("Summary of Osbox Board 101"), "{line}: {told}");
        }
        assert_eq!(app.post("osbox show 102 103", "").await.outcome(), "404 no_such_board");
        assert_eq!(app.post("osbox showas ann ann-secret 102 103", "").await.outcome(), "404 no_such_board");
    }

    pub(super) async fn several_commands_begin_with_what_was_done(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.work().await;
        app.letters();
        let told =
            text(&app, "ann", "multiple", "osbox show 101\nosbox show 102\nlist\nosbox show 103").await;
        let top = "2 of 4 commands are done. NOT done:\n   2. osbox show 102\n   4. osbox show 103\n";
        assert!(told.starts_with(top), "{told}");
        let told = text(&app, "ann", "multiple", "osbox show 101\nlist").await;
        assert!(told.starts_with("All 2 commands are done.\n"), "{told}");
    }

    pub(super) async fn a_fixed_subject_is_the_same_for_all_mails_of_a_board(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox set ann ann-secret subject=fixed", "").await;
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "osbox challenge ann bob", "Hello").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "and a move").await;
        app.mail("bob@bob.example", "osbox chat 101 bob bob-secret", "words").await;
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret e9", "").await;
        app.mail("bob@bob.example", "obsidio challenge ann bob", "").await;
        let letters = app.letters();
        let of = |name: &str| -> Vec<&str> {
            let hers = letters.iter().filter(|letter| letter.to.starts_with(name));
            hers.map(|letter| letter.subject.as_str()).collect()
        };
        let mut anns = of("ann@");
        assert_eq!(anns.pop(), Some("New Obsidio Board 101 ann"));
        assert_eq!(anns, ["Osbox Board 101"; 4]);
        assert!(of("bob@").contains(&"Osbox chat 101 bob"), "{:?}", of("bob@"));
        let anns = letters.iter().filter(|letter| letter.to.starts_with("ann@"));
        let promise = "move added to the Subject";
        assert!(
            anns.clone().all(|letter| letter.subject.starts_with("New") || !letter.text.contains(promise))
        );
    }

    pub(super) async fn the_standard_layout_is_set_by_its_name(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.post("set ann ann-secret board=list", "").await;
        app.post("osbox set ann ann-secret board=standard", "").await;
        app.work().await;
        app.letters();
        assert!(text(&app, "ann", "osbox show 101", "").await.contains("+-----+"));
        let told = text(&app, "ann", "osbox set ann ann-secret", "").await;
        assert!(flat(&told).contains("board standard Osbox"), "{told}");
    }

    pub(super) async fn a_proposal_tells_how_to_answer_those_who_are_asked(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.post("osbox subscribe 101 cyd cyd-secret", "").await;
        app.post("osbox move 101 ann ann-secret f1", "").await;
        app.work().await;
        app.letters();
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret propose", "").await;
        let letters = app.letters();
        assert_eq!(letters.len(), 3, "{}", show_all(&letters));
        for letter in letters {
            let is_asked = letter.to.starts_with("ann@");
            assert!(letter.text.contains("bob proposed a draw."), "{letter}");
            assert_eq!(letter.text.contains("PASSWORD accept"), is_asked, "{letter}");
        }
    }

    pub(super) async fn a_vacation_ended_at_once_costs_no_day(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let told = text(&app, "ann", "vacation ann ann-secret 10", "").await;
        assert!(told.contains("20 days more"), "{told}");
        app.clock.advance(40_000);
        let told = text(&app, "ann", "vacation ann ann-secret off", "").await;
        assert!(told.contains("30 days"), "{told}");
        app.clock.advance(1000);
        let told = text(&app, "ann", "vacation ann ann-secret 30", "").await;
        assert!(told.contains("You are on vacation until"), "{told}");
        // An hour in a year is all that is given.
        for _ in 0..3 {
            text(&app, "ann", "vacation ann ann-secret off", "").await;
            app.clock.advance(1000);
            text(&app, "ann", "vacation ann ann-secret 30", "").await;
            app.clock.advance(1_500_000);
        }
        text(&app, "ann", "vacation ann ann-secret off", "").await;
        let told = text(&app, "ann", "vacation ann ann-secret 30", "").await;
        assert!(told.contains("more vacation than the 30 days"), "{told}");
    }

    pub(super) async fn who_seeks_is_told_what_others_seek(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        assert_eq!(app.post("osbox seek ann ann-secret 1 -size=6", "").await.outcome(), "200 ok");
        app.work().await;
        app.letters();
        let told = text(&app, "bob", "osbox seek bob bob-secret 2", "").await;
        assert!(told.contains("   osbox seek bob PASSWORD 1 -size=6\n"), "{told}");
        assert!(told.contains("   osbox seek bob PASSWORD 0\n"), "{told}");
        let told = text(&app, "cyd", "obsidio seek cyd cyd-secret 1", "").await;
        assert!(!told.contains("Others look for"), "{told}");
        let told = text(&app, "bob", "osbox seek bob bob-secret 1 -size=6", "").await;
        assert!(
            told.contains("New Osbox Board 101") || told.contains("Summary of Osbox Board 101"),
            "{told}"
        );
    }

    pub(super) async fn a_new_board_says_how_to_decline_and_a_watched_one_how_to_stop(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("osbox subscribe cyd cyd-secret all", "").await;
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        let letters = app.letters();
        let to = |name: &str| letters.iter().find(|letter| letter.to.starts_with(name)).expect("a mail");
        let bobs = to("bob@");
        let lines = "To decline, reply with `resign` alone on the first line, or send\n   \
                     osbox resign 101 bob PASSWORD\n";
        assert!(bobs.text.contains(lines), "{bobs}");
        assert!(
            bobs.html.as_ref().is_some_and(|html| html.contains("osbox resign 101 bob PASSWORD")),
            "{bobs}"
        );
        let cyds = to("cyd@");
        assert!(!cyds.text.contains("To decline"), "{cyds}");
        assert!(cyds.text.contains("   osbox unsubscribe 101 cyd PASSWORD\n"), "{cyds}");
        assert!(!bobs.text.contains("unsubscribe"), "{bobs}");
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        assert!(!show_all(&app.letters()).contains("To decline"));
    }
}
