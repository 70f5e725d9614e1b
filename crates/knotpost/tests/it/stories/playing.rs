//! Playing to the end, talking meanwhile, playing against oneself.

use super::tell;

tell! {
    the_last_player_of_three_wins,
    the_same_user_may_play_both_sides,
    what_is_written_below_a_command_goes_to_everybody,
    chat_reaches_all_players_in_and_out_of_turn,
    a_reply_to_a_board_mail_is_a_move;
    undeployed:
    two_players_meet_by_mail_and_play_to_the_end,
}

mod stories {
    use crate::harness::{Place, TestApp, show_all};

    pub(super) async fn two_players_meet_by_mail_and_play_to_the_end(place: Place) {
        let app = TestApp::start_with(place, |_| {}).await;
        app.mail("ann@ann.example", "signup ann ann-secret", "").await;
        app.mail("bob@work.example", "signup Bob bob-secret bob@home.example", "").await;
        insta::assert_snapshot!("meeting", show_all(&app.letters()));

        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "Good luck, Bob!").await;
        insta::assert_snapshot!("challenge", show_all(&app.letters()));

        let moves = GAME;
        let mut told = String::new();
        for (number, play) in moves.iter().enumerate() {
            app.clock.advance(3_600_000 + 60_000 * i64::try_from(number).unwrap());
            let (from, who) = [("ann@ann.example", "ann"), ("bob@home.example", "bob")][number % 2];
            app.mail(from, &format!("osbox move 101 {who} {who}-secret {play}"), "").await;
            let letters = app.letters();
            assert_eq!(letters.len(), 2, "one to each: {}", show_all(&letters));
            told += &show_all(&letters);
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
        insta::assert_snapshot!("three_one_resigns", show_all(&app.letters()));
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
