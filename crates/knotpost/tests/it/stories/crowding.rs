//! What one stranger does in great number closes nothing for others.

use crate::stories::tell;

tell! {
    resets_for_nobody_close_no_resets,
    challenges_that_fail_close_no_challenges,
    one_host_signs_up_few_accounts_by_mail_and_none_over_http_for_it,
    chats_are_limited_for_each_board_on_every_way_in,
    a_chat_by_mail_over_the_limit_is_answered_once,
    proposals_are_limited_for_each_board,
    after_the_end_only_players_and_subscribers_chat,
    strangers_challenge_a_user_a_few_times_a_day,
}

mod stories {
    use knotpost_core::config::{Config, Limits};
    use knotpost_transport::inbound::{Envelope, Intake as _, Way};

    use crate::dns::{NameServer, Zone};
    use crate::harness::{ADDRESS, DAY, Place, TestApp, show_all};

    const PROXIED: &str = "x-forwarded-for";

    async fn start(place: Place, change: impl FnOnce(&mut Limits)) -> TestApp {
        start_with(place, |config| change(&mut config.limits)).await
    }

    async fn start_with(place: Place, change: impl FnOnce(&mut Config)) -> TestApp {
        TestApp::start_with(place, |config| {
            config.limits.enabled = true;
            config.http.trusted_proxies = vec!["127.0.0.1".to_owned()].try_into().unwrap();
            config.inbound.trusted_authserv = vec!["mx.knotpost.example".to_owned()];
            change(config);
        })
        .await
    }

    async fn sign_up(app: &TestApp, name: &str, host: &str) {
        let line = format!("signup {name} {name}-secret {name}@{name}.example");
        assert_eq!(say(app, host, &line, "").await, "200 ok");
        app.work().await;
        app.confirm().await;
        app.letters();
    }

    async fn say(app: &TestApp, host: &str, line: &str, body: &str) -> String {
        app.post_with(line, body, &[(PROXIED, host)]).await.outcome()
    }

    fn host(number: usize) -> String {
        format!("203.0.{}.{}", number / 250, number % 250 + 1)
    }

    async fn mail_by(app: &TestApp, peer: &str, from: &str, headers: &str, subject: &str) {
        let raw = format!(
            "{headers}From: {from}\r\nTo: {ADDRESS}\r\nSubject: {subject}\r\nMessage-ID: <{}-{from}>\r\n\r\n",
            subject.len()
        );
        let envelope = Envelope {
            way: if headers.is_empty() { Way::Smtp } else { Way::Pipe },
            peer: headers.is_empty().then(|| peer.parse().unwrap()),
            helo: None,
            mail_from: Some(from.to_owned()),
            recipients: vec![ADDRESS.to_owned()],
        };
        app.intake.receive(envelope, raw.into_bytes()).await;
        app.work().await;
    }

    pub(super) async fn resets_for_nobody_close_no_resets(place: Place) {
        let app = start(place, |limits| limits.resets_per_hour = 1).await;
        sign_up(&app, "bob", &host(0)).await;
        for number in 0..120 {
            app.mail(&format!("x{number}@e{number}.example"), &format!("password nobody{number}"), "").await;
        }
        app.letters();
        assert_eq!(say(&app, &host(1), "password bob", "").await, "200 ok");
        app.work().await;
        assert_eq!(app.letters().len(), 1, "bob gets his code");
        sign_up(&app, "cyd", &host(2)).await;
        app.mail("z@e.example", "password cyd", "").await;
        assert!(app.letters().iter().any(|letter| letter.to == "cyd@cyd.example"), "by mail as well");
    }

    pub(super) async fn challenges_that_fail_close_no_challenges(place: Place) {
        let app = start(place, |limits| limits.challenges_per_hour = 1).await;
        for (number, name) in ["ann", "bob"].into_iter().enumerate() {
            sign_up(&app, name, &host(number)).await;
        }
        for number in 0..110 {
            let outcome = say(&app, &host(number + 10), "osbox challenge nobody ann", "").await;
            assert_eq!(outcome, "422 invalid_challenge");
        }
        assert_eq!(say(&app, &host(200), "osbox challenge ann bob", "").await, "200 ok");
        let page = app.post_with("osbox challenge ann bob", "", &[(PROXIED, &host(200))]).await;
        assert_eq!(page.outcome(), "429 rate_limited");
        assert!(page.text.contains("from your host or network"), "{}", page.text);
    }

    pub(super) async fn one_host_signs_up_few_accounts_by_mail_and_none_over_http_for_it(place: Place) {
        let server = NameServer::start(Zone::default()).await;
        let app = start_with(place, |config| {
            config.limits.signups_per_hour = 1;
            config.inbound.dns = vec![server.address.clone()];
        })
        .await;
        for number in 0..6 {
            let from = format!("x{number}@e{number}.example");
            mail_by(&app, "198.51.100.1", &from, "", &format!("signup user{number} secret-{number}")).await;
        }
        let users = app.tables().await.rows("users").len();
        assert_eq!(users, 3, "three times as many as one sender");
        assert!(app.letters().iter().any(|letter| letter.text.contains("host or network")));
        mail_by(&app, "198.51.100.2", "ann@ann.example", "", "signup ann ann-secret").await;
        assert_eq!(app.tables().await.rows("users").len(), 4, "another host");
        sign_up(&app, "bob", "198.51.100.1").await;
    }

    pub(super) async fn chats_are_limited_for_each_board_on_every_way_in(place: Place) {
        let app = start(place, |limits| limits.messages_per_hour = 2).await;
        for (number, name) in ["ann", "bob", "mal"].into_iter().enumerate() {
            sign_up(&app, name, &host(number)).await;
        }
        for _ in 0..2 {
            assert_eq!(say(&app, &host(5), "osbox challenge ann bob", "").await, "200 ok");
        }
        for _ in 0..2 {
            assert_eq!(say(&app, &host(5), "osbox chat 101 mal mal-secret", "Hello").await, "200 ok");
        }
        let page = app.post_with("osbox chat 101 mal mal-secret", "Hello", &[(PROXIED, &host(6))]).await;
        assert_eq!(page.outcome(), "429 rate_limited", "from another host as well");
        assert!(page.text.contains("by you on this board"), "{}", page.text);
        app.work().await;
        app.letters();
        app.mail("mal@mal.example", "osbox chat 101 mal mal-secret", "Hello").await;
        let letters = app.letters();
        assert!(letters.len() == 1 && letters[0].to == "mal@mal.example", "{}", show_all(&letters));
        assert_eq!(say(&app, &host(6), "osbox chat 102 mal mal-secret", "Hello").await, "200 ok");
        for _ in 0..2 {
            assert_eq!(say(&app, &host(7), "osbox chat 101 ann ann-secret", "Hello").await, "200 ok");
        }
        assert_eq!(say(&app, &host(7), "osbox chat 101 ann ann-secret", "Hello").await, "429 rate_limited");
    }

    pub(super) async fn a_chat_by_mail_over_the_limit_is_answered_once(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        for _ in 0..30 {
            app.mail("ann@ann.example", "osbox chat 101 ann ann-secret", "Hello").await;
        }
        app.letters();
        app.mail("ann@ann.example", "osbox chat 101 ann ann-secret", "Hello").await;
        insta::assert_snapshot!("chats_spent", show_all(&app.letters()));
        app.mail("ann@ann.example", "osbox chat 101 ann ann-secret", "Hello").await;
        assert_eq!(app.letters().len(), 0);
        for _ in 0..30 {
            app.mail("bob@bob.example", "osbox chat 101 bob wrong-secret", "Hello").await;
        }
        app.letters();
        app.mail("bob@bob.example", "osbox chat 101 bob wrong-secret", "Hello").await;
        assert_eq!(app.letters().len(), 0, "who proves nothing is not told");
    }

    pub(super) async fn proposals_are_limited_for_each_board(place: Place) {
        let app = start(place, |limits| limits.messages_per_hour = 3).await;
        for (number, name) in ["ann", "bob"].into_iter().enumerate() {
            sign_up(&app, name, &host(number)).await;
        }
        for _ in 0..2 {
            assert_eq!(say(&app, &host(0), "osbox challenge ann bob", "").await, "200 ok");
        }
        let (propose, reject) =
            ("osbox move 101 ann ann-secret propose", "osbox move 101 ann ann-secret reject");
        for _ in 0..3 {
            assert_eq!(say(&app, &host(0), propose, "").await, "200 ok");
            assert_eq!(say(&app, &host(0), reject, "").await, "200 ok");
        }
        assert_eq!(say(&app, &host(0), propose, "").await, "429 rate_limited");
        assert_eq!(say(&app, &host(0), "osbox move 102 ann ann-secret propose", "").await, "200 ok");
        assert_eq!(say(&app, &host(0), "osbox move 101 ann ann-secret f1", "").await, "200 ok");
    }

    pub(super) async fn after_the_end_only_players_and_subscribers_chat(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "mal", "sue"]).await;
        app.post("osbox challenge ann bob", "").await;
        for line in ["osbox move 101 ann ann-secret f1", "osbox move 101 bob bob-secret e9"] {
            assert_eq!(app.post(line, "").await.outcome(), "200 ok");
        }
        assert_eq!(app.post("osbox subscribe 101 sue sue-secret", "").await.outcome(), "200 ok");
        assert_eq!(app.post("osbox chat 101 mal mal-secret", "May I?").await.outcome(), "200 ok");
        assert_eq!(app.post("osbox move 101 ann ann-secret resign", "").await.outcome(), "200 ok");
        let page = app.post("osbox chat 101 mal mal-secret", "Still here").await;
        assert_eq!(page.outcome(), "403 not_allowed");
        assert!(page.text.contains("this board is over"), "{}", page.text);
        for line in [
            "osbox chat 101 ann ann-secret",
            "osbox chat 101 bob bob-secret",
            "osbox chat 101 sue sue-secret",
        ] {
            assert_eq!(app.post(line, "Well played").await.outcome(), "200 ok", "{line}");
        }
        app.work().await;
        app.letters();
        app.mail("mal@mal.example", "osbox chat 101 mal mal-secret", "By mail").await;
        let letters = app.letters();
        assert!(letters.len() == 1 && letters[0].to == "mal@mal.example", "{}", show_all(&letters));
    }

    pub(super) async fn strangers_challenge_a_user_a_few_times_a_day(place: Place) {
        let app = start(place, |limits| limits.challenges_of_strangers_per_day = 3).await;
        for (number, name) in ["ann", "bob", "cyd"].into_iter().enumerate() {
            sign_up(&app, name, &host(number)).await;
        }
        for number in 0..3 {
            assert_eq!(say(&app, &host(10 + number), "osbox challenge ann bob", "").await, "200 ok");
        }
        let page = app.post_with("osbox challenge ann bob", "", &[(PROXIED, &host(20))]).await;
        assert_eq!(page.outcome(), "429 rate_limited");
        assert!(page.text.contains("who did not log in"), "{}", page.text);
        assert!(page.header("retry-after").parse::<u32>().unwrap() > 0);
        app.mail("x@e.example", "osbox challenge cyd bob", "").await;
        assert_eq!(app.tables().await.rows("boards").len(), 3, "by mail neither, and by nobody for bob");
        assert_eq!(
            say(&app, &host(20), "osbox challenge cyd cyd", "").await,
            "200 ok",
            "what failed cost cyd nothing"
        );

        let vouched = "Authentication-Results: mx.knotpost.example; dmarc=pass header.from=ann.example\r\n";
        mail_by(&app, "", "ann@ann.example", vouched, "osbox challenge ann bob").await;
        assert_eq!(app.tables().await.rows("boards").len(), 5, "who proves to be a player may");
        app.clock.advance(DAY);
        assert_eq!(say(&app, &host(30), "osbox challenge ann bob", "").await, "200 ok", "the next day");
    }
}
