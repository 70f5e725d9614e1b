//! Playing to the end, talking meanwhile, playing against oneself.

use super::tell;

tell! {
    the_last_player_of_three_wins,
    the_same_user_may_play_both_sides,
    what_is_written_below_a_command_goes_to_everybody,
    chat_reaches_all_players_in_and_out_of_turn,
    a_reply_to_a_board_mail_is_a_move,
    moves_of_several_dice_are_never_cut,
    chat_begins_with_what_was_said,
    what_a_move_earned_and_who_won_stand_on_top;
    undeployed:
    two_players_meet_by_mail_and_play_to_the_end,
}

mod stories {
    use crate::harness::{Letter, Place, Shown, TestApp, show_all, show_drawn};

    /// The move that a mail offers to whoever is to move.
    fn offered(letters: &[Letter]) -> (String, String) {
        let line = letters.iter().flat_map(|letter| letter.text.lines());
        let line = line.map(str::trim).find(|line| line.starts_with("osbo move 101 ")).expect("an example");
        let words: Vec<&str> = line.split(' ').collect();
        (words[3].to_owned(), words[5].to_owned())
    }

    pub(super) async fn moves_of_several_dice_are_never_cut(place: Place) {
        let players = ["ann", "bob", "cyd", "dan"];
        let app = TestApp::with_players(place, &players).await;
        app.mail("ann@ann.example", "osbo challenge ann bob cyd dan", "").await;
        let mut played: Vec<String> = Vec::new();
        let mut letters = app.letters();
        for _ in 0..6 {
            let (who, play) = offered(&letters);
            app.mail(
                &format!("{who}@{who}.example"),
                &format!("osbo move 101 {who} {who}-secret {play}"),
                "",
            )
            .await;
            letters = app.letters();
            played.push(play);
            for letter in &letters {
                let html = letter.html.as_deref().unwrap_or_else(|| panic!("no page: {letter}"));
                let missing = |play: &&String| !letter.text.contains(*play) || !html.contains(*play);
                assert_eq!(played.iter().find(missing), None, "{letter}");
            }
        }
        assert!(played.iter().any(|play| play.len() > 15), "{played:?}");
        insta::assert_snapshot!("four_dice", letters[0]);
        app.post("set ann ann-secret board=narrow", "").await;
        app.mail("ann@ann.example", "osbo show 101", "").await;
        let narrow = app.letters().pop().expect("an answer");
        assert!(played.iter().all(|play| narrow.text.contains(play.as_str())), "{narrow}");
    }

    pub(super) async fn chat_begins_with_what_was_said(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob -size=3", "").await;
        app.letters();
        app.mail("bob@bob.example", "osbox chat 101 bob bob-secret", "Hello, Ann!\nReady?").await;
        let letters = app.letters();
        for letter in &letters {
            assert!(letter.text.starts_with("bob writes:\nHello, Ann!\nReady?\n"), "{letter}");
            assert!(letter.text.lines().count() < 50, "{letter}");
            let page = letter.html.as_deref().expect("a page");
            let place = |words: &str| page.find(words).unwrap_or(usize::MAX);
            assert!(place("Hello, Ann!") < place("It is ann"), "{page}");
        }
        insta::assert_snapshot!("chat_first", letters[0]);
    }

    pub(super) async fn what_a_move_earned_and_who_won_stand_on_top(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob -size=2", "").await;
        app.letters();
        let mut told = Vec::new();
        for number in 0..30 {
            let who = ["ann", "bob"][number % 2];
            let game = app.get("/api/v1/boards/osbox/101/legal").await.json();
            let Some(play) = game["legal"].as_array().and_then(|moves| moves.get(number % 3)) else { break };
            let line = format!("osbox move 101 {who} {who}-secret {}", play.as_str().expect("a move"));
            app.mail(&format!("{who}@{who}.example"), &line, "").await;
            told = app.letters();
            assert!(
                !told.is_empty(),
                "{line} is answered: {}",
                app.get("/api/v1/boards/osbox/101").await.text
            );
        }
        let last = &told[0];
        let top: Vec<&str> = last.text.lines().take(12).collect();
        assert!(top.iter().any(|line| line.starts_with("Game won by") || line.contains("tie")), "{last}");
        assert!(top.iter().any(|line| line.contains("1600")), "{last}");
    }

    pub(super) async fn two_players_meet_by_mail_and_play_to_the_end(place: Place) {
        let app = TestApp::start_with(place, |_| {}).await;
        app.mail("ann@ann.example", "signup ann ann-secret", "").await;
        app.mail("bob@work.example", "signup Bob bob-secret bob@home.example", "").await;
        insta::assert_snapshot!("meeting", show_all(&app.letters()));

        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "Good luck, Bob!").await;
        insta::assert_snapshot!("challenge", show_drawn(&app.letters()));

        let moves = GAME;
        let (mut told, mut shown) = (String::new(), Shown::default());
        for (number, play) in moves.iter().enumerate() {
            app.clock.advance(3_600_000 + 60_000 * i64::try_from(number).unwrap());
            let (from, who) = [("ann@ann.example", "ann"), ("bob@home.example", "bob")][number % 2];
            app.mail(from, &format!("osbox move 101 {who} {who}-secret {play}"), "").await;
            let letters = app.letters();
            assert_eq!(letters.len(), 2, "one to each: {}", show_all(&letters));
            told += &shown.show(&letters);
        }
        insta::assert_snapshot!("game", told);

        app.mail("bob@home.example", "osbox move 101 bob bob-secret f1", "").await;
        app.mail("bob@home.example", "osbox history", "").await;
        app.mail("bob@home.example", "osbox games all", "").await;
        insta::assert_snapshot!("afterwards", show_all(&app.letters()));
    }

    pub(super) async fn the_last_player_of_three_wins(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob cyd", "").await;
        for play in ["ann ann-secret f1", "bob bob-secret e9", "cyd cyd-secret g8"] {
            app.mail("x@x.example", &format!("osbox move 101 {play}"), "").await;
        }
        app.letters();
        app.mail("ann@ann.example", "osbox resign 101 ann ann-secret", "No time, sorry.").await;
        insta::assert_snapshot!("three_one_resigns", show_drawn(&app.letters()));
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret a10", "").await;
        app.letters();
        app.mail("cyd@cyd.example", "osbox resign 101 cyd cyd-secret", "").await;
        insta::assert_snapshot!("three_last_one_wins", show_all(&app.letters()));
    }

    pub(super) async fn the_same_user_may_play_both_sides(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.mail("ann@ann.example", "osbox challenge -si=2 ann ann", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret e5", "").await;
        insta::assert_snapshot!("solo", show_all(&app.letters()));
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["rated"], &board["ply"]), (&false.into(), &2.into()));
    }

    pub(super) async fn what_is_written_below_a_command_goes_to_everybody(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        let body =
            "Nice to play you again.\nMy password is ann-secret, by the way.\n\n-- \nAnn\nhttp://ann.example";
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", body).await;
        insta::assert_snapshot!("comment", show_all(&app.letters()));
    }

    pub(super) async fn chat_reaches_all_players_in_and_out_of_turn(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        app.mail("cyd@cyd.example", "osbox chat 101 cyd cyd-secret", "May I watch?").await;
        insta::assert_snapshot!("chat", show_all(&app.letters()));
        app.mail("bob@bob.example", "osbox chat 101 bob bob-secret", "").await;
        insta::assert_snapshot!("chat_without_words", show_all(&app.letters()));
    }

    pub(super) async fn a_reply_to_a_board_mail_is_a_move(place: Place) {
        let app = TestApp::with_players(place, &["ann", "fred"]).await;
        app.mail("ann@ann.example", "osbox challenge ann fred", "").await;
        let first = app.letters().pop().unwrap();
        app.mail("ann@ann.example", &format!("Re: {} ann-secret f1", first.subject), "Hi!").await;
        let second = app.letters().pop().unwrap();
        assert_eq!(second.subject, "Osbox Board 101 fred **");
        let quoted = "A fine opening.\n\nOn Fri, 20 Nov 2026, Knotpost wrote:\n> It is fred's turn.\n> f12\n";
        app.mail("fred@fred.example", &format!("AW: Re: {} fred-secret e9", second.subject), quoted).await;
        insta::assert_snapshot!("reply", show_all(&app.letters()));
    }

    /// With a knot that is taken off the board, and a full board at the end.
    const GAME: [&str; 13] =
        ["i6", "o11", "j4", "e12", "g4", "g11", "o5", "g11", "f3", "h8", "g1", "j9", "h5"];
}
