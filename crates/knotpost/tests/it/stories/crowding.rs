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
    every_verb_that_mails_somebody_spares_its_reader,
    words_of_outsiders_come_bundled_and_can_be_muted,
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

    /// Many accounts together can mail one user no more than the user's share, and others as before.
    pub(super) async fn every_verb_that_mails_somebody_spares_its_reader(place: Place) {
        let app = start(place, |limits| {
            limits.messages_per_hour = 4;
            limits.challenges_per_hour = 4;
        })
        .await;
        let names = ["bob", "fay", "mal1", "mal2", "mal3", "mal4", "mal5", "mal6", "mal7"];
        for (number, name) in names.into_iter().enumerate() {
            sign_up(&app, name, &host(number)).await;
        }
        let crowd = &names[2..];
        for (number, name) in crowd.iter().enumerate() {
            let begun = format!("osbox challenge -size=4 {name} fay");
            assert_eq!(say(&app, &host(60 + number), &begun, "").await, "200 ok");
        }
        // Each mails bob twice: eight are the share of a reader, four that of a sender.
        let lines: [&dyn Fn(&str) -> String; 2] =
            [&|name| format!("message {name} {name}-secret bob"), &|name| {
                format!("osbox challenge {name} bob")
            }];
        for line in lines {
            let mut outcomes = Vec::new();
            for (number, name) in crowd.iter().enumerate() {
                for _ in 0..2 {
                    outcomes.push(say(&app, &host(100 + number), &line(name), "Hello").await);
                }
            }
            let taken = outcomes.iter().filter(|outcome| *outcome == "200 ok").count();
            assert_eq!(taken, 8, "{}: {outcomes:?}", line("x"));
            assert!(outcomes[8..].iter().all(|outcome| outcome == "429 rate_limited"), "{outcomes:?}");
        }
        let other = say(&app, &host(200), "message mal7 mal7-secret fay", "Hello").await;
        assert_eq!(other, "200 ok", "others get theirs");
        let page = app.post_with("message mal6 mal6-secret bob fay", "Hello", &[(PROXIED, &host(201))]).await;
        assert!(page.text.contains("bob has got too many messages"), "{}", page.text);

        // Proposals, each on a board of their own with fay.
        let mut outcomes = Vec::new();
        for (index, name) in crowd.iter().enumerate() {
            for word in ["propose", "reject", "propose"] {
                let line = format!("osbox move {} {name} {name}-secret {word}", 101 + index);
                let outcome = say(&app, &host(300 + index), &line, "").await;
                outcomes.extend((word == "propose").then_some(outcome));
            }
        }
        assert_eq!(outcomes.iter().filter(|outcome| *outcome == "200 ok").count(), 8, "{outcomes:?}");
        assert!(outcomes[8..].iter().all(|outcome| outcome == "429 rate_limited"), "{outcomes:?}");
    }

    pub(super) async fn words_of_outsiders_come_bundled_and_can_be_muted(place: Place) {
        let app = start(place, |_| {}).await;
        for (number, name) in ["ann", "bob", "mal", "mel"].into_iter().enumerate() {
            sign_up(&app, name, &host(number)).await;
        }
        for _ in 0..2 {
            assert_eq!(say(&app, &host(5), "osbox challenge ann bob", "").await, "200 ok");
        }
        assert_eq!(say(&app, &host(5), "set bob bob-secret messages=off", "").await, "200 ok");
        app.work().await;
        app.letters();
        let mut told = Vec::new();
        for (number, (who, board)) in
            [("mal", 101), ("mal", 101), ("mel", 102), ("mel", 101)].iter().enumerate()
        {
            let line = format!("osbox chat {board} {who} {who}-secret");
            assert_eq!(say(&app, &host(6), &line, &format!("words {number}")).await, "200 ok");
            app.work().await;
            told.extend(app.letters());
        }
        let to = |name: &str| {
            let address = format!("{name}@{name}.example");
            told.iter().filter(|letter| letter.to == address).count()
        };
        assert_eq!((to("ann"), to("bob")), (1, 0), "{}", show_all(&told));
        // A player is heard at once, and the rest comes with the mail of the day.
        assert_eq!(say(&app, &host(6), "osbox chat 101 bob bob-secret", "Quiet, please").await, "200 ok");
        app.work().await;
        assert!(show_all(&app.letters()).contains("Quiet, please"));
        app.pass(DAY).await;
        let letters = app.letters();
        let ann: Vec<_> = letters.iter().filter(|letter| letter.to == "ann@ann.example").collect();
        assert_eq!(ann.len(), 1, "{}", show_all(&letters));
        for words in ["words 1", "words 2", "words 3"] {
            assert!(ann[0].text.contains(words), "{}", ann[0]);
        }
    }
}
