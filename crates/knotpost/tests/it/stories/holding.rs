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
    use knotpost::worker;
    use knotpost_core::config::Confirm;
    use knotpost_core::hold::Hold;
    use knotpost_core::identity::{HookWish, ProvenUser, create_webhook};
    use knotpost_core::webhooks::{HookEvent, HookForm};
    use knotpost_storage::Driver;
    use knotpost_transport::outbound::webhook;

    use crate::harness::{DAY, HOUR, HookHost, Letter, Place, TestApp};

    async fn say(app: &TestApp, line: &str) {
        let page = app.post(line, "").await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
    }

    async fn alter(app: &TestApp, sql: &'static str) {
        let altered = app.app.store.write(move |tx| {
            Box::pin(async move {
                match tx.driver_for_tests() {
                    Driver::Sqlite(connection) => sqlx::query(sql).execute(connection).await.map(drop)?,
                    Driver::Postgres(connection) => sqlx::query(sql).execute(connection).await.map(drop)?,
                }
                Ok(())
            })
        });
        altered.await.unwrap();
    }

    fn has_subject(app: &TestApp, words: &str) -> bool {
        app.letters().iter().any(|letter| letter.subject.contains(words))
    }

    async fn hook(app: &TestApp, userid: &str, host: &HookHost) {
        let row = app.app.store.read().await.unwrap().find_user(userid).await.unwrap().unwrap();
        let user = ProvenUser {
            user: row.id,
            userid: row.userid,
            hash: row.password_hash.unwrap(),
            key: None,
            session: None,
            password_at: None,
        };
        let wish = HookWish { url: host.url(), events: HookEvent::ALL.to_vec(), form: HookForm::Signed };
        create_webhook(&app.app, user, wish).await.unwrap();
    }

    pub(super) async fn nothing_leaves_a_server_on_hold_by_any_way(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.mail.hold = true;
            config.accounts.confirm_addresses = Confirm::Off;
            config.webhooks.allow_private = true;
        })
        .await;
        assert_eq!(app.app.hold, Some(Hold::Setting));
        assert!(app.get("/readyz").await.text.starts_with("ready\nwarning: this server is on hold"));
        let host = HookHost::start().await;
        for name in ["ann", "bob", "cyd"] {
            // With its welcome.
            app.sign_up(name).await;
        }
        hook(&app, "bob", &host).await;
        for line in [
            "osbox challenge -size=4 ann bob",
            "osbox move 101 ann ann-secret f1",
            "osbox chat 101 ann ann-secret hello",
            "message ann ann-secret bob hello",
            "set ann ann-secret puzzle=on",
            "set cyd cyd-secret moves=digest",
            "osbox challenge -size=4 ann cyd",
            "osbox challenge -size=4 bob cyd",
            "password ann",
        ] {
            app.post(line, "Hello").await;
        }
        // A question by mail, a wrong password, and a report that a mail came back.
        app.mail("dan@dan.example", "help", "").await;
        app.mail("bob@bob.example", "osbox move 101 bob wrong f9", "").await;
        for _ in 0..40 {
            // Reminders, losses on time, mails of the day, puzzles.
            app.pass(DAY).await;
        }
        assert_eq!(app.letters().len(), 0);
        assert_eq!(host.told().len(), 0);
        assert!(!worker::walk_round(&app.app).await.unwrap());
        assert!(!webhook::send_next(&app.app, &app.courier).await.unwrap());
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["state"], "active", "nobody has lost: {board}");
        let waiting = app.app.store.read().await.unwrap().count_waiting_outbox().await.unwrap();
        assert!(waiting >= 6, "all waits: {waiting}");
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
        hook(&app, "bob", &host).await;
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
            alter(&app, sql).await;
            app.work().await;
            assert_eq!((app.letters().len(), host.told().len()), (mails, events), "{case}");
        }
        // Received mail that was leased then.
        let raw = "From: ann@ann.example\r\nTo: games@knotpost.example\r\nSubject: osbox move 101 bob bob-secret f11\r\n\
                   Message-ID: <1@ann.example>\r\n\r\n";
        app.receive(Some("ann@ann.example"), raw.as_bytes()).await;
        alter(&app, "UPDATE inbox SET due_at = due_at + 31536000000 WHERE state = 'new'").await;
        app.work().await;
        app.work().await;
        assert_eq!(app.letters().len(), 2, "the move is made");
        // Puzzles, and the mail of the day.
        say(&app, "set ann ann-secret moves=digest puzzle=on").await;
        alter(&app, "UPDATE puzzle_mails SET due_at = due_at + 31536000000").await;
        app.work().await;
        assert!(has_subject(&app, "uzzle"), "puzzles");
        say(&app, "osbox challenge -size=4 bob ann").await;
        app.work().await;
        app.letters();
        say(&app, "osbox move 102 bob bob-secret f1").await;
        app.work().await;
        app.letters();
        alter(&app, "UPDATE digests SET due_at = due_at + 31536000000").await;
        app.work().await;
        assert!(has_subject(&app, "today"), "the mail of the day");
    }

    /// Whether page and text of a mail are below 92 kB, and all boards from 101 on are named.
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
