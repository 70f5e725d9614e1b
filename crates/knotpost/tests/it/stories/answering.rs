//! How much is answered to mail that proves nothing about its sender, and what others cannot take from those who do.

use super::tell;

tell! {
    a_question_is_answered_with_one_mail,
    an_unproven_address_gets_ten_answers_and_a_last_word,
    an_unproven_sender_gets_text_alone_and_no_more_than_forty_kilobytes,
    a_budget_that_others_spent_puts_mail_off_in_the_session,
    forged_mail_spends_nothing_of_what_a_domain_vouches_for,
    who_proves_who_they_are_has_a_budget_alone,
    sixty_mistakes_of_a_player_are_answered_and_then_whatever_is_right,
    only_users_are_heard_when_strangers_are_not_welcome;
    undeployed:
    over_http_an_answer_is_bounded_too,
}

mod stories {
    use std::fmt::Write as _;

    use knotpost_core::admin::{AdminAction, Administrator, administer};
    use knotpost_core::config::StrangerPolicy;
    use knotpost_storage::Spent;
    use knotpost_transport::inbound::{Envelope, Intake as _, Receipt, Way};

    use crate::dns::{NameServer, Zone};
    use crate::harness::{ADDRESS, HOUR, Place, TestApp};

    /// A mail that this host brings.
    async fn bring(app: &TestApp, peer: &str, from: &str, subject: &str) -> Receipt {
        let raw = format!(
            "From: {from}\r\nTo: {ADDRESS}\r\nSubject: {subject}\r\nMessage-ID: <{subject}.{from}>\r\n\r\n\r\n"
        );
        let envelope = Envelope {
            way: Way::Smtp,
            peer: Some(peer.parse().unwrap()),
            helo: Some("mail.example".to_owned()),
            mail_from: Some(from.to_owned()),
            recipients: vec![ADDRESS.to_owned()],
        };
        let receipt = app.intake.receive(envelope, raw.into_bytes()).await;
        app.work().await;
        receipt
    }

    /// As if this many answers had gone out.
    async fn spend(app: &TestApp, budget: &'static str, mails: i64) {
        let hour = app.app.clock.now().0 / HOUR;
        let spent = Spent { mails, bytes: 0 };
        let write = app.app.store.write(async move |tx| tx.spend_of_budget(budget, spent, hour).await);
        write.await.unwrap();
    }

    fn code(receipt: &Receipt) -> String {
        match receipt {
            Receipt::Stored { text } => text.clone(),
            Receipt::Refused { code, enhanced, .. } | Receipt::TryLater { code, enhanced, .. } => {
                format!("{code} {enhanced}")
            }
        }
    }

    pub(super) async fn a_question_is_answered_with_one_mail(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.mail("ann@ann.example", "obsidio challenge ann bob", "").await;
        app.letters();
        let lines = [
            format!("list {}", "osbox ".repeat(400)),
            format!("list {}", "osbox obsidio osbo ".repeat(400)),
            "help tutorial commands osbox".to_owned(),
        ];
        for (number, line) in lines.iter().enumerate() {
            app.mail(&format!("victim{number}@example.net"), line, "").await;
            let letters = app.letters();
            assert_eq!(letters.len(), 1, "{line:.30}");
            if number == 1 {
                let text = &letters[0].text;
                assert_eq!(
                    (text.matches("Osbox").count(), text.matches("Obsidio").count()),
                    (1, 1),
                    "{text}"
                );
            }
            if number == 2 {
                assert_eq!(letters[0].subject, "Help: A first game, Commands, Osbox");
                assert!(letters[0].text.contains("A first game\n====="), "{}", letters[0].text);
            }
        }
    }

    pub(super) async fn an_unproven_address_gets_ten_answers_and_a_last_word(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        for number in 0..20 {
            // Tags and case make no other address of it, and a question is as much as an error.
            let from = format!("Victim+{number}@Example.net");
            app.mail(&from, if number % 2 == 0 { "list" } else { "nonsense" }, "").await;
        }
        let letters = app.letters();
        assert_eq!(letters.len(), 11);
        assert_eq!(letters[10].subject, "No more answers until 2026-11-20 11:00 UTC");
        let inbox = app.tables().await.rows("inbox").join("\n");
        assert_eq!(inbox.matches("answer_budget").count(), 10);
        app.mail("other@example.net", "list", "").await;
        assert_eq!(app.letters().len(), 1, "others are not meant");
        app.clock.advance(HOUR);
        app.mail("victim@example.net", "list", "").await;
        assert_eq!(app.letters().len(), 1, "the next hour begins anew");
    }

    pub(super) async fn an_unproven_sender_gets_text_alone_and_no_more_than_forty_kilobytes(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        app.mail("ann@ann.example", "osbox show 101", "").await;
        assert_eq!(app.letters()[0].html, None, "that anybody knows an address proves nothing");
        app.mail("ann@ann.example", "osbox showas ann ann-secret 101", "").await;
        assert!(app.letters()[0].html.is_some());

        let lines = "help osbox\n".repeat(50);
        app.mail("victim@example.net", "multiple", &lines).await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1);
        assert!(letters[0].bytes.len() <= 40_000, "{}", letters[0].bytes.len());
        assert!(letters[0].text.contains("[The rest is left out"), "{}", letters[0].text);
        app.mail("victim@example.net", "multiple", &lines).await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1, "it would be more than 60 kB in an hour");
        assert_eq!(letters[0].subject, "No more answers until 2026-11-20 11:00 UTC");
        app.mail("victim@example.net", "list", "").await;
        assert_eq!(app.letters().len(), 0);
    }

    pub(super) async fn a_budget_that_others_spent_puts_mail_off_in_the_session(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.letters();
        for (budget, most, peer, from) in [
            ("domain example.net", 200, "192.0.2.1", "x1@example.net"),
            ("host 192.0.2.2", 200, "192.0.2.2", "x1@example.org"),
            // Two of them went out just now.
            ("all", 998, "192.0.2.3", "x1@example.com"),
        ] {
            spend(&app, budget, most - 1).await;
            assert_eq!(code(&bring(&app, peer, from, "list").await), "executed", "{budget}");
            let other = from.replace("x1", "x2");
            let before = app.tables().await;
            let receipt = bring(&app, peer, &other, "list").await;
            assert_eq!(code(&receipt), "450 4.7.1", "{budget}");
            assert!(before.differing(&app.tables().await).is_empty(), "{budget}: nothing is stored");
            assert_eq!(code(&bring(&app, peer, &other, "nonsense").await), "450 4.7.1", "{budget}");
            assert_eq!(app.letters().len(), 1, "{budget}");
        }
        // Whoever proves who they are is not held up by any of this.
        let receipt = bring(&app, "192.0.2.2", "ann@example.net", "osbox move 101 ann ann-secret f1").await;
        assert!(matches!(receipt, Receipt::Stored { .. }), "{receipt:?}");
        assert_eq!(app.letters().len(), 2);
        app.clock.advance(HOUR);
        assert_eq!(code(&bring(&app, "192.0.2.3", "x3@example.com", "list").await), "executed");
    }

    pub(super) async fn forged_mail_spends_nothing_of_what_a_domain_vouches_for(place: Place) {
        let server =
            NameServer::start(Zone::default().txt("fred.example", "v=spf1 ip4:192.0.2.7 -all")).await;
        let app =
            TestApp::start_with(place, |config| config.inbound.dns = vec![server.address.clone()]).await;
        spend(&app, "domain fred.example", 200).await;
        spend(&app, "all", 1_000).await;
        let forged = bring(&app, "198.51.100.1", "fred@fred.example", "list").await;
        assert_eq!(code(&forged), "450 4.7.1");
        let honest = bring(&app, "192.0.2.7", "fred@fred.example", "help").await;
        assert_eq!(code(&honest), "executed");
        assert_eq!(app.letters().len(), 1);
        spend(&app, "aligned domain fred.example", 2_000).await;
        let spent = bring(&app, "192.0.2.7", "fred@fred.example", "list").await;
        assert_eq!(code(&spent), "450 4.7.1", "its own share has an end too");
    }

    pub(super) async fn who_proves_who_they_are_has_a_budget_alone(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.letters();
        spend(&app, "address ann@ann.example", 100).await;
        spend(&app, "answers address ann@ann.example", 100).await;
        for number in 0..15 {
            app.mail("ann@ann.example", &format!("osbox move 101 ann ann-secret z{number}"), "").await;
        }
        assert_eq!(app.letters().len(), 15, "nobody loses what they are told about their own errors");
        app.mail("ann@ann.example", "osbox move 101 ann wrong-secret f1", "").await;
        assert_eq!(app.letters().len(), 1, "a wrong password proves nothing: the last word");
        app.mail("ann@ann.example", "osbox move 101 ann wrong-secret f2", "").await;
        assert_eq!(app.letters().len(), 0);
    }

    pub(super) async fn sixty_mistakes_of_a_player_are_answered_and_then_whatever_is_right(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        app.letters();
        app.clock.advance(HOUR - 7 * 60_000);
        let slip = async |number: usize| {
            app.mail("ann@ann.example", &format!("osbox move 101 ann ann-secret z{number}"), "").await;
            app.letters()
        };
        for number in 1..=60 {
            let letters = slip(number).await;
            assert!(
                letters.len() == 1 && letters[0].subject == "Osbox Board 101 Error",
                "{number}: {letters:?}"
            );
        }
        let last = slip(61).await;
        insta::assert_snapshot!("mistakes_spent", crate::harness::show_all(&last));
        for number in 62..65 {
            assert_eq!(slip(number).await.len(), 0);
        }
        app.mail("ann@ann.example", "osbox show 101", "").await;
        assert_eq!(app.letters().len(), 1, "questions are answered");
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret o1", "").await;
        assert_eq!(app.letters().len(), 2, "moves are carried out and mailed");
        app.clock.advance(7 * 60_000);
        assert_eq!(slip(99).await.len(), 1, "the next hour begins anew");
    }

    pub(super) async fn only_users_are_heard_when_strangers_are_not_welcome(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.accounts.confirm_addresses = knotpost_core::config::Confirm::On;
            config.limits.strangers = StrangerPolicy::Known;
        })
        .await;
        let ann = knotpost_core::admin::UserEdit::Add {
            password: "ann-secret".to_owned(),
            addresses: vec!["ann@ann.example".to_owned()],
        };
        crate::harness::edit_user(&app.app, "ann", ann).await.unwrap();
        app.work().await;
        app.letters();
        let peer = "192.0.2.1";
        assert_eq!(code(&bring(&app, peer, "eve@eve.example", "list").await), "550 5.7.1");
        assert_eq!(code(&bring(&app, peer, "eve@eve.example", "nonsense").await), "550 5.7.1");
        assert_eq!(code(&bring(&app, peer, "eve@eve.example", "signup eve eve-secret").await), "550 5.7.1");
        assert_eq!(code(&bring(&app, peer, "ann@ann.example", "list").await), "executed");
        assert_eq!(app.letters().len(), 1);
        // From anywhere with the right password; with a wrong one there is no answer.
        let showas = "osbox showas ann ann-secret all";
        assert!(matches!(bring(&app, peer, "ann@work.example", showas).await, Receipt::Stored { .. }));
        assert_eq!(app.letters().len(), 1);
        bring(&app, peer, "eve@eve.example", "osbox showas ann bad-secret all").await;
        assert_eq!(app.letters().len(), 0);
        let page = app.post("signup bob bob-secret bob@bob.example", "").await;
        assert_eq!(page.outcome(), "200 ok", "on the web they can sign up");

        let admin = Administrator::of_shell("root");
        let closed = AdminAction::Strangers { policy: Some(StrangerPolicy::Closed) };
        administer(&app.app, &admin, closed).await.unwrap();
        assert_eq!(
            code(&bring(&app, peer, "ann@ann.example", "help").await),
            "550 5.7.1",
            "it may be forged"
        );
        assert_eq!(app.post("signup cyd cyd-secret cyd@cyd.example", "").await.outcome(), "403 not_allowed");
        app.work().await;
        app.letters();
        bring(&app, peer, "ann@ann.example", "osbox showas ann ann-secret active").await;
        assert_eq!(app.letters().len(), 1);

        let open = AdminAction::Strangers { policy: Some(StrangerPolicy::Open) };
        administer(&app.app, &admin, open).await.unwrap();
        assert_eq!(code(&bring(&app, peer, "eve@eve.example", "help").await), "executed");
        let audit = app.tables().await.rows("audit").join("\n");
        assert!(audit.contains("strangers"), "{audit}");
    }

    pub(super) async fn over_http_an_answer_is_bounded_too(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for _ in 0..40 {
            app.post("osbox challenge ann bob", "").await;
        }
        let one = app.post("list osbox", "").await.text.len();
        let many = app.post(&format!("list {}", "osbox ".repeat(3_000)), "").await;
        assert_eq!((many.outcome(), many.text.len()), ("200 ok".to_owned(), one));
        let page = app.post(&format!("list {}", "osbox ".repeat(8_000)), "").await;
        assert_eq!(page.outcome(), "413 too_large");
        let mut boards = String::new();
        (101..141).for_each(|number| write!(boards, " {number}").unwrap());
        let one = app.post(&format!("osbox show{boards}"), "").await.text.len();
        let fifty = app.post("multiple", &format!("osbox show{boards}\n").repeat(50)).await.text;
        assert!(fifty.len() < 400_000 + 3 * one, "{} for {one}", fifty.len());
        assert!(fifty.contains("fill the mail already"), "the rest is refused");
    }
}
