//! What users want otherwise: which mails come, when, and how they look.

use super::tell;

tell! {
    wishes_are_shown_with_where_they_come_from,
    only_mails_that_concern_me_come,
    a_day_of_boards_comes_in_one_mail,
    a_digest_follows_the_clock_of_its_reader,
    boards_look_as_their_reader_wants,
    a_narrow_mail_is_narrow_from_beginning_to_end,
    answers_look_as_their_reader_wants,
    a_waiting_mail_keeps_the_style_it_was_caused_with,
    every_format_is_shown,
}

mod stories {
    use crate::harness::{Letter, Place, TestApp, show_all, show_drawn};

    const HOUR: i64 = 3_600_000;

    async fn wish(app: &TestApp, line: &str) {
        let page = app.post(line, "").await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        app.work().await;
        app.letters();
    }

    async fn play(app: &TestApp, lines: &[&str]) -> Vec<Letter> {
        for line in lines {
            let page = app.post(line, "").await;
            assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
            app.work().await;
        }
        app.letters()
    }

    fn heads(letters: &[Letter]) -> Vec<String> {
        letters.iter().map(|letter| format!("{} {}", letter.to, letter.subject)).collect()
    }

    pub(super) async fn wishes_are_shown_with_where_they_come_from(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.mail("ann@ann.example", "set ann ann-secret moves=mine timezone=europe/vienna mail=both", "")
            .await;
        app.mail("ann@ann.example", "osbox set ann ann-secret -moves=digest board=list", "").await;
        app.mail("ann@ann.example", "set ann ann-secret", "").await;
        app.mail("ann@ann.example", "osbox set ann ann-secret moves=default", "").await;
        insta::assert_snapshot!("wishes", show_all(&app.letters()));
        for (line, outcome) in [
            ("set ann ann-secret timezone=Europe/Atlantis", "422 bad_value"),
            ("set ann ann-secret moves=some", "422 bad_value"),
            ("set ann ann-secret digest=24", "422 bad_value"),
            ("set ann ann-secret colour=red", "422 bad_option"),
            ("osbox set ann ann-secret digest=3", "422 bad_option"),
            ("osbox set ann ann-secret board=wide broadcasts=off", "422 bad_option"),
            ("hex set ann ann-secret board=wide", "404 unknown_game"),
            ("set ann wrong-secret board=wide", "401 bad_credentials"),
        ] {
            let before = app.tables().await;
            assert_eq!(app.post(line, "").await.outcome(), outcome, "{line}");
            assert_eq!(app.tables().await, before, "{line} changes nothing");
        }
    }

    pub(super) async fn only_mails_that_concern_me_come(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        wish(&app, "set ann ann-secret moves=mine").await;
        let letters = play(
            &app,
            &[
                "osbox challenge ann bob",
                "osbox move 101 ann ann-secret f1",
                "osbox move 101 bob bob-secret f9",
                "osbox move 101 ann ann-secret f2",
            ],
        )
        .await;
        assert_eq!(
            heads(&letters),
            [
                "ann@ann.example New Osbox Board 101 ann",
                "bob@bob.example New Osbox Board 101 ann",
                "bob@bob.example Osbox Board 101 bob",
                "ann@ann.example Osbox Board 101 ann",
                "bob@bob.example Osbox Board 101 ann",
                "bob@bob.example Osbox Board 101 bob",
            ]
        );
        // What is said comes at once, and so does the end.
        app.post("osbox chat 101 bob bob-secret", "Hello").await;
        app.work().await;
        let letters = play(&app, &["osbox resign 101 bob bob-secret"]).await;
        assert_eq!(
            heads(&letters),
            [
                "ann@ann.example Osbox chat 101 bob",
                "bob@bob.example Osbox chat 101 bob",
                "ann@ann.example Osbox Board 101",
                "bob@bob.example Osbox Board 101",
            ]
        );
        // For one game alone it can be otherwise.
        wish(&app, "osbox set ann ann-secret moves=all").await;
        let letters = play(&app, &["osbox challenge ann bob", "osbox move 102 ann ann-secret f1"]).await;
        assert_eq!(letters.len(), 4);
    }

    pub(super) async fn a_day_of_boards_comes_in_one_mail(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        wish(&app, "set ann ann-secret moves=digest digest=18").await;
        app.post("osbox challenge ann bob", "Have fun").await;
        app.post("osbox challenge bob ann -size=3", "").await;
        app.post("osbox move 101 ann ann-secret f1", "First!").await;
        app.post("osbox move 101 bob bob-secret f9", "Second!").await;
        app.work().await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| letter.to == "bob@bob.example"), "{:?}", heads(&letters));
        // It is 10 o'clock.
        app.clock.advance(8 * HOUR - 1);
        app.work().await;
        assert_eq!(app.letters().len(), 0, "not yet");
        app.clock.advance(1);
        app.work().await;
        insta::assert_snapshot!("digest", show_all(&app.letters()));

        app.clock.advance(24 * HOUR);
        app.work().await;
        assert_eq!(app.letters().len(), 0, "nothing happened");
        play(&app, &["osbox move 101 ann ann-secret f2"]).await;
        app.clock.advance(23 * HOUR);
        app.work().await;
        assert_eq!(app.letters().len(), 0);
        app.clock.advance(HOUR);
        app.work().await;
        assert_eq!(heads(&app.letters()), ["ann@ann.example Knotpost today: 1 board"]);

        // A board that was declined meanwhile has been told of already.
        play(&app, &["osbox challenge ann bob", "osbox resign 103 bob bob-secret"]).await;
        app.clock.advance(24 * HOUR);
        app.work().await;
        assert_eq!(app.letters().len(), 0);
    }

    pub(super) async fn a_digest_follows_the_clock_of_its_reader(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        wish(&app, "set ann ann-secret moves=digest digest=18 timezone=Asia/Tokyo").await;
        play(&app, &["osbox challenge ann bob"]).await;
        // It is 19 o'clock in Tokyo: 23 hours until tomorrow's mail.
        app.clock.advance(23 * HOUR - 1);
        app.work().await;
        assert_eq!(app.letters().len(), 0);
        // With another hour the waiting mail moves.
        wish(&app, "set ann ann-secret digest=20").await;
        app.clock.advance(HOUR);
        app.work().await;
        assert_eq!(app.letters().len(), 0);
        app.clock.advance(HOUR + 1);
        app.work().await;
        assert_eq!(heads(&app.letters()), ["ann@ann.example Knotpost today: 1 board, 1 for you to move"]);
    }

    pub(super) async fn boards_look_as_their_reader_wants(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        wish(&app, "set ann ann-secret board=narrow timezone=America/New_York").await;
        wish(&app, "set bob bob-secret board=list timezone=Asia/Kolkata").await;
        wish(&app, "osbox set cyd cyd-secret board=wide").await;
        let letters = play(
            &app,
            &[
                "osbox challenge ann bob cyd -size=3 --nagtime=3",
                "osbox move 101 ann ann-secret f1",
                "osbox move 101 bob bob-secret f7",
            ],
        )
        .await;
        insta::assert_snapshot!("styles", show_drawn(&letters[letters.len() - 3..]));
        let narrow = letters.iter().rfind(|letter| letter.to == "ann@ann.example").expect("a mail");
        assert_eq!(wide_lines(narrow), Vec::<&str>::new());
    }

    /// The lines that do not fit a narrow window; a word alone, such as a digest, cannot be broken.
    fn wide_lines(letter: &Letter) -> Vec<&str> {
        let is_wide = |line: &&str| line.chars().count() > 40 && line.trim_start().contains(' ');
        letter.text.lines().filter(is_wide).collect()
    }

    pub(super) async fn a_narrow_mail_is_narrow_from_beginning_to_end(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        wish(&app, "set ann ann-secret board=narrow").await;
        for challenge in [
            "osbox challenge -size=3 -thin_knots ann bob --nagtime=3",
            "osbo challenge -size=3 ann bob",
            "obsidio challenge -size=5 ann bob",
            "boxilies challenge -swap ann bob",
        ] {
            let game = challenge.split(' ').next().unwrap();
            let long = "a comment of several words, which is longer than a narrow window";
            app.post(challenge, long).await;
            app.post(&format!("{game} chat 101 bob bob-secret"), long).await;
            app.work().await;
            let mut letters = app.letters();
            app.play_on(game, 101, 3).await;
            app.post(&format!("{game} undo 101 bob bob-secret"), "").await;
            app.clock.advance(96 * HOUR);
            app.work().await;
            app.post(&format!("{game} resign 101 bob bob-secret"), "").await;
            app.work().await;
            app.mail("ann@ann.example", &format!("{game} show 101"), "").await;
            letters.extend(app.letters());
            let mine: Vec<&Letter> = letters
                .iter()
                .filter(|letter| letter.to == "ann@ann.example" && letter.text.contains(" Board 101\n"))
                .collect();
            assert!(mine.len() >= 4, "{game}: {mine:?}");
            for letter in mine {
                assert_eq!(wide_lines(letter), Vec::<&str>::new(), "{letter}");
            }
        }
    }

    pub(super) async fn answers_look_as_their_reader_wants(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        play(&app, &["osbox challenge ann bob -size=3", "boxilies challenge ann bob"]).await;
        wish(&app, "set ann ann-secret board=list").await;
        wish(&app, "boxilies set ann ann-secret board=narrow").await;
        for (subject, body) in [
            ("osbox show 101", ""),
            ("osbox showas ann ann-secret 101", ""),
            ("osbox preview 101 f1", ""),
            ("osbox preview new 2 f1", ""),
            ("osbox move 101 ann ann-secret f99", ""),
            ("osbox submit 101 ann ann-secret f1", ""),
            ("multiple", "osbox show 101\nosbox move 101 ann ann-secret f99"),
        ] {
            app.mail("ann@ann.example", subject, body).await;
            let letters = app.letters();
            assert_eq!(letters.len(), 1, "{subject}");
            let text = &letters[0].text;
            let is_list = text.contains("The board: ") && !text.contains("+---");
            assert!(is_list, "{subject}: {text}");
            app.mail("bob@bob.example", subject, body).await;
            let letters = app.letters();
            // Bob's address reads the standard layout, except where ann's password makes it an answer to ann.
            let is_anns = subject.contains("ann-secret") || body.contains("ann-secret");
            for letter in letters.iter().filter(|letter| letter.to == "bob@bob.example") {
                assert_eq!(letter.text.contains("+-"), !is_anns, "{subject}: {letter}");
            }
        }
        // For another game it is otherwise.
        app.mail("ann@ann.example", "boxilies show 101", "").await;
        let text = app.letters().remove(0).text;
        assert!(text.contains("+-") && text.lines().all(|line| line.chars().count() <= 72), "{text}");
        // Whoever has proved over HTTP who they are reads the same.
        let page = app.post("osbox showas ann ann-secret 101", "").await;
        assert!(page.text.contains("The board: "), "{}", page.text);
        let page = app.post("osbox show 101", "").await;
        assert!(page.text.contains("+---"), "{}", page.text);
        wish(&app, "set ann ann-secret board=default").await;
        app.mail("ann@ann.example", "osbox show 101", "").await;
        assert!(app.letters().remove(0).text.contains("+---"));
    }

    pub(super) async fn a_waiting_mail_keeps_the_style_it_was_caused_with(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        wish(&app, "set ann ann-secret board=list").await;
        app.post("osbox challenge ann bob", "").await;
        app.post("set ann ann-secret board=default", "").await;
        app.work().await;
        let letters = app.letters();
        let board = letters.iter().find(|letter| letter.subject.starts_with("New")).expect("the board");
        assert!(board.text.contains("All cells are empty."), "{board}");
    }

    pub(super) async fn every_format_is_shown(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.mail("eve@eve.example", "test display", "").await;
        app.mail("ann@ann.example", "test display ann", "").await;
        insta::assert_snapshot!("display", show_drawn(&app.letters()));
    }
}
