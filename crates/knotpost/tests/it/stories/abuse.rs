//! Mail that comes twice, mail from programs, and people who ask too much.

use super::tell;

tell! {
    a_mail_that_comes_twice_is_carried_out_once,
    programs_are_neither_obeyed_nor_answered,
    lists_are_obeyed_and_answered_with_a_password_alone,
    errors_are_answered_ten_times_an_hour,
    strangers_read_nothing_of_what_was_sent_in_their_name,
    a_right_password_makes_nobody_a_reader_of_another_address,
    the_same_question_is_answered_ten_times_an_hour,
    rates_hold_back_who_asks_too_often,
    a_mail_to_the_postmaster_is_kept_sealed;
    on_postgres: a_mail_to_the_postmaster_is_kept_sealed,
}

mod stories {
    use knotpost_transport::inbound::{Envelope, Intake as _, Receipt, Way};

    use crate::harness::{ADDRESS, Place, TestApp, show_all};

    pub(super) async fn a_mail_to_the_postmaster_is_kept_sealed(place: Place) {
        let app = TestApp::start_with(place, |_| ()).await;
        let words = "Your server is down every Monday. ".repeat(100);
        let raw = format!("From: ann@ann.example\r\nSubject: trouble\r\n\r\n{words}\r\n");
        let envelope = Envelope {
            way: Way::Smtp,
            peer: None,
            helo: None,
            mail_from: Some("ann@ann.example".to_owned()),
            recipients: vec!["postmaster@knotpost.example".to_owned()],
        };
        let receipt = app.intake.receive(envelope, raw.into_bytes()).await;
        assert!(matches!(receipt, Receipt::Stored { .. }), "{receipt:?}");
        app.work().await;
        let tables = app.tables().await;
        let [row] = tables.rows("inbox") else { panic!("one mail came") };
        assert!(
            row.len() > words.len() && !row.contains("Monday"),
            "kept whole, and readable by nobody: {row}"
        );
        assert_eq!(app.letters().len(), 0, "people answer it, not the server");
    }

    pub(super) async fn a_mail_that_comes_twice_is_carried_out_once(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.letters();
        let headers = "Subject: osbox move 101 ann ann-secret f1\r\nMessage-ID: <same@ann.example>\r\n";
        app.mail_with("ann@ann.example", headers, "").await;
        assert_eq!(app.letters().len(), 2);
        let headers = format!("Received: from elsewhere by here\r\n{headers}");
        app.mail_with("ann@ann.example", &headers, "").await;
        insta::assert_snapshot!("twice", show_all(&app.letters()));
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["ply"], 1);

        // What was refused the first time was not carried out, and nobody says it was.
        let headers = "Subject: osbox move 101 ann ann-secret f2\r\nMessage-ID: <early@ann.example>\r\n";
        app.mail_with("ann@ann.example", headers, "").await;
        assert_eq!(app.letters()[0].subject, "Osbox Board 101 Error");
        app.mail_with("ann@ann.example", headers, "").await;
        assert_eq!(app.letters().len(), 0);
    }

    pub(super) async fn programs_are_neither_obeyed_nor_answered(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        let before = app.tables().await.of_the_games();
        let command = "Subject: osbox move 101 ann ann-secret f1\r\n";
        for header in [
            "Auto-Submitted: auto-replied",
            "X-Autoreply: yes",
            "X-Autorespond: on holiday",
            "Precedence: auto_reply",
        ] {
            app.mail_with("ann@ann.example", &format!("{command}{header}\r\n"), "").await;
        }
        let report =
            format!("{command}Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n");
        app.mail_with("ann@ann.example", &report, "--b\nContent-Type: text/plain\n\nNot delivered.\n--b--")
            .await;
        app.mail_with("MAILER-DAEMON@ann.example", command, "").await;
        app.mail_with(ADDRESS, command, "").await;
        app.mail_with("ann@ann.example", &format!("{command}X-Loop: {ADDRESS}\r\n"), "").await;
        app.mail_with("ann@ann.example", &format!("{}{command}", "Received: x\r\n".repeat(31)), "").await;
        let bounced = format!("From: ann@ann.example\r\nTo: {ADDRESS}\r\n{command}\r\n");
        app.receive(None, bounced.as_bytes()).await;
        app.work().await;
        assert_eq!(show_all(&app.letters()), "(no mail)\n");
        assert_eq!(app.tables().await.of_the_games(), before);
        assert_eq!(app.tables().await.rows("inbox").len(), 11, "each is kept with its reason");
    }

    pub(super) async fn lists_are_obeyed_and_answered_with_a_password_alone(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        let list = "List-Id: <friends.ann.example>\r\n";
        for subject in ["help", "nonsense", "osbox move 101 ann wrong-secret f1"] {
            app.mail_with("ann@ann.example", &format!("Subject: {subject}\r\n{list}"), "").await;
        }
        for mark in [
            "List-Post: <mailto:x@x.example>",
            "List-Unsubscribe: <http://x>",
            "Mailing-List: x",
            "Precedence: bulk",
        ] {
            app.mail_with("ann@ann.example", &format!("Subject: nonsense\r\n{mark}\r\n"), "").await;
        }
        assert_eq!(show_all(&app.letters()), "(no mail)\n");
        for (entry, told) in
            [("f99", &["Osbox Board 101 Error"][..]), ("f1", &["Osbox Board 101 bob", "Osbox Board 101 bob"])]
        {
            let subject = format!("Subject: osbox move 101 ann ann-secret {entry}\r\n{list}");
            app.mail_with("ann@ann.example", &subject, "").await;
            let subjects: Vec<String> = app.letters().into_iter().map(|letter| letter.subject).collect();
            assert_eq!(subjects, told);
        }
    }

    pub(super) async fn errors_are_answered_ten_times_an_hour(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for number in 0..13 {
            app.mail("eve@eve.example", &format!("nonsense {number}"), "").await;
        }
        let letters = app.letters();
        assert_eq!(letters.len(), 11);
        assert!(letters[..10].iter().all(|letter| letter.subject == "Error"));
        insta::assert_snapshot!("budget_spent", show_all(&letters[10..]));
        app.mail("eve@eve.example", "list", "").await;
        assert_eq!(app.letters().len(), 0, "questions are answers too");
        app.mail("other@eve.example", "nonsense", "").await;
        assert_eq!(app.letters().len(), 1, "others are not meant");
        app.clock.advance(3_600_000);
        app.mail("eve@eve.example", "nonsense", "").await;
        assert_eq!(app.letters().len(), 1, "the next hour begins anew");
    }

    pub(super) async fn strangers_read_nothing_of_what_was_sent_in_their_name(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        let spam = "buy.watches.example now";
        app.mail("eve@eve.example", spam, spam).await;
        let fixed = app.letters();
        insta::assert_snapshot!("stranger", show_all(&fixed));
        for subject in [
            format!("osbox move 101 ann wrong-secret {spam}"),
            "osbox move 101 ann wrong-secret f1".to_owned(),
            format!("signup eve short {spam}"),
        ] {
            app.mail("eve@eve.example", &subject, spam).await;
            let letters = app.letters();
            assert_eq!(letters.len(), 1);
            assert!(
                !letters[0].text.contains("watches") && letters[0].text.lines().count() < 20,
                "{letters:?}"
            );
            assert!(!letters[0].text.contains("You wrote"), "{letters:?}");
        }
        app.mail("bob@bob.example", spam, "").await;
        assert!(
            app.letters()[0].text.contains("You wrote"),
            "who reads his mail there is told what was wrong"
        );
    }

    pub(super) async fn a_right_password_makes_nobody_a_reader_of_another_address(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        // Any user may write anybody's address into From.
        let victim = "victim@vic.example";
        let spam = "buy.watches.example";
        app.mail(victim, &format!("osbox move 101 bob bob-secret {spam}"), "").await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1);
        assert!(!letters[0].text.contains("watches"), "{letters:?}");
        let many = format!("set bob bob-secret\r\n{}", "help osbox\r\n".repeat(45));
        app.mail(victim, "multiple", &many).await;
        let bytes = app.letters().iter().map(|letter| letter.text.len()).sum::<usize>();
        assert!(bytes <= 40_000, "{bytes}");
        for number in 0..30 {
            let name = ["ann", "bob"][number % 2];
            let tagged = format!("Victim+{number}@vic.example");
            app.mail(&tagged, &format!("osbox move {number} {name} {name}-secret f1"), "").await;
        }
        let more = app.letters();
        assert!(
            more.len() <= 10,
            "about ten answers in an hour and a last word, whoever asks: {}",
            show_all(&more)
        );
        app.mail("bob@bob.example", &format!("osbox move 101 bob bob-secret {spam}"), "").await;
        assert!(app.letters()[0].text.contains("You wrote"), "an address of the user's own");
        for number in 0..30 {
            app.mail("ann@ann.example", &format!("osbox showas ann ann-secret {}", 101 + number), "").await;
        }
        assert_eq!(app.letters().len(), 30, "which has a share of its own");
    }

    pub(super) async fn the_same_question_is_answered_ten_times_an_hour(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let question = "osbox showas ann ann-secret all";
        for _ in 0..12 {
            app.mail("ann@ann.example", question, "").await;
        }
        assert_eq!(app.letters().len(), 10, "and no word about it: programs do not read");
        app.mail("ann@ann.example", "osbox showas ann ann-secret active", "").await;
        app.mail("bob@bob.example", "osbox showas bob bob-secret all", "").await;
        assert_eq!(app.letters().len(), 2, "other questions and others are not meant");
        app.clock.advance(3_600_000);
        app.mail("ann@ann.example", question, "").await;
        assert_eq!(app.letters().len(), 1);
    }

    pub(super) async fn rates_hold_back_who_asks_too_often(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.limits.enabled = true;
            config.limits.signups_per_hour = 2;
            config.limits.challenges_per_hour = 1;
            config.limits.password_tries = 2;
        })
        .await;
        app.post("signup ann ann-secret ann@ann.example", "").await;
        app.post("signup bob bob-secret bob@bob.example", "").await;
        app.work().await;
        app.confirm().await;
        let third = app.post("signup cyd cyd-secret cyd@cyd.example", "").await;
        assert_eq!(third.outcome(), "429 rate_limited");
        assert!(third.header("retry-after").parse::<u32>().unwrap() > 0);

        assert_eq!(app.post("osbox challenge ann bob", "").await.outcome(), "200 ok");
        let again = app.post("osbox challenge ann bob", "").await;
        assert_eq!(again.outcome(), "429 rate_limited");
        assert!(again.header("retry-after").parse::<u32>().unwrap() > 0);

        for _ in 0..2 {
            assert_eq!(
                app.post("osbox move 101 ann wrong-secret f1", "").await.outcome(),
                "401 bad_credentials"
            );
        }
        let locked = app.post("osbox move 101 ann ann-secret f1", "").await;
        assert_eq!(locked.outcome(), "429 rate_limited");
        assert!(locked.header("retry-after").parse::<u32>().unwrap() > 0);
        assert_eq!(app.post("osbox move 101 bob bob-secret f1", "").await.outcome(), "409 not_your_turn");
        app.work().await;
        app.letters();
        // A mail is another sender: whoever guesses over HTTP locks nobody out of their mail.
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        assert_eq!(app.letters().len(), 2);
    }
}
