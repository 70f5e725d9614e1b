//! Mail that comes back, and mail to the people behind the server.

use super::tell;

tell! {
    reports_of_nobody_on_two_days_stop_an_address_and_its_user_hears_of_it,
    one_bad_day_stops_no_address,
    a_mail_that_arrived_ends_the_count,
    every_page_says_that_mail_comes_back,
    a_return_path_must_be_ours_and_the_same_report_counts_once,
    a_refused_recipient_counts_as_a_report,
    a_holiday_on_the_return_path_is_no_report,
    a_command_at_a_return_path_is_obeyed_with_a_password,
    a_stopped_address_can_be_proven_anew,
    who_waits_for_somebody_whose_mail_comes_back_is_told,
    a_mail_to_the_postmaster_is_handed_to_the_administrators;
    on_postgres: a_stopped_address_can_be_proven_anew,
}

mod stories {
    use knotpost_core::admin::{UserEdit, view_user};
    use knotpost_storage::{MailFilter, Window};
    use knotpost_transport::inbound::{Envelope, Intake as _, Receipt, Way};
    use knotpost_transport::outbound::SendError;

    use crate::harness::{ADDRESS, DAY, Place, TestApp, edit_user, show_all};

    /// Hands in a mail with this return path for this address.
    async fn deliver(app: &TestApp, mail_from: Option<&str>, to: &str, raw: &str) -> Receipt {
        let envelope = Envelope {
            way: Way::Smtp,
            peer: None,
            helo: None,
            mail_from: mail_from.map(str::to_owned),
            recipients: vec![to.to_owned()],
        };
        let receipt = app.intake.receive(envelope, raw.replace('\n', "\r\n").into_bytes()).await;
        app.work().await;
        receipt
    }

    /// A report in the standard form about a mail with this return path.
    async fn report(app: &TestApp, return_path: &str, action: &str, status: &str) {
        let raw = format!(
            "From: MAILER-DAEMON@mx.example\nSubject: Undelivered Mail Returned to Sender\n\
             Auto-Submitted: auto-replied\nMIME-Version: 1.0\n\
             Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\n\n\
             --b\nContent-Type: text/plain\n\nSorry.\n\n--b\nContent-Type: message/delivery-status\n\n\
             Reporting-MTA: dns; mx.example\n\nAction: {action}\nStatus: {status}\nDiagnostic-Code: smtp; the box was torn down\n\n--b--\n"
        );
        let receipt = deliver(app, None, return_path, &raw).await;
        assert!(matches!(receipt, Receipt::Stored { .. }), "{receipt:?}");
    }

    /// Lets a mail go to this address by an answered query, and says what its return path was.
    async fn sent_to(app: &TestApp, address: &str) -> String {
        app.sent();
        app.mail(address, "list", "").await;
        let sent = app.sent();
        assert_eq!(sent.len(), 1, "one answer to {address}");
        sent[0].from.clone().expect("a return path")
    }

    async fn reasons(app: &TestApp) -> Vec<String> {
        let tx = app.app.store.read().await;
        let mut tx = tx.unwrap();
        let window = Window { low: 0, high: 1000 };
        let mails = tx.list_inbox(&MailFilter::default(), window, 100).await.unwrap();
        mails
            .into_iter()
            .rev()
            .filter_map(|mail| mail.reason)
            .filter(|why| why.starts_with("bounce"))
            .collect()
    }

    pub(super) async fn reports_of_nobody_on_two_days_stop_an_address_and_its_user_hears_of_it(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "add ann ann-secret old@ann.example", "").await;
        app.confirm().await;
        app.letters();
        for count in 1..=2 {
            app.clock.advance(DAY);
            let path = sent_to(&app, "old@ann.example").await;
            report(&app, &path, "failed", "5.1.1").await;
            let stopped = view_user(&app.app, "ann").await.unwrap().stops().count();
            assert_eq!(stopped, usize::from(count == 2), "after {count}");
        }
        assert_eq!(reasons(&app).await, ["bounce_recorded", "bounce_recorded"]);

        // On the web the user reads it, and nobody else does.
        let own = |login: &str| {
            let login = data_encoding::BASE64.encode(login.as_bytes());
            let request = axum::http::Request::get("/api/v1/users/Ann")
                .header("authorization", format!("Basic {login}"));
            app.send(request.body(axum::body::Body::empty()).unwrap())
        };
        let page = own("ann:ann-secret").await.json();
        assert_eq!(page["addresses"][0]["stopped"], serde_json::Value::Null, "{page}");
        assert_eq!(page["addresses"][1]["stopped"]["why"], "the box was torn down", "{page}");
        assert!(own("bob:bob-secret").await.json().get("addresses").is_none());
        assert_eq!(own("ann:wrong-secret").await.status, 401);
        assert!(!app.get("/api/v1/users/ann").await.text.contains("ann.example"));
        assert_eq!(app.get("/api/v1/users/nobody").await.status, 404);

        // The next mail of the game tells it, once, at the other address alone.
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        let letters: Vec<_> =
            app.letters().into_iter().filter(|letter| letter.to.contains("ann.example")).collect();
        assert_eq!(letters.len(), 1, "{letters:?}");
        insta::assert_snapshot!("stopped_address_on_a_board", show_all(&letters));
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| !letter.text.contains("old@ann.example")), "told once");

        // Anybody may write the address into a From; only its user's password starts it.
        app.mail("old@ann.example", "osbox move 101 ann wrong-secret f1", "").await;
        app.mail("old@ann.example", "list", "").await;
        app.mail("old@ann.example", "osbox chat 101 bob bob-secret", "hello").await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| letter.to != "old@ann.example"), "{}", show_all(&letters));
        app.mail("old@ann.example", "osbox chat 101 ann ann-secret", "here again").await;
        assert!(view_user(&app.app, "ann").await.unwrap().stops().count() == 0);
        let letters = app.letters();
        assert!(letters.iter().any(|letter| letter.to == "old@ann.example"), "{}", show_all(&letters));
    }

    async fn stopped(app: &TestApp) -> usize {
        view_user(&app.app, "ann").await.unwrap().stops().count()
    }

    pub(super) async fn one_bad_day_stops_no_address(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        // An outage of an afternoon, a broken record for an hour, and delays: however many mails they meet.
        for (action, status) in
            [("delayed", "4.4.1"), ("failed", "5.1.1"), ("failed", "4.2.2"), ("failed", "5.7.1")]
        {
            for _ in 0..2 {
                let path = sent_to(&app, "ann@ann.example").await;
                report(&app, &path, action, status).await;
            }
        }
        assert_eq!(stopped(&app).await, 0);
        // Mail that came back a week ago never combines with mail that comes back now.
        app.clock.advance(8 * DAY);
        let path = sent_to(&app, "ann@ann.example").await;
        report(&app, &path, "failed", "5.1.1").await;
        assert_eq!(stopped(&app).await, 0);
        // Delays say nothing, on however many days.
        app.clock.advance(15 * DAY);
        for _ in 0..8 {
            app.clock.advance(DAY);
            let path = sent_to(&app, "ann@ann.example").await;
            report(&app, &path, "delayed", "4.4.1").await;
        }
        assert_eq!(stopped(&app).await, 0);
        // The last of those has arrived.
        app.clock.advance(5 * DAY);
        for day in 1..=4 {
            assert_eq!(stopped(&app).await, 0, "before day {day}");
            app.clock.advance(DAY);
            let path = sent_to(&app, "ann@ann.example").await;
            report(&app, &path, "failed", "4.2.2").await;
        }
        assert_eq!(stopped(&app).await, 1, "failures on four days");
        app.mail("ann@ann.example", "list", "").await;
        assert_eq!(show_all(&app.letters()), "(no mail)\n");
        assert_eq!(app.tables().await.rows("outbox").iter().filter(|row| row.contains("stopped")).count(), 1);
    }

    pub(super) async fn a_mail_that_arrived_ends_the_count(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        // Under way for less than five days, a mail may still come back.
        for (waits, expected) in [(4, 1), (5, 0)] {
            let path = sent_to(&app, "ann@ann.example").await;
            report(&app, &path, "failed", "5.1.1").await;
            sent_to(&app, "ann@ann.example").await;
            app.clock.advance(waits * DAY);
            let path = sent_to(&app, "ann@ann.example").await;
            report(&app, &path, "failed", "5.1.1").await;
            assert_eq!(stopped(&app).await, expected, "after {waits} days");
            app.clock.advance(30 * DAY);
            app.mail("ann@ann.example", "set ann ann-secret nags=on", "").await;
            app.letters();
        }
        // So does a command from there.
        let path = sent_to(&app, "ann@ann.example").await;
        report(&app, &path, "failed", "5.1.1").await;
        app.mail("ann@ann.example", "set ann ann-secret nags=on", "").await;
        app.clock.advance(DAY);
        let path = sent_to(&app, "ann@ann.example").await;
        report(&app, &path, "failed", "5.1.1").await;
        assert_eq!(stopped(&app).await, 0);
    }

    pub(super) async fn every_page_says_that_mail_comes_back(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("bob@bob.example", "osbox challenge -size=3 ann bob", "").await;
        app.letters();
        let logged_in = app.send(
            axum::http::Request::post("/login")
                .header("content-type", "application/x-www-form-urlencoded")
                .body(axum::body::Body::from("userid=ann&password=ann-secret"))
                .unwrap(),
        );
        let cookie = logged_in.await.header("set-cookie").split(';').next().unwrap().to_owned();
        let send = |method: &str, path: &str, cookie: &str| {
            let request = axum::http::Request::builder().method(method).uri(path).header("cookie", cookie);
            let request = request
                .header("referer", "http://knotpost.example/games")
                .header("sec-fetch-site", "same-origin");
            app.send(request.body(axum::body::Body::empty()).unwrap())
        };
        let bar = "Mail to <strong>ann@ann.example</strong> has come back since";
        let pages = [
            "/",
            "/games/osbox",
            "/learn",
            "/settings",
            "/users/ann",
            "/boards/osbox/101",
            "/challenge",
            "/help/commands",
        ];
        for page in pages {
            assert!(!send("GET", page, &cookie).await.text.contains(bar), "{page}");
        }
        for _ in 0..2 {
            app.clock.advance(DAY);
            let path = sent_to(&app, "ann@ann.example").await;
            report(&app, &path, "failed", "5.1.1").await;
        }
        for page in pages {
            let shown = send("GET", page, &cookie).await;
            assert!(shown.text.contains(bar), "{page}: {}", shown.text);
            assert!(!app.get(page).await.text.contains("has come back since"), "{page}: nobody else is told");
        }
        // A program hears it as well, and nobody without the password.
        let answer = app.post("osbox show 101", "").await;
        assert!(!answer.text.contains("ann@ann.example comes back"), "{}", answer.text);
        let answer = app.post("osbox move 101 bob bob-secret zz", "").await;
        assert!(!answer.text.contains("ann@ann.example comes back"), "{}", answer.text);
        let answer = app.post("osbox showas ann ann-secret 101", "").await.json();
        let notice = answer["notices"][0].as_str().unwrap();
        assert!(notice.starts_with("Mail to ann@ann.example has come back since 2026-11-22"), "{notice}");

        let again = send("POST", "/settings/mail-again", &cookie).await;
        assert_eq!((again.status.as_u16(), again.header("location")), (303, "/games"));
        assert!(!send("GET", "/", &cookie).await.text.contains(bar));
        assert_eq!(stopped(&app).await, 0);
        sent_to(&app, "ann@ann.example").await;
    }

    pub(super) async fn a_return_path_must_be_ours_and_the_same_report_counts_once(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let path = sent_to(&app, "ann@ann.example").await;
        let number = path.split('.').nth(1).unwrap().to_owned();
        for _ in 0..3 {
            report(&app, &path, "failed", "5.1.1").await;
            report(&app, &path.replace(&format!(".{number}."), ".999999."), "failed", "5.1.1").await;
            report(&app, "games+b.1.0000000000000000@knotpost.example", "failed", "5.1.1").await;
        }
        assert!(view_user(&app.app, "ann").await.unwrap().stops().count() == 0, "one mail came back");
        let reasons = reasons(&app).await;
        assert_eq!(reasons[..3], ["bounce_recorded", "bounce_unknown", "bounce_unknown"]);
        assert_eq!(reasons[3..6], ["bounce_repeated", "bounce_unknown", "bounce_unknown"]);
    }

    pub(super) async fn a_refused_recipient_counts_as_a_report(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let refuse = async |said: &str| {
            app.clock.advance(DAY);
            app.fail_next(SendError::Recipient(said.to_owned()));
            app.mail("ann@ann.example", "list", "").await;
            view_user(&app.app, "ann").await.unwrap().stops().cloned().collect::<Vec<_>>()
        };
        // It is this server that is refused, for every address alike.
        for said in [
            "554 5.7.1 your network is on a list",
            "550 5.7.26 SPF and DKIM failed",
            "550 5.1.8 Sender address rejected: Domain not found",
            "550 Sender verify failed: no such user",
            "550 5.7.1 relaying denied",
            "550 your host has no PTR record",
        ] {
            assert_eq!(refuse(said).await.len(), 0, "{said}");
        }
        assert!(app.tables().await.rows("bounces").is_empty());
        assert_eq!(refuse("550 5.1.1 no such user").await.len(), 0);
        assert_eq!(refuse("550 no").await.len(), 0, "without a reason it says little");
        let stopped = refuse("550 5.1.1 <ann@ann.example> unknown").await;
        assert_eq!(stopped.len(), 1);
        assert_eq!(stopped[0].why, "550 5.1.1 <ann@ann.example> unknown");
        app.fail_next(SendError::Permanent("never sent".to_owned()));
        app.mail("ann@ann.example", "list", "").await;
        assert_eq!(app.letters().len(), 0);
    }

    pub(super) async fn a_holiday_on_the_return_path_is_no_report(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let path = sent_to(&app, "ann@ann.example").await;
        let away = "From: ann@ann.example\nSubject: Out of office: help\nAuto-Submitted: auto-replied\n\n\
                    Error 550 5.1.1: I am on a beach.\n";
        deliver(&app, None, &path, away).await;
        assert_eq!(reasons(&app).await, ["bounce_unclear"]);
        assert_eq!(app.letters().len(), 0);
    }

    pub(super) async fn a_command_at_a_return_path_is_obeyed_with_a_password(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        let path = sent_to(&app, "ann@ann.example").await;
        let mail = |subject: &str| format!("From: ann@ann.example\nSubject: {subject}\n\n\n");
        deliver(&app, Some("ann@ann.example"), &path, &mail("list")).await;
        deliver(&app, Some("ann@ann.example"), &path, &mail("nonsense")).await;
        assert_eq!(app.letters().len(), 0, "responders write there as well");
        deliver(&app, Some("ann@ann.example"), &path, &mail("osbox move 101 ann ann-secret f1")).await;
        assert_eq!(app.letters().len(), 2, "no move is lost");
    }

    pub(super) async fn a_stopped_address_can_be_proven_anew(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.accounts.confirm_addresses = knotpost_core::config::Confirm::On;
        })
        .await;
        let add = UserEdit::Add {
            password: "ann-secret".to_owned(),
            addresses: vec!["ann@ann.example".to_owned(), "old@ann.example".to_owned()],
        };
        edit_user(&app.app, "ann", add).await.unwrap();
        for _ in 0..2 {
            app.clock.advance(DAY);
            let path = sent_to(&app, "old@ann.example").await;
            report(&app, &path, "failed", "5.1.1").await;
        }
        for _ in 0..4 {
            app.mail("ann@ann.example", "add ann ann-secret old@ann.example", "").await;
        }
        let to_old: Vec<_> =
            app.letters().into_iter().filter(|letter| letter.to == "old@ann.example").collect();
        assert_eq!(to_old.len(), 3, "three mails ask in a day, and nothing else comes: {to_old:?}");
        let link = to_old[0].text.lines().find(|line| line.contains("/confirm/")).unwrap().trim().to_owned();
        let path = link.strip_prefix("http://knotpost.example").unwrap();
        let request = axum::http::Request::post(path).body(axum::body::Body::empty()).unwrap();
        assert!(app.send(request).await.status.is_success());
        assert!(view_user(&app.app, "ann").await.unwrap().stops().count() == 0);
    }

    pub(super) async fn who_waits_for_somebody_whose_mail_comes_back_is_told(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("bob@bob.example", "add bob bob-secret work@bob.example", "").await;
        app.confirm().await;
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.letters();
        let told = "Mail to bob comes back.";
        let showing = async || {
            app.mail("ann@ann.example", "osbox show 101", "").await;
            let by_mail = app.letters().remove(0).text.contains(told);
            app.mail("ann@ann.example", "osbox showas ann ann-secret 101", "").await;
            [by_mail, app.letters().remove(0).text.contains(told)]
        };
        for (address, expected) in [("bob@bob.example", false), ("work@bob.example", true)] {
            for _ in 0..2 {
                app.clock.advance(DAY);
                let path = sent_to(&app, address).await;
                report(&app, &path, "failed", "5.1.1").await;
            }
            assert_eq!(showing().await, [expected; 2], "{address}");
        }
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| letter.to == "ann@ann.example"), "{}", show_all(&letters));
        insta::assert_snapshot!("partner_unreached", show_all(&letters));
        app.mail("ann@ann.example", "resend ann ann-secret osbox 101", "").await;
        let letters = app.letters();
        assert!(letters.iter().any(|letter| letter.text.contains(told)), "{}", show_all(&letters));

        // The mail of the day and the page say it, too.
        app.post("set ann ann-secret moves=digest", "").await;
        assert_eq!(app.post("osbox move 101 bob bob-secret e7", "").await.outcome(), "200 ok");
        app.work().await;
        app.letters();
        app.clock.advance(24 * 3_600_000);
        app.work().await;
        let letters = app.letters();
        assert!(letters.len() == 1 && letters[0].text.contains(told), "{}", show_all(&letters));
        assert!(app.get("/boards/osbox/101").await.text.contains(told));
        app.post("set ann ann-secret moves=default", "").await;

        // Whoever is heard from is reached again.
        app.mail("bob@bob.example", "osbox chat 101 bob bob-secret", "Here I am").await;
        app.letters();
        assert_eq!(showing().await, [false; 2]);
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f2", "").await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| !letter.text.contains("comes back")), "{}", show_all(&letters));
    }

    pub(super) async fn a_mail_to_the_postmaster_is_handed_to_the_administrators(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "carol"]).await;
        edit_user(&app.app, "carol", UserEdit::Role("admin")).await.unwrap();
        let mail = |number: usize| {
            format!(
                "From: Eve <eve@eve.example>\nSubject: trouble\nMessage-ID: <{number}@eve.example>\n\n\
                 The pages are slow since Monday.\n"
            )
        };
        let postmaster = "postmaster@knotpost.example";
        deliver(&app, Some("eve@eve.example"), postmaster, &mail(1)).await;
        insta::assert_snapshot!("handed_to_administrators", show_all(&app.letters()));
        assert!(
            !app.tables().await.rows("outbox").iter().any(|row| row.contains("Monday")),
            "sealed while it waits and after"
        );
        deliver(&app, Some("eve@eve.example"), postmaster, &mail(1)).await;
        assert_eq!(app.letters().len(), 0, "the same mail comes once");
        // The same mail went to the games as well: what it asks for is answered there.
        deliver(&app, Some("eve@eve.example"), ADDRESS, &mail(1).replace("trouble", "list")).await;
        let [answer] = &app.letters()[..] else { panic!("one answer") };
        assert_eq!(answer.to, "eve@eve.example", "{answer:?}");
        for number in 2..5 {
            deliver(&app, Some("eve@eve.example"), postmaster, &mail(number)).await;
        }
        assert_eq!(app.letters().len(), 0, "one a day of one sender");
        app.clock.advance(DAY);
        deliver(&app, None, postmaster, &mail(20)).await;
        let looped = mail(21).replace("Subject", "X-Loop: games@knotpost.example\nSubject");
        deliver(&app, Some("eve@eve.example"), postmaster, &looped).await;
        assert_eq!(app.letters().len(), 0, "programs and our own mail are not handed on");
        deliver(&app, Some("eve@eve.example"), "abuse@knotpost.example", &mail(22)).await;
        let [told] = &app.letters()[..] else { panic!("one mail") };
        assert!(told.text.starts_with("knotpost admin do-not-mail add eve@eve.example\n"), "{told}");
        assert!(told.text.contains("Somebody wrote to abuse@knotpost.example."), "{told}");
        assert_eq!(told.reply_to.as_deref(), Some("eve@eve.example"));
    }
}
