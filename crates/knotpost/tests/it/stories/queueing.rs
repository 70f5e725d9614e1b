//! Moves kept for later.

use super::tell;

tell! {
    queued_moves_are_played_one_a_turn,
    a_reply_that_was_not_expected_drops_the_rest,
    a_chain_of_queues_ends_and_is_told_in_one_mail,
    a_queued_move_that_is_illegal_is_dropped_with_a_mail,
    a_swap_drops_all_queues,
    what_is_queued_is_taken_back_by_mail,
    who_plays_both_sides_queues_for_both,
    a_number_must_be_one_that_the_move_can_have,
    with_three_players_only_later_moves_are_replies,
    a_queue_that_is_shortened_waits_for_the_same_reply,
}

mod stories {
    use knotpost_core::boards::Board;
    use knotpost_core::queries::view_board;
    use knotpost_model::BoardRef;
    use knotpost_rules::{Status, Turn};

    use crate::harness::{Place, TestApp, show_all};

    async fn begin(place: Place, queue: &str) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        app.mail("bob@bob.example", &format!("osbox queue 101 bob bob-secret {queue}"), "").await;
        app
    }

    async fn ply(app: &TestApp) -> serde_json::Value {
        app.get("/api/v1/boards/osbox/101").await.json()["ply"].clone()
    }

    pub(super) async fn queued_moves_are_played_one_a_turn(place: Place) {
        let app = begin(place, "if:F:1 e9 e10").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        assert_eq!(ply(&app).await, 2);
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f2", "").await;
        assert_eq!(ply(&app).await, 4);
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f3", "").await;
        assert_eq!(ply(&app).await, 5, "nothing is left to play");
        insta::assert_snapshot!("queue_played", show_all(&app.letters()));
    }

    pub(super) async fn what_is_queued_is_taken_back_by_mail(place: Place) {
        let app = begin(place, "if:f1 e9").await;
        app.letters();
        app.mail("bob@bob.example", "osbox queue 101 bob bob-secret none", "").await;
        insta::assert_snapshot!("queue_taken_back", show_all(&app.letters()));
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        assert_eq!(ply(&app).await, 1);
    }

    pub(super) async fn a_reply_that_was_not_expected_drops_the_rest(place: Place) {
        let app = begin(place, "if:f2 e9 e10").await;
        app.letters();
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        assert_eq!(ply(&app).await, 1);
        insta::assert_snapshot!("queue_dropped", show_all(&app.letters()));
    }

    pub(super) async fn a_chain_of_queues_ends_and_is_told_in_one_mail(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge -size=6 ann bob", "").await;
        let line = "osbox queue 101 bob bob-secret e13 e14 e15 e16 e17 e18";
        app.mail("bob@bob.example", line, "").await;
        app.letters();
        app.mail("ann@ann.example", "osbox queue 101 ann ann-secret f1#1 f2 f3 f4 f5 f6", "").await;
        assert_eq!(ply(&app).await, 12, "six moves of each");
        let letters = app.letters();
        insta::assert_snapshot!("chain", show_all(&letters));
        for to in ["ann@ann.example", "bob@bob.example"] {
            assert_eq!(letters.iter().filter(|letter| letter.to == to).count(), 1);
        }
        assert!(app.post("osbox showas bob bob-secret 101", "").await.outcome().starts_with("200"));
    }

    pub(super) async fn a_queued_move_that_is_illegal_is_dropped_with_a_mail(place: Place) {
        let app = begin(place, "e9 e1 e10").await;
        app.letters();
        for play in ["f1", "f2"] {
            app.mail("ann@ann.example", &format!("osbox move 101 ann ann-secret {play}"), "").await;
        }
        assert_eq!(ply(&app).await, 3, "the board waits for bob");
        let letters = app.letters();
        insta::assert_snapshot!(
            "queue_illegal",
            show_all(&letters.iter().filter(|l| l.subject.ends_with("Error")).cloned().collect::<Vec<_>>())
        );
        assert_eq!(app.post("osbox move 101 bob bob-secret e10", "").await.outcome(), "200 ok");
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f3", "").await;
        assert_eq!(ply(&app).await, 5, "nothing is left of the queue");
    }

    pub(super) async fn a_swap_drops_all_queues(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "obsidio challenge -size=5 ann bob", "").await;
        app.mail("ann@ann.example", "obsidio queue 101 ann ann-secret c3 a1 a2", "").await;
        app.letters();
        app.mail("bob@bob.example", "obsidio swap 101 bob bob-secret", "").await;
        insta::assert_snapshot!("queue_swapped", show_all(&app.letters()[..1]));
        let board = app.get("/api/v1/boards/obsidio/101").await.json();
        assert_eq!((&board["ply"], &board["to_move"][0]), (&2.into(), &"ann".into()));
    }

    pub(super) async fn who_plays_both_sides_queues_for_both(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.mail("ann@ann.example", "osbox challenge ann ann", "").await;
        app.mail("ann@ann.example", "osbox queue 101 ann ann-secret f1 if:e9 f2", "").await;
        assert_eq!(ply(&app).await, 1);
        app.mail("ann@ann.example", "osbox queue 101 ann ann-secret e9 e10", "").await;
        assert_eq!(ply(&app).await, 4);
    }

    pub(super) async fn a_number_must_be_one_that_the_move_can_have(place: Place) {
        let app = begin(place, "e9").await;
        for (number, outcome) in [
            (0, "422 bad_value"),
            (1, "409 wrong_move_number"),
            (2, "200 ok"),
            (3, "409 wrong_move_number"),
            (4, "200 ok"),
        ] {
            let line = format!("osbox queue 101 bob bob-secret e9#{number}");
            assert_eq!(app.post(&line, "").await.outcome(), outcome, "{line}");
        }
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        assert_eq!(ply(&app).await, 1, "it was to be move 4");
        insta::assert_snapshot!("queue_number", show_all(&app.letters()[..1]));
    }

    async fn board(app: &TestApp, game: &str) -> Board {
        let name = BoardRef { game: game.to_owned(), number: 101 };
        view_board(&app.app, &name, None).await.unwrap().board
    }

    pub(super) async fn a_queue_that_is_shortened_waits_for_the_same_reply(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("osbox challenge -size=4 ann bob cyd", "").await;
        let order = board(&app, "osbox").await;
        let [first, second, third] = [1, 2, 3].map(|seat| order.userid_at(seat).to_owned());
        let mut ahead = order.position.clone();
        let [reply, other, answer] = [(); 3].map(|()| {
            let play = ahead.example_move().unwrap();
            ahead.play(Turn::Move(&play)).unwrap();
            play
        });
        let queue = format!("osbox queue 101 {third} {third}-secret if:{reply} {answer}");
        assert_eq!(app.post(&format!("{queue} {reply}"), "").await.outcome(), "200 ok");
        app.post(&format!("osbox move 101 {first} {first}-secret {reply}"), "").await;
        // The reply is there, and somebody else is to move before the answer.
        assert_eq!(app.post(&queue, "").await.outcome(), "200 ok");
        app.post(&format!("osbox move 101 {second} {second}-secret {other}"), "").await;
        assert_eq!(ply(&app).await, 3, "the answer was played");
    }

    pub(super) async fn with_three_players_only_later_moves_are_replies(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("osbox challenge -size=4 ann bob cyd", "").await;
        for _ in 0..3 {
            let board = board(&app, "osbox").await;
            let Status::ToAct(seat) = board.position.status() else { panic!("it is not over") };
            let (userid, play) = (board.userid_at(i64::from(seat.number())), board.position.example_move());
            let line = format!("osbox move 101 {userid} {userid}-secret {}", play.unwrap());
            assert_eq!(app.post(&line, "").await.outcome(), "200 ok", "{line}");
        }
        // It is ann's turn. The move after bob's own last one is cyd's, but it was made before bob queued.
        let mut ahead = board(&app, "osbox").await;
        let reply = ahead.position.example_move().unwrap();
        ahead.position.play(Turn::Move(&reply)).unwrap();
        let answer = ahead.position.example_move().unwrap();
        let line = format!("osbox queue 101 bob bob-secret if:{reply} {answer}");
        assert_eq!(app.post(&line, "").await.outcome(), "200 ok", "{line}");
        let line = format!("osbox queue 101 cyd cyd-secret if:{answer} {answer}");
        assert_eq!(app.post(&line, "").await.outcome(), "200 ok", "{line}");
        assert_eq!(app.post(&format!("osbox move 101 ann ann-secret {reply}"), "").await.outcome(), "200 ok");
        assert_eq!(ply(&app).await, 5, "bob's answer is played; for cyd the first reply was ann's");
        app.work().await;
        let subjects: Vec<String> =
            app.letters().into_iter().map(|letter| letter.to + &letter.subject).collect();
        let dropped: Vec<_> = subjects.iter().filter(|subject| subject.ends_with("Error")).collect();
        assert_eq!(dropped, ["cyd@cyd.exampleOsbox Board 101 Error"]);
    }
}
