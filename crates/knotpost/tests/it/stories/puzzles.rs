//! Puzzles by mail: asked for, judged, answered.

use super::tell;

tell! {
    a_puzzle_comes_by_mail_and_the_move_goes_back_in_the_subject,
    what_is_no_puzzle_is_told,
    puzzles_come_every_day_to_whoever_wants_them,
    puzzles_of_one_game_are_wanted_or_refused_alone,
    puzzles_end_by_the_address_in_their_mail;
    on_postgres: puzzles_end_by_the_address_in_their_mail,
}

mod stories {
    use crate::harness::{Letter, Place, TestApp};
    use knotpost_platform::clock::Clock as _;
    use knotpost_rules::Puzzle;

    const HOUR: i64 = 3_600_000;

    async fn wish(app: &TestApp, line: &str) {
        assert_eq!(app.post(line, "").await.outcome(), "200 ok", "{line}");
        app.work().await;
        app.letters();
    }

    /// The Subjects of what is mailed when this much time has gone by.
    async fn subjects_after(app: &TestApp, millis: i64) -> Vec<String> {
        app.clock.advance(millis);
        app.work().await;
        app.letters().into_iter().map(|letter| letter.subject).collect()
    }

    async fn ask(app: &TestApp, subject: &str) -> Letter {
        // No more than ten answers an hour go where nothing proves who asked.
        app.clock.advance(3_600_000);
        app.mail("ann@ann.example", subject, "").await;
        app.letters().remove(0)
    }

    pub(super) async fn a_puzzle_comes_by_mail_and_the_move_goes_back_in_the_subject(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.inbound.trusted_authserv = vec!["mx.knotpost.example".to_owned()];
        })
        .await;
        app.sign_up("ann").await;
        app.letters();
        let today = ask(&app, "puzzle").await;
        assert_eq!(today.subject, "Puzzles of the day");
        let day = app.clock.now().day_of_year();
        for game in ["osbox", "obsidio", "boxilies"] {
            assert!(today.text.contains(&format!("   puzzle {game} {day} MOVE\n")), "{today}");
        }
        assert!(!today.text.contains("puzzle osbo "), "{today}");
        let letter = ask(&app, "Puzzle Boxilies 60").await;
        insta::assert_snapshot!("puzzle", letter);
        // Who proves where they write from gets the picture, too.
        app.mail_aligned("ann@ann.example", "puzzle boxilies 60").await;
        let shown = app.letters().remove(0);
        assert!(shown.html.as_ref().expect("a page").contains("<img"), "with a picture: {shown}");
        let registry = knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]);
        let game = registry.find("boxilies").expect("a game");
        let puzzle = Puzzle::of_day(game.meta(), 60).expect("a puzzle");
        let (_, position) = puzzle.open(game).expect("a position");
        let solution = puzzle.solution();
        assert!(!letter.text.contains(solution), "{letter}");
        let moves = position.legal_moves();
        let wrong = moves.iter().find(|play| *play != solution).expect("another move");
        let told = ask(&app, &format!("Re: {} {wrong}", letter.subject)).await;
        assert!(told.text.contains("it does not win"), "{told}");
        assert!(!told.text.contains(solution), "{told}");
        let told = ask(&app, &format!("Re: {} move {solution}", letter.subject)).await;
        assert!(told.text.contains(&format!("Right: {solution} is the only move that wins.")), "{told}");
        let told = ask(&app, "puzzle boxilies 60 answer").await;
        insta::assert_snapshot!("puzzle_answer", told);
    }

    pub(super) async fn what_is_no_puzzle_is_told(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        for (line, outcome) in [
            ("puzzle osbo", "422 not_supported"),
            ("puzzle chess", "404 unknown_game"),
            ("puzzle osbox 367", "422 bad_value"),
            ("puzzle osbox 60 zzz", "422 illegal_move"),
            ("puzzle osbox 60 a1 a2", "400 wrong_arguments"),
            ("puzzle osbox", "200 ok"),
        ] {
            assert_eq!(app.post(line, "").await.outcome(), outcome, "{line}");
        }
        assert!(app.post("help puzzles", "").await.text.contains("puzzle osbox 60 MOVE"));
    }

    pub(super) async fn puzzles_come_every_day_to_whoever_wants_them(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        // It is 10 o'clock in London, 19 o'clock in Tokyo.
        wish(&app, "set ann ann-secret puzzle=on digest=20 timezone=Asia/Tokyo").await;
        assert_eq!(subjects_after(&app, HOUR - 1).await, Vec::<String>::new());
        app.clock.advance(1);
        app.work().await;
        let letters = app.letters();
        let [letter] = letters.as_slice() else { panic!("{letters:?}") };
        assert_eq!(letter.to, "ann@ann.example");
        insta::assert_snapshot!("puzzles_of_the_day", letter);
        assert!(letter.html.as_ref().expect("a page").matches("<img").count() >= 3, "{letter}");
        // Another hour moves the next one, and nothing comes twice.
        wish(&app, "set ann ann-secret digest=22").await;
        assert_eq!(subjects_after(&app, HOUR).await, Vec::<String>::new());
        assert_eq!(subjects_after(&app, HOUR).await, ["Puzzles of the day"]);
        // Days on which the server did not run are left out.
        assert_eq!(subjects_after(&app, 3 * 24 * HOUR).await, ["Puzzles of the day"]);
        assert_eq!(subjects_after(&app, 24 * HOUR).await, ["Puzzles of the day"]);
        wish(&app, "set ann ann-secret puzzle=off").await;
        assert_eq!(subjects_after(&app, 24 * HOUR).await, Vec::<String>::new());
    }

    pub(super) async fn puzzles_of_one_game_are_wanted_or_refused_alone(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        wish(&app, "obsidio set ann ann-secret puzzle=on").await;
        wish(&app, "set bob bob-secret puzzle=on").await;
        wish(&app, "osbox set bob bob-secret puzzle=off").await;
        wish(&app, "osbo set ann ann-secret puzzle=on").await;
        app.clock.advance(24 * HOUR);
        app.work().await;
        let mut letters = app.letters();
        letters.sort_by(|a, b| a.to.cmp(&b.to));
        let [ann, bob] = letters.as_slice() else { panic!("{letters:?}") };
        let day = app.clock.now().day_of_year();
        assert_eq!(ann.subject, format!("Puzzle obsidio {day}"));
        assert!(bob.text.contains(&format!("puzzle obsidio {day} MOVE")), "{bob}");
        assert!(!bob.text.contains("puzzle osbox "), "{bob}");
        // To the Subject of a mail with one puzzle the move is added.
        let registry = knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]);
        let game = registry.find("obsidio").expect("a game");
        let puzzle = Puzzle::of_day(game.meta(), day).expect("a puzzle");
        let told = ask(&app, &format!("Re: {} {}", ann.subject, puzzle.solution())).await;
        assert!(told.text.contains("is the only move that wins."), "{told}");
        // Whoever leaves gets none.
        wish(&app, "delete bob bob-secret").await;
        app.clock.advance(24 * HOUR);
        app.work().await;
        assert!(app.letters().iter().all(|letter| letter.to == "ann@ann.example"));
    }

    pub(super) async fn puzzles_end_by_the_address_in_their_mail(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        wish(&app, "set ann ann-secret puzzle=on").await;
        wish(&app, "boxilies set ann ann-secret puzzle=on").await;
        app.clock.advance(24 * HOUR);
        app.work().await;
        let letter = app.letters().remove(0);
        app.unsubscribe_by_mail(&letter).await;
        app.work().await;
        let told = app.letters().remove(0);
        assert!(told.text.contains("No more puzzles will come"), "{told}");
        assert!(told.text.contains("set ann PASSWORD puzzle=on"), "{told}");
        assert_eq!(subjects_after(&app, 24 * HOUR).await, Vec::<String>::new());
    }
}
