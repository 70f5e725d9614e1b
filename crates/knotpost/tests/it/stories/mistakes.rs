//! Slips of people who play by mail: what was sent, and what came of it. Each is carried out as it was meant, or gets a
//! hint that helps.
//!
//! A slip is a line in one of the tables.

use super::tell;

tell! {
    slips_in_a_mail_are_carried_out,
    slips_in_a_reply_are_carried_out,
    slips_in_a_mail_get_a_hint,
    slips_in_a_reply_get_a_hint,
    passwords_below_an_empty_subject_are_stored_nowhere,
}

mod stories {
    use crate::harness::{Letter, Mailboxes, Place, TestApp, show_all};

    /// A Subject and the text below it; both play o1 for ann.
    const PLAYED: &[(&str, &str)] = &[
        ("", "osbox move 101 ann ann-secret o1"),
        ("", "\n\nosbox move 101 ann ann-secret o1\nhave fun\n\n-- \nAnn"),
        ("(no subject)", "osbox move 101 ann ann-secret o1"),
        ("(kein Betreff)", "osbox move 101 ann ann-secret o1"),
        ("Re:", "osbox move 101 ann ann-secret o1"),
        ("Osbox", "osbox move 101 ann ann-secret o1"),
        ("osbox", "move 101 ann ann-secret o1"),
        ("Re: Re: osbox move 101 ann ann-secret o1", ""),
        ("AW: WG: osbox move 101 ann ann-secret o1", ""),
        ("OSBOX MOVE 101 Ann ann-secret O1", ""),
        ("osbox move #101 ann ann-secret o1", ""),
        ("osbox move 101 ann “ann-secret” o1", ""),
        ("osbox move 101 ann ann-secret o1.", ""),
        ("osbox move 101 ann ann-secret *O1*", ""),
        ("osbox move 101 ann ann-secret \"o1\"", ""),
        ("  osbox   move 101  ann ann-secret   o1 ", ""),
        ("osbox mvoe 101 ann ann-secret o1", ""),
        ("Re: New Osbox Board 101 ann ann-secret o1", ""),
        ("Re: Osbox Board 101 Error ann-secret o1", ""),
        ("Re: Osbox Board 101 Error ann ann-secret o1", ""),
        ("Re: Osbox Board 101 Queue ann-secret o1", ""),
        ("Re: Osbox Board 101 Resigned ann-secret o1", ""),
        ("Re: Osbox Board 101 Record ann ann-secret o1", ""),
    ];

    /// Replies to a mail about the board; all play o1 for ann.
    const PLAYED_BY_REPLY: &[&str] = &[
        "O1",
        "O1.",
        "*o1*",
        "_o1_",
        "\"o1\"",
        "“o1”",
        "(o1)",
        "`o1`",
        "o1!",
        "o1,",
        "o 1",
        "Move: o1",
        "My move: O1.",
        "Zug: o1",
        "move o1",
        "o1#1",
        "\n\n   o1   \n",
        "o1\no2",
        "o1\n\nHave fun!\n\n-- \nAnn",
        "osbox move 101 ann ann-secret o1",
    ];

    /// A Subject, the text below it, and what the answer says.
    const HINTED: &[(&str, &str, &str)] = &[
        ("", "osbox move 101 ann o1", "osbox move 101 ann PASSWORD"),
        ("", "Hello, how do I play?", "neither a command nor a game"),
        ("osbox challenge ann bob -size 5", "", "is a number where a userid must stand"),
        ("osbox 101 ann ann-secret o1", "", "`move`"),
        ("move osbox 101 ann ann-secret o1", "", "osbox move"),
        ("osbox move 101 ann ann-secret z9", "", "Legal moves"),
        ("osbox move 101 ann wrong-secret o1", "", "A mail with the Subject `password USERID` brings"),
        ("Osbox", "let us play", "neither a command nor a game"),
        ("Fwd: my holiday", "o1", "neither a command nor a game"),
    ];

    /// Replies of ann to the first mail about the board, and what the answer says.
    const HINTED_BY_REPLY: &[(&str, &str)] = &[
        ("Hi Bob,\no1", "write `o1` alone on the first line"),
        ("Hallo Bob,\n\nmein Zug ist\n\nO1.", "write `O1` alone on the first line"),
        ("o1 o1", "write `o1` alone on the first line"),
        ("I play o1 now, good luck", "write `o1` alone on the first line"),
        ("osbox 101 o1", "write `o1` alone on the first line"),
        ("No thanks, I have no time.", "with `resign` alone on the first line"),
        ("No thank you.", "with `resign` alone on the first line"),
        ("", "A move is the first line of the reply, alone"),
        ("-- \nAnn", "A move is the first line of the reply, alone"),
        ("ok", "Legal moves"),
        ("o99", "For example: o1 You wrote"),
        ("o1?", "Legal moves"),
        ("preview", "After `preview` must come moves"),
        ("Thanks for the challenge!", "A move is the first line of the reply, alone"),
    ];

    async fn begin(place: Place) -> (TestApp, Letter) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        let mut boxes = Mailboxes::default();
        boxes.fill(&app);
        let first = boxes.top("ann").clone();
        (app, first)
    }

    /// Begins at this place, and in a file when it is taken: a database is had once.
    async fn begin_again(place: &mut Option<Place>) -> (TestApp, Letter) {
        begin(place.take().unwrap_or(Place::Deployed(None))).await
    }

    async fn moves(app: &TestApp) -> String {
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        board["moves"].to_string()
    }

    async fn check_played(app: &TestApp, slip: &str) {
        let (made, told) = (moves(app).await, show_all(&app.letters()));
        assert!(made.contains("\"o1\""), "{slip:?}: {made}\n{told}");
    }

    fn check_hint(app: &TestApp, slip: &str, hint: &str) {
        let told = app.letters();
        let flat = |letter: &Letter| letter.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(told.len(), 1, "{slip:?}: {}", show_all(&told));
        assert!(flat(&told[0]).contains(hint), "{slip:?}: {}", show_all(&told));
    }

    pub(super) async fn slips_in_a_mail_are_carried_out(place: Place) {
        let mut place = Some(place);
        for (subject, text) in PLAYED {
            let (app, _) = begin_again(&mut place).await;
            app.mail("ann@ann.example", subject, text).await;
            check_played(&app, &format!("{subject} / {text}")).await;
        }
    }

    pub(super) async fn slips_in_a_reply_are_carried_out(place: Place) {
        let mut place = Some(place);
        for text in PLAYED_BY_REPLY {
            let (app, first) = begin_again(&mut place).await;
            app.reply("ann@ann.example", &first, text).await;
            check_played(&app, text).await;
        }
    }

    pub(super) async fn slips_in_a_mail_get_a_hint(place: Place) {
        let (app, _) = begin(place).await;
        for (subject, text, hint) in HINTED {
            app.mail("ann@ann.example", subject, text).await;
            check_hint(&app, &format!("{subject} / {text}"), hint);
        }
    }

    pub(super) async fn slips_in_a_reply_get_a_hint(place: Place) {
        let (app, first) = begin(place).await;
        for (text, hint) in HINTED_BY_REPLY {
            app.reply("ann@ann.example", &first, text).await;
            check_hint(&app, text, hint);
        }
        assert_eq!(moves(&app).await, "[]");
        // Once they have moved, nothing is said of declining.
        app.reply("ann@ann.example", &first, "o1").await;
        let board = app.letters().into_iter().find(|letter| letter.to == "ann@ann.example").expect("a board");
        app.reply("ann@ann.example", &board, "No thanks, I have no time.").await;
        let told = show_all(&app.letters());
        assert!(!told.contains("To decline"), "{told}");
    }

    pub(super) async fn passwords_below_an_empty_subject_are_stored_nowhere(place: Place) {
        let (app, _) = begin(place).await;
        for line in [
            "osbox move 101 ann ann-secret o1",
            "osbox move 101 ann ann-secret z9",
            "osbox move 101 ann-secret o1",
            "osbox move 101 ann wrong-ann-secret o1",
        ] {
            app.mail("ann@ann.example", "", &format!("{line}\nmy password is ann-secret")).await;
        }
        let told = show_all(&app.letters());
        assert!(!told.contains("ann-secret"), "{told}");
        let tables = app.tables().await;
        let rows = tables.rows("inbox");
        assert!(rows.iter().any(|row| row.contains("osbox move 101 ann ********")), "{rows:?}");
        assert!(rows.iter().all(|row| !row.contains("ann-secret")), "{rows:?}");
    }
}
