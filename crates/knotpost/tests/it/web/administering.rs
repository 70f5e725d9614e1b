//! The administration in the browser: who gets in, what it does, who hears of it, and what the log keeps.

use super::tell;

tell! {
    for_all_but_administrators_there_is_no_administration,
    the_pages_show_the_server_and_its_people,
    what_needs_attention_stands_on_top,
    a_paused_board_waits_and_no_time_counts,
    a_decided_board_is_over_rated_and_replays,
    a_move_is_taken_back_and_a_board_removed,
    a_board_is_seen_with_anybodys_eyes_and_that_is_noted,
    users_are_changed_but_nobody_locks_themselves_out,
    an_administrator_without_the_role_does_nothing_more,
    names_that_would_be_refused_today_are_listed,
    whom_no_mail_goes_to_is_looked_at_and_changed,
    mails_are_found_read_masked_and_tried_again,
    a_word_goes_to_everybody,
    what_others_wrote_is_text_and_nothing_else,
    the_log_is_kept_for_its_days;
    on_postgres:
    the_pages_show_the_server_and_its_people,
    what_needs_attention_stands_on_top,
    whom_no_mail_goes_to_is_looked_at_and_changed,
    mails_are_found_read_masked_and_tried_again,
    the_log_is_kept_for_its_days,
}

mod stories {
    use knotpost_core::admin::{
        AdminAction, AdminChannel, Administrator, AuditQuery, BoardAction, LoggedErrors, RunningServer,
        UserEdit, administer, search_refused_names, view_audit,
    };
    use knotpost_core::boards::{Replayed, replay_next};
    use knotpost_core::config::KeepRaw;
    use knotpost_core::records::export_record;
    use knotpost_model::BoardRef;
    use knotpost_platform::build::VERSION;
    use knotpost_program::worker::prune;

    use super::super::browser::Browser;
    use crate::harness::{DAY, HOUR, Place, TestApp, edit_user, show_all};

    /// A server with these players, and ada, who looks after it.
    async fn looked_after(place: Place, names: &[&str]) -> TestApp {
        let app = TestApp::with_players(place, names).await;
        app.sign_up("ada").await;
        edit_user(&app.app, "ada", UserEdit::Role("admin")).await.unwrap();
        app.tick().await;
        app
    }

    /// The log, oldest first: who, what, to whom, and what came of it.
    async fn log(app: &TestApp) -> Vec<String> {
        let query = AuditQuery { limit: 100, ..AuditQuery::default() };
        let rows = view_audit(&app.app.store, &query).await.unwrap().rows;
        rows.iter()
            .rev()
            .map(|row| {
                format!("{} {} {} {} {}", row.channel, row.actor, row.action, row.subject, row.outcome)
            })
            .collect()
    }

    pub(super) async fn for_all_but_administrators_there_is_no_administration(place: Place) {
        let app = looked_after(place, &["ann"]).await;
        let mut nobody = Browser::new(&app);
        let mut ann = Browser::of(&app, "ann").await;
        let nothing = nobody.get("/no/such/page").await;
        for path in ["/admin", "/admin/boards", "/admin/users/ann", "/admin/audit", "/admin/nonsense"] {
            let page = nobody.get(path).await;
            assert_eq!((page.status.as_u16(), page.text), (404, nothing.text.clone()), "{path}");
            let page = ann.get(path).await;
            assert_eq!(page.status, 404, "{path}");
            assert!(!page.text.contains("admin"), "{path}: {}", page.text);
        }
        let page = ann.post("/admin/users/ada", &[("act", "revoke"), ("sure", "yes")]).await;
        assert_eq!(page.status, 404);
        assert!(!ann.get("/").await.text.contains("Administration"));
        let mut ada = Browser::of(&app, "ada").await;
        assert!(ada.get("/").await.text.contains("<a href=\"/admin\">Administration</a>"));
        let page = ada.get("/admin").await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, "no-store"));
        let page = ada.post_from("cross-site", "/admin/users/ann", &[("act", "log_out")]).await;
        assert_eq!(page.status, 403, "a form of another site");
        assert_eq!(log(&app).await, ["shell root user.grant ada done"]);
    }

    pub(super) async fn the_pages_show_the_server_and_its_people(place: Place) {
        let app = looked_after(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 101, 1).await;
        let mut ada = Browser::of(&app, "ada").await;
        for (path, words) in [
            ("/admin", vec!["Mail out", "SQL", "Osbox", "clock"]),
            ("/admin/boards", vec!["osbox 101", "ann, bob"]),
            ("/admin/boards?game=osbox&user=bob&state=active", vec!["osbox 101"]),
            ("/admin/boards?state=removed", vec!["There is no such board."]),
            ("/admin/boards/osbox/101", vec!["Osbox 101", "to move", "Pause it", "Who has won"]),
            ("/admin/users", vec!["/admin/users/ann", "/admin/users/bob", "admin"]),
            ("/admin/users?q=AN", vec!["/admin/users/ann"]),
            ("/admin/users?q=bob@bob.example", vec!["/admin/users/bob"]),
            ("/admin/users/bob", vec!["bob@bob.example", "1 boards", "Mail a new-password link"]),
            ("/admin/jobs", vec!["osbox 101", "clock"]),
            ("/admin/outbox?user=bob&state=sent", vec!["bob@bob.example", "board"]),
            ("/admin/inbox", vec!["There is no such mail."]),
            ("/admin/audit?user=ada", vec!["user.grant", "root"]),
            ("/admin/audit?user=bob", vec!["Nothing was done."]),
        ] {
            let page = ada.get(path).await;
            assert_eq!(page.status, 200, "{path}: {}", page.text);
            for word in words {
                assert!(page.text.contains(word), "{path} lacks `{word}`:\n{}", page.text);
            }
        }
        assert!(!ada.get("/admin/users?q=an").await.text.contains("/admin/users/bob"));
        assert!(!ada.get("/admin/users?q=bob@bob.example").await.text.contains("/admin/users/ann"));
        let page = ada.get("/admin/boards?game=osbox&number=101").await;
        assert_eq!(page.header("location"), "/admin/boards/osbox/101");
        for path in ["/admin/boards/osbox/999", "/admin/users/eve"] {
            let page = ada.get(path).await;
            assert!(page.status == 404 && page.text.contains("That was not done"), "{path}");
        }
    }

    pub(super) async fn what_needs_attention_stands_on_top(place: Place) {
        const MINUTE: i64 = 60_000;
        let app = looked_after(place, &["ann", "bob"]).await;
        app.letters();
        let mut ada = Browser::of(&app, "ada").await;
        let one = RunningServer::new(&app.app, "1a".into(), "one.example".to_owned());
        one.report(&app.app, &LoggedErrors::default()).await.unwrap();
        let page = ada.get("/admin").await.text;
        assert!(page.contains("No errors in the last 24 hours, and no mail waits"), "{page}");
        assert!(page.contains("one.example") && page.contains(VERSION.as_str()), "{page}");

        app.post("osbox challenge -size=4 ann bob", "").await;
        app.clock.advance(9 * MINUTE);
        let two = RunningServer::new(&app.app, "2b".into(), "two.example".to_owned());
        let logged = LoggedErrors {
            last_day: 2,
            latest: Some((app.app.clock.now(), "the <disk> is full".to_owned())),
        };
        two.report(&app.app, &logged).await.unwrap();
        let page = ada.get("/admin").await.text;
        assert!(page.contains("two.example logged 2 errors in the last 24 hours"), "{page}");
        assert!(page.contains("<code>the &lt;disk&gt; is full</code>"), "{page}");
        assert!(page.contains("one.example has not reported since"), "{page}");
        assert!(!page.contains("two.example has not reported since") && !page.contains("mails to players"));
        app.clock.advance(2 * MINUTE);
        let page = ada.get("/admin").await.text;
        assert!(page.contains("mails to players</a> waited for longer than 10 minutes"), "{page}");
        let overview = ada.get("/api/v1/admin").await.json();
        assert_eq!(overview["servers"][0]["silent"], true, "{overview}");
        assert_eq!(overview["servers"][1]["last_error"], "the <disk> is full", "{overview}");
        assert_eq!(overview["inbox"]["late"], 0, "{overview}");
        assert!(overview["outbox"]["late"].as_i64().unwrap() > 0, "{overview}");

        two.withdraw(&app.app.store).await.unwrap();
        app.work().await;
        let page = ada.get("/admin").await.text;
        assert!(!page.contains("two.example") && !page.contains("mails to players"), "{page}");
        app.clock.advance(8 * DAY);
        two.report(&app.app, &LoggedErrors::default()).await.unwrap();
        let mut ada = Browser::of(&app, "ada").await;
        assert!(!ada.get("/admin").await.text.contains("one.example"), "long gone");
    }

    pub(super) async fn a_paused_board_waits_and_no_time_counts(place: Place) {
        let app = looked_after(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 101, 2).await;
        app.letters();
        let mut ada = Browser::of(&app, "ada").await;
        let here = "/admin/boards/osbox/101";
        let page = ada.submit(here, &[("act", "pause"), ("why", "We look into a complaint.")]).await;
        assert!(page.text.contains("Done.") && page.text.contains("Paused since"), "{}", page.text);
        app.work().await;
        insta::assert_snapshot!("paused", show_all(&app.letters()));
        let refused = app.post("osbox move 101 ann ann-secret d2", "").await;
        assert_eq!(refused.outcome(), "409 conflict", "{}", refused.text);
        assert!(refused.text.contains("is paused by an administrator"), "{}", refused.text);
        for line in ["resign 101 bob bob-secret", "move 101 bob bob-secret undo"] {
            assert_eq!(app.post(&format!("osbox {line}"), "").await.outcome(), "409 conflict");
        }
        assert_eq!(app.post("osbox chat 101 bob bob-secret", "What happened?").await.outcome(), "200 ok");
        assert_eq!(ada.post(here, &[("act", "pause")]).await.status, 409, "once");
        assert_ne!(app.get("/api/v1/boards/osbox/101").await.json()["paused"], serde_json::Value::Null);
        app.work().await;
        app.letters();
        app.pass(40 * DAY).await;
        assert_eq!(app.letters().len(), 0, "nobody is reminded, nobody loses");
        let mut ada = Browser::of(&app, "ada").await;
        ada.submit(here, &[("act", "resume")]).await;
        app.work().await;
        let told = app.letters();
        assert_eq!(told.len(), 2);
        assert!(told[0].text.contains("let this board go on"), "{}", told[0].text);
        assert_eq!(ada.post(here, &[("act", "resume")]).await.status, 409);
        app.pass(6 * DAY).await;
        assert_eq!(app.letters().len(), 0, "the week of the reminder begins where it stopped");
        app.pass(DAY).await;
        assert_eq!(app.letters()[0].subject, "Nag: Osbox Board 101 ann");
        assert_eq!(app.post("osbox move 101 ann ann-secret d2", "").await.outcome(), "200 ok");
        assert_eq!(
            log(&app).await[1..],
            [
                "web ada board.pause osbox 101 done",
                "web ada board.pause osbox 101 conflict",
                "web ada board.resume osbox 101 done",
                "web ada board.resume osbox 101 conflict",
            ]
        );
    }

    pub(super) async fn a_decided_board_is_over_rated_and_replays(place: Place) {
        let app = looked_after(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 101, 3).await;
        app.play_on("osbox", 102, 2).await;
        app.letters();
        let mut ada = Browser::of(&app, "ada").await;
        let here = "/admin/boards/osbox/101";
        for (fields, status) in [
            (vec![("act", "adjudicate"), ("winner", "2")], 422),
            (vec![("act", "adjudicate"), ("sure", "yes")], 422),
            (vec![("act", "adjudicate"), ("sure", "yes"), ("winner", "3")], 422),
            (vec![("act", "adjudicate"), ("sure", "yes"), ("winner", "x")], 422),
            (vec![("act", "nonsense")], 400),
        ] {
            assert_eq!(ada.post(here, &fields).await.status, status, "{fields:?}");
        }
        ada.submit(here, &[("act", "pause")]).await;
        ada.submit(here, &[("act", "adjudicate"), ("sure", "yes"), ("winner", "2"), ("why", "ann\ncheated")])
            .await;
        app.work().await;
        let letters = app.letters();
        insta::assert_snapshot!("decided", letters.last().unwrap());
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["state"], &board["result"]["reason"]), (&"over".into(), &"adjudication".into()));
        assert_eq!(board["result"]["winners"], serde_json::json!([2]));
        let standings = app.get("/api/v1/standings/osbox").await;
        assert!(standings.text.contains("\"won\":1"), "{}", standings.text);
        assert_eq!(ada.post(here, &[("act", "pause")]).await.status, 409, "it is over");
        // The shell decides the other one as a tie.
        let both = AdminAction::Board {
            board: BoardRef { game: "osbox".to_owned(), number: 102 },
            action: BoardAction::Adjudicate { winners: vec![2, 1, 2] },
            why: String::new(),
        };
        administer(&app.app, &Administrator::of_shell("root"), both).await.unwrap();
        let board = app.get("/api/v1/boards/osbox/102").await.json();
        assert_eq!(board["result"]["winners"], serde_json::json!([1, 2]));
        // What was decided is part of the board's truth, here and in its record.
        let mut replayed = Replayed::default();
        while replay_next(&app.app.store, &app.app.games, &mut replayed).await.unwrap() {}
        assert_eq!((replayed.boards, replayed.differences), (2, vec![]));
        let name = BoardRef { game: "osbox".to_owned(), number: 101 };
        let record = export_record(&app.app, &name, None).await.unwrap();
        assert!(record.contains("4. adjudicated:2"), "{record}");
    }

    pub(super) async fn a_move_is_taken_back_and_a_board_removed(place: Place) {
        let app = looked_after(place, &["ann", "bob"]).await;
        for _ in 0..2 {
            app.post("osbox challenge -size=4 ann bob", "").await;
        }
        app.play_on("osbox", 101, 3).await;
        app.letters();
        let mut ada = Browser::of(&app, "ada").await;
        let here = "/admin/boards/osbox/101";
        assert_eq!(ada.post(here, &[("act", "take_back")]).await.status, 422, "not sure");
        ada.submit(here, &[("act", "take_back"), ("sure", "yes"), ("why", "A slip.")]).await;
        app.work().await;
        let letters = app.letters();
        assert_eq!(letters.len(), 2);
        assert!(letters[0].text.contains("took back the last move.\nThe reason given: A slip."));
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["ply"], &board["to_move"][0]), (&2.into(), &"ann".into()));
        let page = ada.post("/admin/boards/osbox/102", &[("act", "take_back"), ("sure", "yes")]).await;
        assert!(
            page.status == 409 && page.text.contains("no move that could be taken back"),
            "{}",
            page.text
        );
        ada.submit(here, &[("act", "remove"), ("sure", "yes"), ("why", "Played by one and the same.")]).await;
        app.work().await;
        let letters = app.letters();
        assert_eq!(letters.len(), 2);
        insta::assert_snapshot!("removed", letters[0]);
        assert_eq!(app.post("osbox show 101", "").await.outcome(), "404 no_such_board");
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["state"], "removed");
        assert!(ada.get(here).await.text.contains("Removed."), "administrators still see it");
        assert_eq!(ada.post(here, &[("act", "pause")]).await.status, 404);
        // What is over and rated is part of the ratings.
        app.play_on("osbox", 102, 2).await;
        app.post("osbox resign 102 ann ann-secret", "").await;
        let page = ada.post("/admin/boards/osbox/102", &[("act", "remove"), ("sure", "yes")]).await;
        assert!(page.status == 409 && page.text.contains("is over and rated"), "{}", page.text);
    }

    pub(super) async fn a_board_is_seen_with_anybodys_eyes_and_that_is_noted(place: Place) {
        let app = looked_after(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 101, 2).await;
        app.post("osbox queue 101 bob bob-secret if:d2 f12", "").await;
        let mut ada = Browser::of(&app, "ada").await;
        let here = "/admin/boards/osbox/101";
        let page = ada.get(here).await;
        assert!(page.text.contains("has queued") && !page.text.contains("if:d2"), "{}", page.text);
        let page = ada.get(&format!("{here}?seat=2&ply=1")).await;
        assert!(page.text.contains("move 1 of 2"), "{}", page.text);
        assert!(ada.get(&format!("{here}?seat=2")).await.text.contains("if:d2 f12"));
        assert_eq!(ada.get(&format!("{here}?seat=7")).await.status, 422);
        assert_eq!(
            log(&app).await[1..],
            [
                "web ada board.look_as osbox 101 done",
                "web ada board.look_as osbox 101 done",
                "web ada board.look_as osbox 101 bad_value",
            ]
        );
    }

    pub(super) async fn users_are_changed_but_nobody_locks_themselves_out(place: Place) {
        let app = looked_after(place, &["ann", "bob"]).await;
        let (mut ada, mut ann) = (Browser::of(&app, "ada").await, Browser::of(&app, "ann").await);
        let here = "/admin/users/ann";
        let page = ada.submit(here, &[("act", "send_password")]).await;
        assert!(page.text.contains("Done."));
        app.work().await;
        let letters = app.letters();
        assert!(letters.len() == 1 && letters[0].text.contains("/reset/"), "{}", show_all(&letters));
        ada.submit(here, &[("act", "log_out")]).await;
        assert!(!ann.get("/").await.text.contains("Log out"));
        assert_eq!(ada.post(here, &[("act", "suspend")]).await.status, 422, "not sure");
        ada.submit(here, &[("act", "suspend"), ("sure", "yes")]).await;
        assert_eq!(ann.log_in("ann", "ann-secret").await.status, 401);
        assert_eq!(ada.post(here, &[("act", "send_password")]).await.status, 409);
        ada.submit(here, &[("act", "lift")]).await;
        assert_eq!(ann.log_in("ann", "ann-secret").await.status, 303);
        ada.submit(here, &[("act", "grant"), ("sure", "yes")]).await;
        assert_eq!(ann.get("/admin").await.status, 200);
        for act in ["revoke", "suspend", "delete"] {
            let page = ada.post("/admin/users/ADA", &[("act", act), ("sure", "yes")]).await;
            assert!(page.status == 403 && page.text.contains("to yourself"), "{act}: {}", page.text);
        }
        ada.submit(here, &[("act", "revoke")]).await;
        assert_eq!(ann.get("/admin").await.status, 404);
        let page = ada.post("/admin/users/bob", &[("act", "start"), ("address", "bob@bob.example")]).await;
        assert!(page.status == 422 && page.text.contains("is not stopped"), "{}", page.text);
        ada.submit("/admin/users/bob", &[("act", "delete"), ("sure", "yes")]).await;
        assert_eq!(app.post("osbox challenge ann bob", "").await.status, 422, "bob is gone");
        let done: Vec<String> = log(&app).await.into_iter().filter(|line| line.contains(" done")).collect();
        assert_eq!(done.len(), 8, "{done:#?}");
        assert!(log(&app).await.contains(&"web ada user.suspend ADA not_allowed".to_owned()));
        assert!(!format!("{:?}", app.tables().await.rows("audit")).contains("secret"));
    }

    pub(super) async fn an_administrator_without_the_role_does_nothing_more(place: Place) {
        let app = looked_after(place, &["ann"]).await;
        let user = app.app.store.read().await.unwrap().find_user("ada").await.unwrap().unwrap().id;
        let ada = Administrator { channel: AdminChannel::Web, name: "ada".to_owned(), user: Some(user) };
        edit_user(&app.app, "ada", UserEdit::Role("player")).await.unwrap();
        // As if she had lost the role between the check and the action.
        let before = app.tables().await;
        let action = AdminAction::User { userid: "ann".to_owned(), edit: UserEdit::Suspend };
        assert!(administer(&app.app, &ada, action).await.is_err());
        assert_eq!(app.tables().await.differing(&before), ["audit"]);
        assert_eq!(log(&app).await.last().unwrap(), "web ada user.suspend ann not_allowed");
    }

    pub(super) async fn names_that_would_be_refused_today_are_listed(place: Place) {
        let app = looked_after(place, &["ann"]).await;
        for name in ["support", "webmaster", "Root"] {
            let password = "some-secret".to_owned();
            let edit = UserEdit::Add { password, addresses: vec![format!("{name}@some.example")] };
            edit_user(&app.app, name, edit).await.unwrap();
        }
        edit_user(&app.app, "webmaster", UserEdit::Delete).await.unwrap();
        edit_user(&app.app, "Root", UserEdit::Suspend).await.unwrap();
        let mut ada = Browser::of(&app, "ada").await;
        let page = ada.get("/admin/users?reserved=yes").await;
        for word in ["/admin/users/support", "/admin/users/Root", "reads as somebody who runs the server"] {
            assert!(page.text.contains(word), "{word}: {}", page.text);
        }
        for word in ["/admin/users/ann", "/admin/users/ada", "/admin/users/webmaster", "More</a>"] {
            assert!(!page.text.contains(word), "{word}: {}", page.text);
        }
        let page = ada.get("/admin/users?reserved=yes&q=su").await;
        assert!(page.text.contains("/admin/users/support") && !page.text.contains("/admin/users/Root"));
        assert!(ada.get("/admin/users?reserved=yes&q=an").await.text.contains("There is no such user."));

        let first = search_refused_names(&app.app.store, &app.app.vocabulary, "", "", 1).await.unwrap();
        assert_eq!((first.users[0].userid.as_str(), first.cursor.as_deref()), ("Root", Some("Root")));
        let second = search_refused_names(&app.app.store, &app.app.vocabulary, "", "Root", 1).await.unwrap();
        assert_eq!(second.users[0].userid, "support");
        let none = search_refused_names(&app.app.store, &app.app.vocabulary, "", "support", 1).await.unwrap();
        assert!(none.users.is_empty() && none.cursor.is_none());
    }

    pub(super) async fn whom_no_mail_goes_to_is_looked_at_and_changed(place: Place) {
        const PATH: &str = "/admin/do-not-mail";
        let app = looked_after(place, &["ann", "bob"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        let add = [("act", "add"), ("target", "Bob@bob.example"), ("reason", "asked <b>twice</b>")];
        assert_eq!(ann.post(PATH, &add).await.status, 404);
        let mut ada = Browser::of(&app, "ada").await;
        assert!(ada.get(PATH).await.text.contains("Nobody is on the list."));
        assert_eq!(ada.post_from("cross-site", PATH, &add).await.status, 403);
        let page = ada.post(PATH, &add).await;
        assert_eq!((page.status.as_u16(), page.header("location")), (303, "/admin/do-not-mail?done=yes"));
        let page = ada.get("/admin/do-not-mail?done=yes").await;
        for word in ["bob@bob.example", "asked &lt;b&gt;twice", "Send mail again", "audit log"] {
            assert!(page.text.contains(word), "{word}: {}", page.text);
        }
        app.letters();
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        assert_eq!(app.letters().len(), 1, "ann's alone");
        // What cannot be done says why.
        for (fields, word) in [
            (&add[..], "gets no mail already"),
            (&[("act", "add"), ("target", "no address")], "neither an address nor a domain"),
            (&[("act", "remove"), ("target", "@bob.example")], "is not on the list"),
            (&[("target", "x@bob.example")], "Choose what is to be done"),
        ] {
            let page = ada.post(PATH, fields).await;
            assert!(page.status.is_client_error() && page.text.contains(word), "{word}: {}", page.text);
        }
        let page = ada.post(PATH, &[("act", "remove"), ("target", "bob@bob.example")]).await;
        assert_eq!(page.status, 303);
        assert!(ada.get(PATH).await.text.contains("Nobody is on the list."));
        let done: Vec<String> =
            log(&app).await.into_iter().filter(|line| line.contains("do_not_mail")).collect();
        assert!(done.contains(&"web ada do_not_mail.add Bob@bob.example done".to_owned()), "{done:?}");
        assert!(done.contains(&"web ada do_not_mail.remove bob@bob.example done".to_owned()), "{done:?}");
    }

    pub(super) async fn mails_are_found_read_masked_and_tried_again(place: Place) {
        let app = looked_after(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret d2", "Hello!").await;
        let mut ada = Browser::of(&app, "ada").await;
        let list = ada.get("/admin/inbox?user=ann").await;
        assert!(list.text.contains("osbox move 101 ann ********"), "{}", list.text);
        let id = app.tables().await.rows("inbox").len();
        let page = ada.get(&format!("/admin/inbox/{id}")).await;
        assert!(page.text.contains("ann@ann.example") && !page.text.contains("ann-secret"), "{}", page.text);
        let page = ada.post(&format!("/admin/inbox/{id}"), &[("act", "retry")]).await;
        assert!(page.status == 409 && page.text.contains("is done"), "{}", page.text);
        // A mail that waits is dropped, and taken up again.
        app.post("osbox chat 101 bob bob-secret", "Good luck!").await;
        app.letters();
        let waiting = ada.get("/admin/outbox?state=queued").await;
        let mail = waiting.text.split("/admin/outbox/").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let here = format!("/admin/outbox/{mail}");
        assert_eq!(ada.post(&here, &[("act", "drop")]).await.status, 422, "not sure");
        let (now, until) = (app.app.clock.now(), app.app.clock.now().plus(60_000));
        let leased = app.app.store.write(async move |tx| tx.lease_outbox(now, until, 9).await).await.unwrap();
        let page = ada.post(&here, &[("act", "drop"), ("sure", "yes")]).await;
        assert!(page.status == 409 && page.text.contains("is in progress at this moment"), "{}", page.text);
        let keys: Vec<_> = leased.iter().map(|row| row.id).collect();
        let given_back = app.app.store.write(async move |tx| tx.give_back_outbox(&keys, until, now).await);
        given_back.await.unwrap();
        let page = ada.submit(&here, &[("act", "drop"), ("sure", "yes")]).await;
        assert!(page.text.contains("dropped by administrator"), "{}", page.text);
        app.work().await;
        let others = app.letters().len();
        ada.submit(&here, &[("act", "retry")]).await;
        app.work().await;
        assert_eq!((others, app.letters().len()), (1, 1));
        assert_eq!(ada.get("/admin/outbox/99999").await.status, 422);
        assert_eq!(
            log(&app).await[1..],
            [
                format!("web ada inbox.retry inbox {id} conflict"),
                format!("web ada outbox.drop outbox {mail} conflict"),
                format!("web ada outbox.drop outbox {mail} done"),
                format!("web ada outbox.retry outbox {mail} done"),
            ]
        );
    }

    pub(super) async fn a_word_goes_to_everybody(place: Place) {
        let app = looked_after(place, &["ann", "bob"]).await;
        let mut ada = Browser::of(&app, "ada").await;
        assert_eq!(ada.post("/admin/broadcast", &[("text", "Hi")]).await.status, 422, "not sure");
        assert_eq!(ada.post("/admin/broadcast", &[("text", " "), ("sure", "yes")]).await.status, 400);
        let text = "The server moves on Sunday.\r\nPlay on!";
        ada.submit("/admin/broadcast", &[("text", text), ("sure", "yes")]).await;
        app.work().await;
        let letters = app.letters();
        let readers =
            letters.iter().filter(|letter| letter.text.contains("moves on Sunday.\nPlay on!")).count();
        assert_eq!(readers, 3, "{}", show_all(&letters));
        assert_eq!(ada.post("/admin/broadcast", &[("text", "Hi"), ("sure", "yes")]).await.status, 429);
        assert!(log(&app).await.contains(&"web ada broadcast everybody done".to_owned()));
    }

    pub(super) async fn what_others_wrote_is_text_and_nothing_else(place: Place) {
        let app = TestApp::start_with(place, |config| config.inbound.keep_raw = KeepRaw::All).await;
        for name in ["ann", "bob", "ada"] {
            app.sign_up(name).await;
        }
        edit_user(&app.app, "ada", UserEdit::Role("admin")).await.unwrap();
        let evil = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'";
        app.post("osbox challenge -size=4 ann bob", evil).await;
        app.mail("eve@eve.example", evil, evil).await;
        let headers = format!("Subject: {evil}\r\nMessage-ID: <{evil}@x>\r\nX-Evil: {evil}\r\n");
        app.mail_with("\"<b>\"@eve.example", &headers, evil).await;
        let parts = format!(
            "--x\r\nContent-Type: text/plain\r\n\r\n{evil}\r\n--x\r\nContent-Type: image/<b>x; name=\"<script>alert(3)\"\r\n\
             Content-Transfer-Encoding: <script>alert(4)\r\n\
             Content-Disposition: attachment; filename=\"<script>alert(5)</script>.png\"\r\n\r\nx\r\n--x--"
        );
        let headers = "Subject: help\r\nMessage-ID: <9@x>\r\nContent-Type: multipart/mixed; boundary=x\r\n";
        app.mail_with("ann@ann.example", headers, &parts).await;
        app.post(&format!("osbox move 101 {evil} x d2"), "").await;
        let mut ada = Browser::of(&app, "ada").await;
        let here = "/admin/boards/osbox/101";
        ada.submit(here, &[("act", "pause"), ("why", evil)]).await;
        let mut paths: Vec<String> = ["", "/boards", "/inbox", "/outbox", "/jobs", "/audit", "/users"]
            .iter()
            .map(|path| format!("/admin{path}"))
            .collect();
        paths.push(here.to_owned());
        let query = "%3Cscript%3Ealert(1)%3C/script%3E%22%3E";
        for name in ["q", "user", "reason", "address", "since", "state", "game"] {
            for list in ["users", "boards", "inbox", "outbox", "audit", "do-not-mail"] {
                paths.push(format!("/admin/{list}?{name}={query}"));
            }
        }
        paths.push(format!("/admin/users/{query}"));
        paths.push(format!("/admin/boards/{query}/101"));
        for id in 1..=app.tables().await.rows("inbox").len() {
            paths.push(format!("/admin/inbox/{id}"));
        }
        let mut seen = String::new();
        for path in paths {
            let page = ada.get(&path).await;
            for tag in ["<script>alert", "<img src", "<b>\"@", "\">\"", "onerror=alert(2)>"] {
                assert!(!page.text.contains(tag), "{path} holds `{tag}`:\n{}", page.text);
            }
            seen.push_str(&page.text);
        }
        assert!(seen.contains("&lt;script&gt;alert(1)"), "it was shown, as text");
        assert!(seen.contains("The message</h2>"), "with what is kept of mails");
    }

    pub(super) async fn the_log_is_kept_for_its_days(place: Place) {
        let app = looked_after(place, &["ann"]).await;
        let mut ada = Browser::of(&app, "ada").await;
        app.clock.advance(700 * DAY);
        edit_user(&app.app, "ann", UserEdit::Suspend).await.unwrap();
        while prune(&app.app).await.unwrap() {}
        assert_eq!(log(&app).await.len(), 2);
        app.clock.advance(30 * DAY + HOUR);
        while prune(&app.app).await.unwrap() {}
        assert_eq!(log(&app).await, ["shell root user.suspend ann done"]);
        let query = AuditQuery { userid: Some("ANN".to_owned()), limit: 9, ..AuditQuery::default() };
        assert_eq!(view_audit(&app.app.store, &query).await.unwrap().rows.len(), 1);
        let query = AuditQuery { since: Some(app.app.clock.now()), limit: 9, ..AuditQuery::default() };
        assert_eq!(view_audit(&app.app.store, &query).await.unwrap().rows.len(), 0);
        assert_eq!(ada.get("/admin/audit").await.status, 404, "her session has ended");
    }
}
