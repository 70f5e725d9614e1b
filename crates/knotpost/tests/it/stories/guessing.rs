//! Whoever guesses passwords: how far that goes, and that it locks nobody out.

use crate::stories::tell;

tell! {
    forged_senders_share_the_tries_of_strangers_and_lock_no_owner_out,
    one_host_tries_few_passwords_whatever_accounts_it_names,
    a_right_password_spends_nothing,
    a_password_that_was_right_elsewhere_is_not_to_be_guessed_here,
    hosts_of_log_ins_are_known_for_a_month,
    a_flood_of_wrong_passwords_turns_no_right_one_away,
    a_new_password_makes_nobody_else_hash_again,
    an_owner_plays_by_unaligned_mail_while_the_password_is_guessed;
    on_postgres: forged_senders_share_the_tries_of_strangers_and_lock_no_owner_out,
}

mod stories {
    use knotpost_core::admin::UserEdit;

    use knotpost_transport::inbound::{Envelope, Intake as _, Way};

    use crate::harness::{ADDRESS, Place, TestApp, edit_user, show_all};

    const PROXIED: &str = "x-forwarded-for";

    async fn start(place: Place, tries: u32) -> TestApp {
        let app = TestApp::start_with(place, |config| {
            config.limits.enabled = true;
            config.limits.password_tries = tries;
            config.http.trusted_proxies = vec!["127.0.0.1".to_owned()].try_into().unwrap();
            config.inbound.trusted_authserv = vec!["mx.knotpost.example".to_owned()];
        })
        .await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        app
    }

    async fn say(app: &TestApp, host: &str, line: &str) -> String {
        app.post_with(line, "", &[(PROXIED, host)]).await.outcome()
    }

    pub(super) async fn forged_senders_share_the_tries_of_strangers_and_lock_no_owner_out(place: Place) {
        let app = start(place, 7).await;
        assert_eq!(say(&app, "198.51.100.1", "osbox accept ann ann-secret").await, "200 ok");
        app.work().await;
        app.letters();

        let before = app.app.credentials.computed();
        for number in 0..40 {
            let line = format!("add ann wrong-{number} me@evil.example");
            app.mail(&format!("x{number}@e{number}.example"), &line, "").await;
        }
        assert_eq!(app.app.credentials.computed() - before, 21, "three times as many as one place may try");
        let letters = app.letters();
        let warnings: Vec<_> = letters.iter().filter(|letter| letter.to == "ann@ann.example").collect();
        assert_eq!(warnings.len(), 1, "its owner hears of it once");
        insta::assert_snapshot!("wrong_passwords", show_all(&[warnings[0].clone()]));

        // Right or wrong, nobody unknown is heard now, whichever way they come.
        app.mail("last@e.example", "add ann ann-secret me@evil.example", "").await;
        let right = app.letters();
        app.mail("late@e.example", "add ann wrong-xx me@evil.example", "").await;
        let wrong = app.letters();
        assert_eq!((right.len(), wrong.len()), (1, 1));
        assert_eq!(right[0].text, wrong[0].text, "nothing tells one from the other");
        assert!(right[0].text.contains("Too many tries"), "{}", right[0].text);
        assert_eq!(say(&app, "203.0.113.9", "osbox accept ann ann-secret").await, "429 rate_limited");
        assert!(!app.tables().await.rows("addresses").iter().any(|row| row.contains("evil")));

        // Ann herself, where she is known; and others anywhere.
        assert_eq!(say(&app, "198.51.100.1", "osbox reject ann ann-secret").await, "200 ok");
        app.mail_aligned("ann@ann.example", "osbox accept ann ann-secret").await;
        let letters = app.letters();
        assert!(
            letters.iter().all(|letter| !letter.text.contains("Too many tries")),
            "{}",
            show_all(&letters)
        );
        assert_eq!(say(&app, "203.0.113.9", "osbox accept bob bob-secret").await, "200 ok");

        // A domain that vouches for a stranger vouches for no address of hers.
        app.mail_aligned("x@evil.example", "osbox accept ann ann-secret").await;
        let letters = app.letters();
        assert!(
            letters.iter().any(|letter| letter.text.contains("Too many tries")),
            "{}",
            show_all(&letters)
        );
    }

    pub(super) async fn one_host_tries_few_passwords_whatever_accounts_it_names(place: Place) {
        let app = start(place, 1).await;
        for number in 0..10 {
            let line = format!("osbox accept nobody{number} wrong-secret");
            assert_eq!(say(&app, "198.51.100.1", &line).await, "401 bad_credentials", "{line}");
        }
        assert_eq!(say(&app, "198.51.100.1", "osbox accept bob wrong-secret").await, "429 rate_limited");
        assert_eq!(say(&app, "198.51.100.1", "osbox accept bob bob-secret").await, "429 rate_limited");
        assert_eq!(say(&app, "198.51.100.2", "osbox accept bob wrong-secret").await, "401 bad_credentials");
        assert_eq!(say(&app, "198.51.100.3", "osbox accept bob bob-secret").await, "200 ok");
    }

    pub(super) async fn a_right_password_spends_nothing(place: Place) {
        let app = start(place, 2).await;
        for round in 0..8 {
            app.app.credentials.forget_all();
            assert_eq!(say(&app, "203.0.113.1", "osbox accept ann ann-secret").await, "200 ok", "{round}");
        }
        for _ in 0..2 {
            let wrong = say(&app, "203.0.113.1", "osbox accept ann ann-wrong").await;
            assert_eq!(wrong, "401 bad_credentials");
        }
        assert_eq!(say(&app, "203.0.113.1", "osbox accept ann ann-secret").await, "429 rate_limited");
    }

    pub(super) async fn a_password_that_was_right_elsewhere_is_not_to_be_guessed_here(place: Place) {
        let app = start(place, 2).await;
        assert_eq!(say(&app, "203.0.113.1", "osbox accept ann ann-secret").await, "200 ok");
        for _ in 0..2 {
            assert_eq!(say(&app, "203.0.113.2", "osbox accept ann ann-wrong").await, "401 bad_credentials");
        }
        assert_eq!(say(&app, "203.0.113.2", "osbox accept ann ann-secret").await, "429 rate_limited");
        assert_eq!(say(&app, "203.0.113.1", "osbox accept ann ann-secret").await, "200 ok");
    }

    pub(super) async fn hosts_of_log_ins_are_known_for_a_month(place: Place) {
        let app = start(place, 1).await;
        assert_eq!(say(&app, "203.0.113.1", "osbox accept ann ann-secret").await, "200 ok");
        app.app.credentials.forget_all();
        for number in 2..5 {
            let host = format!("203.0.113.{number}");
            assert_eq!(say(&app, &host, "osbox accept ann ann-wrong").await, "401 bad_credentials");
        }
        assert_eq!(say(&app, "203.0.113.5", "osbox accept ann ann-secret").await, "429 rate_limited");
        let rows = app.tables().await.rows("login_hosts").to_vec();
        assert!(rows.len() == 1 && rows[0].contains("203.0.113.1"), "{rows:?}");
        assert_eq!(say(&app, "203.0.113.1", "osbox accept ann ann-secret").await, "200 ok");
        // After a month without it the host is as unknown as any.
        app.clock.advance(31 * 86_400_000);
        assert_eq!(say(&app, "203.0.113.1", "osbox accept ann ann-secret").await, "429 rate_limited");
    }

    pub(super) async fn a_flood_of_wrong_passwords_turns_no_right_one_away(place: Place) {
        let app = start(place, 1_000_000).await;
        let flood = (0..420).map(|number| {
            let app = &app;
            async move { say(app, "203.0.113.66", &format!("osbox accept nobody{number} wrong-pw")).await }
        });
        let (flood, right) = tokio::join!(
            futures_util::future::join_all(flood),
            say(&app, "198.51.100.1", "osbox accept ann ann-secret")
        );
        assert_eq!(right, "200 ok");
        assert!(flood.iter().any(|outcome| outcome == "503 unavailable"), "{flood:?}");
    }

    pub(super) async fn a_new_password_makes_nobody_else_hash_again(place: Place) {
        let app = start(place, 10).await;
        for line in ["osbox accept ann ann-secret", "osbox accept bob bob-secret"] {
            assert_eq!(say(&app, "203.0.113.1", line).await, "200 ok");
        }
        assert_eq!(say(&app, "203.0.113.1", "change password ann ann-secret ann-new-one").await, "200 ok");
        let edit = UserEdit::Role("admin");
        edit_user(&app.app, "ann", edit).await.unwrap();
        let before = app.app.credentials.computed();
        assert_eq!(say(&app, "203.0.113.1", "osbox accept bob bob-secret").await, "200 ok");
        assert_eq!(app.app.credentials.computed(), before, "bob's is remembered");
        assert_eq!(say(&app, "203.0.113.1", "osbox accept ann ann-secret").await, "401 bad_credentials");
    }

    /// A mail as a host hands it in, for which no domain vouches; then the limit that bob has set.
    async fn limit_after(app: &TestApp, host: &str, from: &str, line: &str) -> Option<i64> {
        let number = app.app.clock.now().0;
        let raw = format!(
            "From: {from}\r\nTo: {ADDRESS}\r\nSubject: {line}\r\nMessage-ID: <{number}.{host}@x.example>\r\n\r\n"
        );
        let envelope = Envelope {
            way: Way::Smtp,
            peer: Some(host.parse().unwrap()),
            helo: None,
            mail_from: Some(from.to_owned()),
            recipients: vec![ADDRESS.to_owned()],
        };
        app.clock.advance(1);
        app.intake.receive(envelope, raw.into_bytes()).await;
        app.work().await;
        let mut tx = app.app.store.read().await.unwrap();
        let bob = tx.find_user("bob").await.unwrap().unwrap();
        tx.board_limit("osbox", bob.id).await.unwrap()
    }

    pub(super) async fn an_owner_plays_by_unaligned_mail_while_the_password_is_guessed(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.limits.enabled = true;
            config.smtp.relays = knotpost_model::Networks::default();
        })
        .await;
        app.sign_up("bob").await;
        let (bob, stranger) = ("bob@bob.example", "x@e.example");
        let wrong = |number: usize| format!("osbox limit bob wrong-{number} 1");
        for number in 0..40 {
            let from = format!("x{number}@e{number}.example");
            limit_after(&app, "198.51.100.7", &from, &wrong(number)).await;
        }
        // Forgers in bob's name, each at a host of its own.
        for number in 0..20 {
            limit_after(&app, &format!("203.0.113.{number}"), bob, &wrong(number)).await;
        }
        let right = |limit: i64| format!("osbox limit bob bob-secret {limit}");
        assert_eq!(limit_after(&app, "198.51.100.7", stranger, &right(6)).await, None, "the tries are spent");
        assert_eq!(limit_after(&app, "192.0.2.33", bob, &right(7)).await, Some(7), "but for the owner");
        // The share is small, and of that host alone.
        for number in 0..3 {
            limit_after(&app, "203.0.113.77", bob, &wrong(number)).await;
        }
        assert_eq!(limit_after(&app, "203.0.113.77", bob, &right(8)).await, Some(7), "spent");
        app.app.credentials.forget_all();
        assert_eq!(limit_after(&app, "192.0.2.33", bob, &right(9)).await, Some(9));
    }
}
