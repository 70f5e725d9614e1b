//! Puzzles by mail: asked for, judged, answered.

use super::tell;

tell! {
    a_puzzle_comes_by_mail_and_the_move_goes_back_in_the_subject,
    what_is_no_puzzle_is_told,
}

mod stories {
    use crate::harness::{Letter, Place, TestApp};
    use knotpost_platform::clock::Clock as _;
    use knotpost_rules::{Puzzle, Registry};

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
        let registry = Registry::standard();
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
}
