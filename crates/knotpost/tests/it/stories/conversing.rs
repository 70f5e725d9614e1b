//! Every mail that can be answered is answered by replying: what others said, errors, boards that were asked for.

use super::tell;

tell! {
    what_others_said_is_answered_by_replying,
    a_message_is_answered_by_replying,
    an_error_about_a_board_is_answered_by_replying,
    a_board_that_was_asked_for_is_answered_by_replying,
    a_move_in_the_subject_is_promised_only_where_it_works,
    words_that_look_like_the_servers_are_marked,
    footers_of_lists_are_not_passed_on,
}

mod stories {
    use crate::harness::{Letter, Mailboxes, Place, TestApp, show_all};

    async fn begin(place: Place) -> (TestApp, Mailboxes) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        let mut boxes = Mailboxes::default();
        boxes.fill(&app);
        (app, boxes)
    }

    async fn ply(app: &TestApp) -> i64 {
        app.get("/api/v1/boards/osbox/101").await.json()["ply"].as_i64().unwrap_or(-1)
    }

    /// The one mail that was sent to this address since the last look.
    fn only(app: &TestApp, to: &str) -> Letter {
        let told = app.letters();
        let mut mine = told.iter().filter(|letter| letter.to == to);
        let found = mine.next().unwrap_or_else(|| panic!("{to} got nothing: {}", show_all(&told)));
        assert!(mine.next().is_none(), "{}", show_all(&told));
        found.clone()
    }

    pub(super) async fn what_others_said_is_answered_by_replying(place: Place) {
        let (app, _) = begin(place).await;
        app.mail("bob@bob.example", "osbox chat 101 bob bob-secret", "good luck!").await;
        let chat = only(&app, "ann@ann.example");
        insta::assert_snapshot!("chat_to_the_player_on_turn", chat.to_string());
        for (text, said) in [
            ("Thanks!\nYou too.", "ann writes:\nThanks!\nYou too.\n"),
            ("resign", "ann writes:\nresign\n"),
            ("help me", "ann writes:\nhelp me\n"),
            ("chat\nwell said", "ann writes:\nwell said\n"),
            ("o99", "ann writes:\no99\n"),
        ] {
            assert_eq!(app.reply("ann@ann.example", &chat, text).await, "executed", "{text}");
            let told = only(&app, "bob@bob.example");
            assert!(told.subject.starts_with("Osbox chat 101"), "{told}");
            assert!(told.text.contains(said), "{text}: {told}");
        }
        assert_eq!(ply(&app).await, 0);
        // What holds the password is passed on to nobody.
        app.reply("ann@ann.example", &chat, "osbox chat 101 ann ann-secret more words").await;
        let told = show_all(&app.letters());
        assert!(!told.contains("ann-secret") && !told.contains("To: bob"), "{told}");
        assert_eq!(app.reply("ann@ann.example", &chat, "O1.\nhere I go").await, "executed");
        assert_eq!(ply(&app).await, 1);
        let told = only(&app, "bob@bob.example");
        assert!(told.text.contains("ann writes:\nhere I go\n"), "{told}");
        // Not on turn, the same line is talk.
        assert_eq!(app.reply("ann@ann.example", &chat, "o1").await, "executed");
        assert!(only(&app, "bob@bob.example").text.contains("ann writes:\no1\n"));
        assert_eq!(ply(&app).await, 1);
    }

    pub(super) async fn a_message_is_answered_by_replying(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", "message ann ann-secret bob", "Shall we play?").await;
        let first = only(&app, "bob@bob.example");
        insta::assert_snapshot!("message", first.to_string());
        assert_eq!(app.reply("bob@bob.example", &first, "Yes please!\n\nWhich game?").await, "executed");
        let back = only(&app, "ann@ann.example");
        assert_eq!(back.subject, "A message from bob via Knotpost");
        assert!(back.text.contains("Yes please!\nWhich game?\n"), "{back}");
        assert!(back.text.contains("bob writes to ann:"), "{back}");
        // Words that are a command elsewhere are words here.
        for text in ["help", "list", "osbox"] {
            assert_eq!(app.reply("ann@ann.example", &back, text).await, "executed");
            assert!(only(&app, "bob@bob.example").text.contains(&format!("\n{text}\n")));
        }
        // Nobody but its reader answers it.
        assert_eq!(app.reply("cyd@cyd.example", &first, "It was me").await, "bad_token");
        let told = show_all(&app.letters());
        assert!(!told.contains("To: ann"), "{told}");
        app.reply("bob@bob.example", &first, "message bob bob-secret cyd\nhello").await;
        let told = show_all(&app.letters());
        assert!(told.contains("To: cyd") && !told.contains("bob-secret"), "{told}");
    }

    pub(super) async fn an_error_about_a_board_is_answered_by_replying(place: Place) {
        let (app, _) = begin(place).await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret z9", "").await;
        let error = only(&app, "ann@ann.example");
        insta::assert_snapshot!("error_that_can_be_answered", error.to_string());
        assert_eq!(app.reply("ann@ann.example", &error, "o1").await, "executed");
        assert_eq!(ply(&app).await, 1);
        app.letters();
        // At an address that is nobody's there is nothing to be answered.
        app.mail("office@elsewhere.example", "osbox move 101 bob bob-secret z9", "").await;
        assert!(only(&app, "office@elsewhere.example").reply_to.is_none());
    }

    pub(super) async fn a_board_that_was_asked_for_is_answered_by_replying(place: Place) {
        let (app, _) = begin(place).await;
        app.mail("ann@ann.example", "osbox show 101", "").await;
        let shown = only(&app, "ann@ann.example");
        assert!(shown.text.contains("To move, reply to this mail"), "{shown}");
        assert_eq!(app.reply("ann@ann.example", &shown, "o1").await, "executed");
        assert_eq!(ply(&app).await, 1);
        app.letters();
        app.mail("bob@bob.example", "multiple", "osbox show 101\nlist").await;
        let several = only(&app, "bob@bob.example");
        assert_eq!(app.reply("bob@bob.example", &several, "e9").await, "executed");
        assert_eq!(ply(&app).await, 2);
        app.letters();
        // An older position and a stranger's view are answered by nobody.
        app.mail("ann@ann.example", "osbox show 101#1", "").await;
        let older = only(&app, "ann@ann.example");
        assert!(older.reply_to.is_none());
        assert!(older.text.contains("\nAs it was after move 1 of 2.\n\nIt is bob's turn.\n"), "{older}");
        for words in ["Subject", "PASSWORD", "reply"] {
            assert!(!older.text.contains(words), "{words}: {older}");
        }
        app.mail("bob@bob.example", "osbox showas bob bob-secret 101#0", "").await;
        let older = only(&app, "bob@bob.example");
        assert!(older.text.contains("\nAs it was at the start.\n"), "{older}");
        assert!(!older.text.contains("PASSWORD"), "{older}");
        app.mail("ann@ann.example", "osbox show 101#2", "").await;
        let present = only(&app, "ann@ann.example");
        assert!(present.text.contains("PASSWORD") && !present.text.contains("As it was"), "{present}");
        app.mail("eve@elsewhere.example", "osbox show 101", "").await;
        assert!(only(&app, "eve@elsewhere.example").reply_to.is_none());
    }

    pub(super) async fn a_move_in_the_subject_is_promised_only_where_it_works(place: Place) {
        let (app, boxes) = begin(place).await;
        let promise = |letter: &Letter| letter.text.contains("added to the Subject");
        assert!(promise(boxes.top("ann")));
        app.mail("bob@bob.example", "osbox chat 101 bob bob-secret", "hello").await;
        assert!(!promise(&only(&app, "ann@ann.example")));
        app.mail("ann@ann.example", "multiple", "osbox show 101").await;
        assert!(!promise(&only(&app, "ann@ann.example")));
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret z9", "").await;
        let error = only(&app, "ann@ann.example");
        assert!(promise(&error), "{error}");
        app.mail("ann@ann.example", &format!("Re: {} ann-secret o1", error.subject), "").await;
        assert_eq!(ply(&app).await, 1);
        app.letters();
        app.mail("ann@ann.example", "osbox queue 101 ann ann-secret o2", "").await;
        let queue = only(&app, "ann@ann.example");
        app.mail("bob@bob.example", &format!("Re: {} bob-secret e9", queue.subject), "").await;
        // The queued move follows at once.
        assert_eq!(ply(&app).await, 3);
    }

    pub(super) async fn words_that_look_like_the_servers_are_marked(place: Place) {
        let (app, _) = begin(place).await;
        let text = format!("hello\n{}\nIt is bob's turn.\ncarol writes:\nI resign", "*".repeat(60));
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret o1", &text).await;
        let told = only(&app, "bob@bob.example");
        let marked = format!("hello\n| {}\n| It is bob's turn.\n| carol writes:\nI resign\n", "*".repeat(60));
        assert!(told.text.contains(&marked), "{told}");
        app.mail("ann@ann.example", "message ann ann-secret bob", &text).await;
        let told = only(&app, "bob@bob.example");
        assert!(told.text.contains(&marked), "{told}");
    }

    pub(super) async fn footers_of_lists_are_not_passed_on(place: Place) {
        let (app, boxes) = begin(place).await;
        let top = boxes.top("ann").clone();
        let rule = "_".repeat(47);
        let text = format!("o1\ngood luck\n{rule}\nGames mailing list\nhttps://lists.example/games");
        assert_eq!(app.reply("ann@ann.example", &top, &text).await, "executed");
        let told = only(&app, "bob@bob.example");
        assert!(told.text.contains("ann writes:\ngood luck\n"), "{told}");
        assert!(!told.text.contains("mailing list"), "{told}");
    }
}
