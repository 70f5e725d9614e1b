//! Playing by replying: short words at reply addresses, without userid and password.

use super::tell;

tell! {
    whole_games_are_played_by_replies_alone,
    every_short_word_does_what_it_says,
    what_was_submitted_is_confirmed_by_a_reply,
    a_move_in_reply_to_an_older_mail_is_refused_with_the_board,
    a_board_of_as_many_moves_is_not_the_same_board,
    only_words_above_the_quote_are_said,
    what_is_no_short_word_is_answered_with_the_board,
    a_complete_command_counts_at_a_reply_address_too,
    a_reply_that_comes_twice_is_carried_out_once,
}

mod stories {
    use knotpost_core::boards::Standing;
    use knotpost_core::queries::view_board;
    use knotpost_model::BoardRef;

    use crate::harness::{Draft, Letter, Mailboxes, Place, TestApp, raw_reply, show_all, smallest};

    async fn begin(place: Place, challenge: &str) -> (TestApp, Mailboxes) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", challenge, "").await;
        let mut boxes = Mailboxes::default();
        boxes.fill(&app);
        (app, boxes)
    }

    async fn ply(app: &TestApp, board: &str) -> i64 {
        app.get(&format!("/api/v1/boards/{board}")).await.json()["ply"].as_i64().unwrap_or(-1)
    }

    /// The move that a mail gives as an example of a reply.
    fn own_example(letter: &Letter) -> String {
        let (_, rest) =
            letter.text.split_once("alone on the first line, like\n   ").expect("a move is asked for");
        rest.lines().next().unwrap_or_default().to_owned()
    }

    /// After as many moves a game that goes on is given up, in reply as well.
    const ENOUGH: usize = 24;
    /// The shortest mate.
    const MATE: [&str; 4] = ["f2-f3", "e7-e5", "g2-g4", "d8-h4"];

    pub(super) async fn whole_games_are_played_by_replies_alone(place: Place) {
        let app = TestApp::with_all_games(place, &["ann", "bob"]).await;
        for game in app.app.games.registry.iter() {
            let name = BoardRef { game: game.meta().name.to_owned(), number: 101 };
            let challenge = format!("{} challenge {} ann bob", name.game, smallest(game));
            let mut boxes = Mailboxes::default();
            app.mail("ann@ann.example", &challenge, "").await;
            boxes.fill(&app);
            let mut moves = 0;
            loop {
                let board = view_board(&app.app, &name, None).await.expect("a board").board;
                let Standing::ToMove(seat) = board.standing() else { break };
                let userid = board.userid_at(i64::from(seat.number())).to_owned();
                // Who may pass does so after ten stones: else a game of Go would go on until the board is full.
                let may_pass = moves >= 10 && board.position.legal_words().contains(&"pass");
                let play = if name.game == "chess" {
                    MATE[moves].to_owned()
                } else if moves == ENOUGH {
                    "resign".to_owned()
                } else if may_pass {
                    "pass".to_owned()
                } else {
                    own_example(boxes.top(&userid))
                };
                assert_eq!(boxes.reply(&app, &userid, &play).await, "executed", "{name}: {play}");
                moves += 1;
            }
            assert!(moves > 3, "{name}");
            assert!(
                boxes.top("ann").text.contains("`rematch` on the first line; to say something, with `chat`."),
                "{}",
                boxes.top("ann")
            );
        }
    }

    pub(super) async fn every_short_word_does_what_it_says(place: Place) {
        let (app, mut boxes) = begin(place, "obsidio challenge -size=5 ann bob").await;
        insta::assert_snapshot!(
            "first_mail",
            show_all(&[boxes.top("ann").clone(), boxes.top("bob").clone()])
        );
        let first = boxes.top("ann").clone();
        assert_eq!(app.reply("ann@ann.example", &first, "preview c3").await, "executed");
        let shown = app.letters();
        assert!(shown[0].text.starts_with("Preview of Obsidio Board 101"), "{}", shown[0]);
        assert_eq!(app.reply("ann@ann.example", &first, "Show").await, "executed");
        let shown = app.letters();
        assert_eq!((shown.len(), shown[0].to.as_str()), (1, "ann@ann.example"));
        assert!(shown[0].text.starts_with("Summary of Obsidio Board 101"), "{}", shown[0]);
        assert_eq!(ply(&app, "obsidio/101").await, 0);

        assert_eq!(boxes.reply(&app, "ann", "C3#1\nyour turn").await, "executed");
        assert_eq!(ply(&app, "obsidio/101").await, 1);
        insta::assert_snapshot!("after_the_move", boxes.top("bob").to_string());
        assert_eq!(boxes.reply(&app, "bob", "swap").await, "executed");
        assert!(boxes.top("ann").text.contains("bob swapped"), "{}", boxes.top("ann"));
        let swapped = boxes.top("ann").clone();
        assert_eq!(boxes.reply(&app, "ann", "chat well done\nand good luck").await, "executed");
        assert!(
            boxes.top("bob").text.contains("ann writes:\nwell done\nand good luck\n"),
            "{}",
            boxes.top("bob")
        );
        // In reply to the chat itself it would be said to bob.
        assert_eq!(app.reply("ann@ann.example", &swapped, "undo").await, "executed");
        boxes.fill(&app);
        assert!(
            boxes.top("bob").text.contains("with `accept` or `reject` on the first line"),
            "{}",
            boxes.top("bob")
        );
        assert_eq!(boxes.reply(&app, "bob", "reject").await, "executed");
        assert_eq!(boxes.reply(&app, "ann", "undo").await, "refused", "it was refused a moment ago");
        assert_eq!(boxes.reply(&app, "bob", "undo").await, "executed");
        assert_eq!(boxes.reply(&app, "ann", "accept").await, "executed");
        assert_eq!(ply(&app, "obsidio/101").await, 1);
        // The mail about the move taken back asks bob for another one.
        let other = own_example(boxes.top("bob"));
        assert_eq!(boxes.reply(&app, "ann", "queue a1 b2").await, "executed");
        assert!(boxes.top("ann").text.contains("a1"), "{}", boxes.top("ann"));
        assert_eq!(boxes.reply(&app, "bob", &other).await, "executed");
        assert!(ply(&app, "obsidio/101").await >= 2);
        assert_eq!(boxes.reply(&app, "bob", "resign\nthank you").await, "executed");
        assert!(boxes.top("ann").text.contains("Game won by ann"), "{}", boxes.top("ann"));
    }

    pub(super) async fn what_was_submitted_is_confirmed_by_a_reply(place: Place) {
        let (app, mut boxes) = begin(place, "osbox challenge ann bob").await;
        app.post("osbox set ann ann-secret confirm=on", "").await;
        app.work().await;
        app.letters();
        let first = boxes.top("ann").clone();
        assert_eq!(boxes.reply(&app, "ann", "f1\nfirst words").await, "executed");
        let one = boxes.top("ann").clone();
        insta::assert_snapshot!("submitted_by_reply", one.to_string());
        assert_eq!(app.reply("ann@ann.example", &one, "f2").await, "executed");
        boxes.fill(&app);
        // The mail that shows f1 must not play f2.
        assert_eq!(app.reply("ann@ann.example", &one, "confirm").await, "refused");
        assert_eq!(ply(&app, "osbox/101").await, 0);
        app.letters();
        assert_eq!(boxes.reply(&app, "ann", "confirm").await, "executed");
        let board = app.get("/api/v1/boards/osbox/101").await.text;
        assert!(board.contains("f2") && !board.contains("f1\""), "{board}");
        assert_eq!(app.reply("ann@ann.example", &first, "confirm").await, "refused");
    }

    pub(super) async fn a_move_in_reply_to_an_older_mail_is_refused_with_the_board(place: Place) {
        let (app, mut boxes) = begin(place, "osbox challenge ann bob").await;
        let old = boxes.top("ann").clone();
        assert_eq!(boxes.reply(&app, "ann", "f1").await, "executed");
        assert_eq!(boxes.reply(&app, "bob", "e9").await, "executed");
        assert_eq!(app.reply("ann@ann.example", &old, "f2").await, "refused");
        let refusal = app.letters();
        insta::assert_snapshot!("older_mail", show_all(&refusal));
        for word in ["f2", "pass", "queue f2 f3", "confirm", "propose", "undo", "accept"] {
            assert_eq!(app.reply("ann@ann.example", &old, word).await, "refused", "{word}");
            let told = app.letters();
            assert!(told[0].text.contains("no longer as it was"), "{word}: {}", told[0]);
        }
        assert_eq!(ply(&app, "osbox/101").await, 2);
        for word in ["show", "chat hello", "preview f2"] {
            assert_eq!(app.reply("ann@ann.example", &old, word).await, "executed", "{word}");
        }
        app.letters();
        // The refusal shows the board as it is, so that it can be answered.
        assert_eq!(app.reply("ann@ann.example", &refusal[0], "f2").await, "executed");
        assert_eq!(ply(&app, "osbox/101").await, 3);
        assert_eq!(app.reply("ann@ann.example", &old, "resign").await, "executed");
        let told = show_all(&app.letters());
        assert!(told.contains("Osbox Board 101 Resigned"), "{told}");
    }

    pub(super) async fn a_board_of_as_many_moves_is_not_the_same_board(place: Place) {
        let (app, mut boxes) = begin(place, "osbox challenge ann bob cyd").await;
        let before = boxes.top("cyd").clone();
        assert_eq!(boxes.reply(&app, "ann", "f1").await, "executed");
        let seen = boxes.top("bob").clone();
        app.clock.advance(1_000);
        assert_eq!(boxes.reply(&app, "ann", "undo").await, "executed");
        assert_eq!(boxes.reply(&app, "bob", "accept").await, "executed");
        assert_eq!(boxes.reply(&app, "cyd", "accept").await, "executed");
        app.clock.advance(1_000);
        assert_eq!(boxes.reply(&app, "ann", "f2").await, "executed");
        assert_eq!(app.reply("bob@bob.example", &seen, "e9").await, "refused");
        let plain =
            Draft { text: "e9", recipients: vec!["games@knotpost.example".to_owned()], ..Draft::default() };
        let became = app.send_reply("bob@bob.example", &seen, plain).await;
        assert_eq!(became, "foreign_sender", "without the tag it is confirmed first");
        app.clock.advance(1_000);
        assert_eq!(app.reply("ann@ann.example", &seen, "resign").await, "foreign_sender");
        assert_eq!(boxes.reply(&app, "ann", "resign").await, "executed");
        // The game begins again without her: as many moves as at the start, and another board.
        assert_eq!(ply(&app, "osbox/101").await, 0);
        assert_eq!(app.reply("bob@bob.example", &before, "e9").await, "foreign_sender");
        app.letters();
        assert_eq!(boxes.reply(&app, "bob", "f1").await, "executed");
        assert_eq!(ply(&app, "osbox/101").await, 1);
    }

    pub(super) async fn only_words_above_the_quote_are_said(place: Place) {
        let (app, mut boxes) = begin(place, "osbox challenge ann bob").await;
        assert_eq!(
            boxes.reply(&app, "ann", "\n  f1  \n\nwhat do you say?\n\nAnn\n-- \nfrom home").await,
            "executed"
        );
        insta::assert_snapshot!("said_with_a_move", boxes.top("bob").to_string());
    }

    pub(super) async fn what_is_no_short_word_is_answered_with_the_board(place: Place) {
        let (app, mut boxes) = begin(place, "osbox challenge ann bob").await;
        let top = boxes.top("ann").clone();
        assert_eq!(app.reply("ann@ann.example", &top, "hello bob, how are you?").await, "answered_error");
        insta::assert_snapshot!("no_short_word", show_all(&app.letters()));
        assert_eq!(app.reply("ann@ann.example", &top, "zz99").await, "refused");
        let told = app.letters();
        assert!(told[0].text.contains("zz99") && told[0].reply_to.is_some(), "{}", told[0]);
        assert_eq!(app.reply("ann@ann.example", &top, "").await, "answered_error");
        app.letters();
        assert_eq!(boxes.reply(&app, "ann", "move f1").await, "executed");
    }

    pub(super) async fn a_complete_command_counts_at_a_reply_address_too(place: Place) {
        let (app, boxes) = begin(place, "osbox challenge ann bob").await;
        let top = boxes.top("ann").clone();
        let subject = Some("Re: Osbox Board 101 ann ann-secret f1".to_owned());
        app.send_reply("ann@ann.example", &top, Draft { text: "f2", subject, ..Draft::default() }).await;
        let told = show_all(&app.letters());
        assert!(told.contains("1 f1") && told.contains("ann writes:\nf2\n"), "{told}");
        // On the first line too, from anywhere: its password says who it is.
        let line = "osbox move 101 bob bob-secret e9\nand words";
        app.reply("office@elsewhere.example", &top, line).await;
        let told = show_all(&app.letters());
        assert!(told.contains("2 e9") && told.contains("bob writes:\nand words\n"), "{told}");
    }

    pub(super) async fn a_reply_that_comes_twice_is_carried_out_once(place: Place) {
        let (app, boxes) = begin(place, "osbox challenge ann bob").await;
        let top = boxes.top("ann");
        let draft = Draft { text: "f1", ..Draft::default() };
        let raw = raw_reply("ann@ann.example", top, &draft, "one");
        let to = top.reply_to.clone().expect("a reply address");
        assert_eq!(app.hand_in("ann@ann.example", &[&to], &raw).await, "executed");
        app.letters();
        assert_eq!(app.hand_in("ann@ann.example", &[&to], &raw).await, "duplicate");
        let told = app.letters();
        assert_eq!(told.len(), 1, "{}", show_all(&told));
        assert!(told[0].text.contains("carried out before"), "{}", told[0]);
        assert_eq!(ply(&app, "osbox/101").await, 1);
        assert!(!boxes.top("bob").text.contains("writes:"));
    }
}
