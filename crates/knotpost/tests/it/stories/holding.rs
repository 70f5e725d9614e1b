//! A server on hold, clocks that were ahead, and mails that would be too long.

use super::tell;

tell! {
    nothing_leaves_a_server_on_hold_by_any_way,
    nothing_waits_for_a_moment_at_which_a_wrong_clock_was;
    undeployed:
    mails_of_many_boards_stay_below_what_is_cut_off;
    on_postgres: nothing_waits_for_a_moment_at_which_a_wrong_clock_was,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;
    use knotpost_core::admin::UserEdit;
    use knotpost_core::config::Confirm;
    use knotpost_core::hold::Hold;
    use knotpost_core::webhooks::HookEvent;
    use knotpost_program::worker;
    use knotpost_transport::outbound::webhook;

    use crate::harness::{DAY, HOUR, HookHost, Letter, Place, TestApp, edit_user, show_all};

    async fn say(app: &TestApp, line: &str) {
        let page = app.post(line, "").await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
    }

    fn has_subject(app: &TestApp, words: &str) -> bool {
        app.letters().iter().any(|letter| letter.subject.contains(words))
    }

    /// Logs a browser in and has it told; its keys are those of the example of RFC 8291.
    async fn browser(app: &TestApp, userid: &str, host: &HookHost) {
        let form = |path: &str, cookie: &str, body: String| {
            let request = Request::post(path)
                .header("content-type", "application/x-www-form-urlencoded")
                .header("sec-fetch-site", "same-origin")
                .header("cookie", cookie);
            app.send(request.body(Body::from(body)).unwrap())
        };
        let page = form("/login", "", format!("userid={userid}&password={userid}-secret")).await;
        let cookie = page.header("set-cookie").split(';').next().unwrap().to_owned();
        let wish = format!(
            "act=new_browser&endpoint=http://{}/push&auth=BTBZMqHH6r4Tts7J_aSIgg&p256dh=BCVxsr7N_eNgVRqvHtD0zTZsEc6-\
             VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            host.place
        );
        let page = form("/settings", &cookie, wish).await;
        assert_eq!(page.status, 303, "{}", page.text);
    }

    /// Hands in a report that the mail with this return path came back.
    async fn come_back(app: &TestApp, return_path: &str) {
        let raw = "From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered Mail Returned to Sender\r\n\
                   Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n\
                   --b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n\
                   Action: failed\r\nStatus: 5.1.1\r\n\r\n--b--\r\n";
        app.receive_at(None, &[return_path], raw.as_bytes()).await;
        app.work().await;
    }

    /// What is done on a server on hold.
    enum Action {
        /// A command over HTTP.
        Command(&'static str),
        /// A mail: its sender and its Subject.
        Mail(&'static str, &'static str),
        /// Two of bob's mails come back, on two days.
        ComeBack,
    }

    /// What comes of it once the server is let go.
    enum Told {
        /// A mail to this address that says this, in its Subject or its text.
        Mail(&'static str, &'static str),
        /// No mail that says this: it was good for a while only.
        NotAnyMore(&'static str),
        /// A program, or a browser, at this path, as often.
        Program(&'static str, usize),
    }

    /// All that leaves a server: what is done, and what waits.
    const WAYS: &[(&str, Action, Told)] = &[
        ("an address that is stopped", Action::ComeBack, Told::Mail("bob@bob.example", "old@bob.example")),
        (
            "a new board",
            Action::Command("osbox challenge -size=4 bob ann"),
            Told::Mail("bob@bob.example", "Osbox Board 102"),
        ),
        ("a browser", Action::Command("osbox move 101 ann ann-secret f1"), Told::Program("/push", 2)),
        (
            "a move",
            Action::Command("osbox move 102 bob bob-secret f1"),
            Told::Mail("ann@ann.example", "Osbox Board 102"),
        ),
        ("a webhook", Action::Command("osbox move 102 ann ann-secret f9"), Told::Program("/hook", 1)),
        (
            "chat",
            Action::Command("osbox chat 101 ann ann-secret"),
            Told::Mail("bob@bob.example", "Osbox chat 101 ann"),
        ),
        ("a message", Action::Command("message ann ann-secret cyd"), Told::Mail("cyd@cyd.example", "ann")),
        (
            "a broadcast",
            Action::Command("broadcast ann ann-secret"),
            Told::Mail("cyd@cyd.example", "everybody"),
        ),
        ("a forgotten password", Action::Command("password cyd"), Told::NotAnyMore("/reset/")),
        ("puzzles", Action::Command("set ann ann-secret puzzle=on"), Told::Mail("ann@ann.example", "uzzle")),
        (
            "the mail of the day",
            Action::Command("osbox challenge -size=4 bob cyd"),
            Told::Mail("cyd@cyd.example", "today"),
        ),
        (
            "an answer to a stranger",
            Action::Mail("dan@dan.example", "help"),
            Told::Mail("dan@dan.example", "help"),
        ),
        (
            "an answer to a wrong password",
            Action::Mail("bob@bob.example", "osbox move 101 bob wrong f9"),
            Told::Mail("bob@bob.example", "password is wrong"),
        ),
    ];

    pub(super) async fn nothing_leaves_a_server_on_hold_by_any_way(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.accounts.confirm_addresses = Confirm::Off;
            config.webhooks.allow_private = true;
        })
        .await;
        let host = HookHost::start().await;
        for name in ["ann", "bob", "cyd"] {
            app.sign_up(name).await;
        }
        edit_user(&app.app, "ann", UserEdit::Role("admin")).await.unwrap();
        for line in [
            "add bob bob-secret old@bob.example",
            "osbox challenge -size=4 ann bob",
            "set cyd cyd-secret moves=digest",
        ] {
            say(&app, line).await;
        }
        app.add_hook("ann", &host.url(), HookEvent::ALL).await;
        app.work().await;
        let mut paths = Vec::new();
        for number in 0..2 {
            app.sent();
            app.mail("old@bob.example", &format!("help {}", ["osbox", "move"][number]), "").await;
            paths.push(app.sent()[0].from.clone().unwrap());
        }
        host.told();

        let app = app.start_again(|config| config.mail.hold = true).await;
        assert_eq!(app.app.hold, Some(Hold::Setting));
        assert!(app.get("/readyz").await.text.starts_with("ready\nwarning: this server is on hold"));
        for _ in 0..40 {
            // Reminders, losses on time.
            app.pass(DAY).await;
        }
        // It is told at once that it will be.
        browser(&app, "bob", &host).await;
        for (what, action, _) in WAYS {
            match action {
                Action::Command(line) => {
                    let page = app.post(line, "to everybody").await;
                    assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
                }
                Action::Mail(from, subject) => drop(app.mail(from, subject, "").await),
                Action::ComeBack => {
                    for path in &paths {
                        app.pass(DAY).await;
                        come_back(&app, path).await;
                    }
                }
            }
            app.pass(HOUR).await;
            assert!(app.letters().is_empty() && host.told().is_empty(), "{what}");
        }
        // The mail of the day, puzzles.
        app.pass(DAY).await;
        assert!(app.letters().is_empty() && host.told().is_empty());
        assert!(!worker::walk_round(&app.app).await.unwrap());
        assert!(!webhook::send_next(&app.app, &app.courier).await.unwrap());
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["state"], "active", "nobody has lost: {board}");

        let app = app.start_again(|config| config.mail.hold = false).await;
        app.work().await;
        let (letters, told) = (app.letters(), host.told());
        for (what, _, expected) in WAYS {
            let has_left = match expected {
                Told::Mail(to, words) => letters.iter().any(|letter| {
                    letter.to == *to && (letter.subject.contains(words) || letter.text.contains(words))
                }),
                Told::NotAnyMore(words) => letters.iter().all(|letter| !letter.text.contains(words)),
                Told::Program(path, times) => {
                    told.iter().filter(|one| one.line.contains(path)).count() >= *times
                }
            };
            assert!(has_left, "{what}: {}\n{told:?}", show_all(&letters));
        }
    }

    /// Each row: what is done, what its queue holds then as a clock that was a year ahead would have left it, and how many
    /// mails and events come of it nevertheless.
    pub(super) async fn nothing_waits_for_a_moment_at_which_a_wrong_clock_was(place: Place) {
        let app = TestApp::start_with(place, |config| config.webhooks.allow_private = true).await;
        let host = HookHost::start().await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        say(&app, "osbox challenge -size=4 ann bob").await;
        app.work().await;
        app.add_hook("bob", &host.url(), HookEvent::ALL).await;
        app.letters();
        for (case, line, sql, (mails, events)) in [
            (
                "not tried",
                "osbox move 101 ann ann-secret f1",
                "UPDATE outbox SET due_at = due_at + 31536000000 WHERE state = 'queued' AND webhook_id IS NULL",
                (2, 2),
            ),
            (
                "leased",
                "osbox move 101 bob bob-secret f9",
                "UPDATE outbox SET due_at = due_at + 31536000000, attempts = 1, unsure_attempts = 1 \
                 WHERE state = 'queued' AND webhook_id IS NULL",
                (2, 1),
            ),
            (
                "deferred",
                "osbox move 101 ann ann-secret f2",
                "UPDATE outbox SET due_at = due_at + 31536000000, attempts = 1, error = 'later' \
                 WHERE state = 'queued' AND webhook_id IS NULL",
                (2, 2),
            ),
            (
                "events",
                "osbox move 101 bob bob-secret f10",
                "UPDATE outbox SET due_at = due_at + 31536000000 WHERE state = 'queued' AND webhook_id IS NOT NULL",
                (2, 1),
            ),
            (
                "a webhook that was made then",
                "osbox move 101 ann ann-secret f3",
                "UPDATE webhooks SET created_at = created_at + 31536000000",
                (2, 2),
            ),
        ] {
            say(&app, line).await;
            app.alter(sql).await;
            app.work().await;
            assert_eq!((app.letters().len(), host.told().len()), (mails, events), "{case}");
        }
        // Received mail that was leased then.
        let raw = "From: ann@ann.example\r\nTo: games@knotpost.example\r\nSubject: osbox move 101 bob bob-secret f11\r\n\
                   Message-ID: <1@ann.example>\r\n\r\n";
        app.receive(Some("ann@ann.example"), raw.as_bytes()).await;
        app.alter("UPDATE inbox SET due_at = due_at + 31536000000 WHERE state = 'new'").await;
        app.work().await;
        app.work().await;
        assert_eq!(app.letters().len(), 2, "the move is made");
        // Puzzles, and the mail of the day.
        say(&app, "set ann ann-secret moves=digest puzzle=on").await;
        app.alter("UPDATE puzzle_mails SET due_at = due_at + 31536000000").await;
        app.work().await;
        assert!(has_subject(&app, "uzzle"), "puzzles");
        say(&app, "osbox challenge -size=4 bob ann").await;
        app.work().await;
        app.letters();
        say(&app, "osbox move 102 bob bob-secret f1").await;
        app.work().await;
        app.letters();
        app.alter("UPDATE digests SET due_at = due_at + 31536000000").await;
        app.work().await;
        assert!(has_subject(&app, "today"), "the mail of the day");
    }

    /// Asserts that page and text of a mail are below 92 kB, and that all boards from 101 on are named.
    fn judge(letter: &Letter, boards: u32) {
        let page = letter.html.as_deref().expect("a page");
        assert!(page.len() < 92_000 && letter.text.len() < 92_000, "{} {}", page.len(), letter.text.len());
        assert!(letter.text.contains("left out") && page.contains("left out"), "{}", letter.text);
        for number in 101..101 + boards {
            assert!(letter.text.contains(&number.to_string()), "{number}: {}", letter.text);
        }
    }

    pub(super) async fn mails_of_many_boards_stay_below_what_is_cut_off(place: Place) {
        const BOARDS: u32 = 40;
        let app = TestApp::start_with(place, |config| config.limits.challenges_per_hour = 1000).await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        say(&app, "set bob bob-secret moves=digest").await;
        for _ in 0..BOARDS {
            say(&app, "obsidio challenge ann bob").await;
        }
        app.work().await;
        app.letters();
        app.clock.advance(HOUR);
        let numbers: Vec<String> = (101..101 + BOARDS).map(|number| number.to_string()).collect();
        app.mail("ann@ann.example", &format!("obsidio showas ann ann-secret {}", numbers.join(" ")), "")
            .await;
        for letter in app.letters() {
            judge(&letter, BOARDS);
        }
        let lines: Vec<String> =
            numbers.iter().map(|number| format!("obsidio showas ann ann-secret {number}")).collect();
        app.mail("ann@ann.example", "multiple", &lines.join("\n")).await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1);
        judge(&letters[0], BOARDS);
        app.clock.advance(DAY);
        app.work().await;
        let letters = app.letters();
        let digest = letters.iter().find(|letter| letter.to.starts_with("bob")).expect("a digest");
        assert!(digest.subject.contains(&format!("{BOARDS} boards")), "{}", digest.subject);
        judge(digest, BOARDS);
    }
}
