//! What is held about a user: the archive, by shell, link and button; what goes with an account; the page about privacy.

use super::tell;

tell! {
    an_archive_holds_what_is_the_users_and_no_secret,
    a_board_that_is_played_shows_nothing_hidden,
    a_link_is_for_its_user_who_is_logged_in_and_for_a_day,
    the_settings_page_makes_an_archive_and_not_many,
    with_an_account_go_its_addresses_and_its_role,
    with_an_account_go_its_words_where_that_is_wished,
    the_page_about_privacy_tells_the_times_of_the_configuration;
    on_postgres: with_an_account_go_its_words_where_that_is_wished,
}

mod stories {
    use std::collections::BTreeMap;
    use std::io::{Cursor, Read as _};

    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use knotpost_core::admin::UserEdit;
    use knotpost_core::archive::write_archive;
    use serde_json::Value;

    use super::super::browser::Browser;
    use crate::harness::{DAY, Place, TestApp, edit_user};

    type Files = BTreeMap<String, String>;

    fn unzip(bytes: Vec<u8>) -> Files {
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).expect("a whole archive");
        let mut files = Files::new();
        for index in 0..zip.len() {
            let mut file = zip.by_index(index).expect("a file");
            let mut text = String::new();
            file.read_to_string(&mut text).expect("text");
            let name = file.name().expect("a name").into_owned();
            files.insert(name, text);
        }
        files
    }

    async fn archive(app: &TestApp, userid: &str) -> Files {
        let mut bytes = Vec::new();
        write_archive(&app.app, userid, &mut bytes).await.expect("an archive");
        unzip(bytes)
    }

    fn rows(files: &Files, name: &str) -> Vec<Value> {
        serde_json::from_str(&files[&format!("{name}.json")]).expect("a list")
    }

    /// Ann and bob at a board, with words of both.
    async fn talked(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "ann begins").await;
        app.post("osbox chat 101 bob bob-secret", "bob answers").await;
        app.post("osbox chat 101 ann ann-secret", "ann chats").await;
        app.work().await;
        app
    }

    pub(super) async fn an_archive_holds_what_is_the_users_and_no_secret(place: Place) {
        let app = talked(place).await;
        let mut browser = Browser::of(&app, "ann").await;
        browser.post("/boards/osbox/101", &[("act", "note"), ("comment", "for me alone")]).await;
        let fields = [("act", "new_key"), ("name", "my key"), ("read", "yes"), ("present", "ann-secret")];
        let made = browser.post("/settings", &fields).await;
        assert_eq!(made.status, 200, "{}", made.text);
        let files = archive(&app, "ann").await;
        assert_eq!(rows(&files, "account")[0]["userid"], "ann");
        assert_eq!(rows(&files, "addresses")[0]["address"], "ann@ann.example");
        assert_eq!(rows(&files, "boards")[0]["seat"], 1);
        assert_eq!(rows(&files, "notes")[0]["text"], "for me alone");
        assert_eq!(rows(&files, "api-keys")[0]["name"], "my key");
        assert_eq!(rows(&files, "sessions").len(), 1);
        let said: Vec<_> = rows(&files, "remarks").iter().map(|row| row["text"].clone()).collect();
        assert_eq!(said, ["ann begins", "ann chats"], "and nothing of bob's");
        let received = rows(&files, "mails-received");
        let moved = received.iter().find(|mail| mail["subject"] == "osbox move 101 ann ******** f1");
        assert!(moved.is_some(), "{received:?}");
        let sent = rows(&files, "mails-sent");
        assert!(sent.iter().all(|mail| mail["recipient"] == "ann@ann.example"), "{sent:?}");
        assert!(sent.iter().any(|mail| mail["message"]["subject"].is_string()), "{sent:?}");
        assert!(files["boards/osbox-101.txt"].contains("[Players \"ann bob\"]"));
        assert!(files["boards/osbox-101.txt"].contains("ann begins"));
        let all: String = files.values().flat_map(|text| [text.as_str(), "\n"]).collect();
        for secret in ["ann-secret", "bob-secret", "$argon2", "bob@bob.example", "bob answers"] {
            assert!(!all.contains(secret), "{secret}");
        }
        for file in files.keys().filter(|name| !name.starts_with("boards/") && *name != "README.txt") {
            assert!(files["README.txt"].contains(file.as_str()), "{file} is explained");
        }
        let unknown = write_archive(&app.app, "nobody", &mut Vec::new()).await.unwrap_err();
        assert_eq!(unknown.to_string(), "there is no user `nobody`");
    }

    pub(super) async fn a_board_that_is_played_shows_nothing_hidden(place: Place) {
        let app = talked(place).await;
        app.post("osbox queue 101 ann ann-secret f2", "").await;
        let of_bob = archive(&app, "bob").await;
        assert!(!of_bob["boards/osbox-101.txt"].contains("[Seed"));
        assert_eq!(of_bob["queued-moves.json"], "[]\n", "what ann queued is hers");
        let of_ann = archive(&app, "ann").await;
        assert_eq!(rows(&of_ann, "queued-moves")[0]["text"], "f2");
        for userid in ["ann", "bob"] {
            let line = format!("osbox resign 101 {userid} {userid}-secret");
            app.post(&line, "").await;
        }
        let page = app.get("/api/v1/boards/osbox/101").await;
        if page.status == 200 && page.json()["state"] == "over" {
            assert!(archive(&app, "bob").await["boards/osbox-101.txt"].contains("[Seed"));
        }
    }

    async fn link(app: &TestApp) -> String {
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "export me ann ann-secret", "").await;
        app.work().await;
        let letter =
            app.letters().into_iter().find(|letter| letter.text.contains("/archive/")).expect("a mail");
        let line = letter.text.lines().find(|line| line.contains("/archive/")).expect("a link");
        line.trim().split_once("/archive/").map(|(_, token)| format!("/archive/{token}")).unwrap()
    }

    /// The bytes that the button of a page sends.
    async fn press(app: &TestApp, browser: &Browser<'_>, path: &str, body: &'static str) -> (u16, Vec<u8>) {
        let request = Request::post(path)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin")
            .header("cookie", browser.cookie.clone().unwrap_or_default());
        let response = app.open(request.body(Body::from(body)).unwrap()).await;
        let status = response.status().as_u16();
        if status == 200 {
            assert_eq!(response.headers()["content-type"], "application/zip");
            assert_eq!(response.headers()["cache-control"], "no-store");
            assert!(!response.headers()["content-disposition"].is_empty());
        }
        (status, to_bytes(response.into_body(), 1 << 24).await.expect("a whole body").to_vec())
    }

    pub(super) async fn a_link_is_for_its_user_who_is_logged_in_and_for_a_day(place: Place) {
        let app = talked(place).await;
        let path = link(&app).await;
        let as_nobody = app.get(&path).await;
        assert_eq!(
            (as_nobody.status.as_u16(), as_nobody.header("location").starts_with("/login?next=/archive/")),
            (303, true)
        );
        let (mut ann, mut bob) = (Browser::of(&app, "ann").await, Browser::of(&app, "bob").await);
        let page = ann.get(&path).await;
        assert!(page.status == 200 && page.text.contains("Download it"), "{}", page.text);
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(bob.get(&path).await.status, 403);
        assert_eq!(press(&app, &bob, &path, "").await.0, 403);
        for _ in 0..2 {
            let (status, bytes) = press(&app, &ann, &path, "").await;
            assert_eq!(status, 200);
            assert_eq!(
                rows(&unzip(bytes), "account")[0]["userid"],
                "ann",
                "a link works until it is too old"
            );
        }
        assert_eq!(ann.get("/archive/1.2.x").await.status, 422);
        app.pass(DAY).await;
        let late = ann.get(&path).await;
        assert!(late.status == 403 && late.text.contains("older than a day"), "{}", late.text);
    }

    pub(super) async fn the_settings_page_makes_an_archive_and_not_many(place: Place) {
        let app = TestApp::start_with(place, |config| config.limits.enabled = true).await;
        app.sign_up("ann").await;
        app.work().await;
        let mut ann = Browser::of(&app, "ann").await;
        assert!(ann.get("/settings").await.text.contains("Download my data"));
        let mut made = 0;
        let last = loop {
            let (status, bytes) = press(&app, &ann, "/settings", "act=archive").await;
            if status != 200 || made > 20 {
                break status;
            }
            assert_eq!(rows(&unzip(bytes), "account")[0]["userid"], "ann");
            made += 1;
        };
        assert_eq!((made, last), (10, 429));
    }

    pub(super) async fn with_an_account_go_its_addresses_and_its_role(place: Place) {
        let app = talked(place).await;
        edit_user(&app.app, "ann", UserEdit::Role("admin")).await.unwrap();
        app.mail("ann@ann.example", "osbox show 101", "").await;
        app.work().await;
        assert!(app.tables().await.rows("outbox").iter().any(|row| row.contains("ann@ann.example")));
        app.post("delete ann ann-secret", "").await;
        app.work().await;
        assert!(
            app.letters().iter().any(|letter| letter.text.contains("is deleted")),
            "the good-bye was sent"
        );
        let tables = app.tables().await;
        for table in ["outbox", "inbox", "addresses"] {
            let rows = tables.rows(table).join("\n");
            assert!(!rows.contains("ann@ann.example"), "{table}: {rows}");
        }
        let all = tables.rows("remarks").join("\n");
        assert!(all.contains("ann chats") && all.contains("bob answers"), "what was said stays: {all}");
        let user = app.app.store.read().await.unwrap().find_user("ann").await.unwrap().unwrap();
        assert_eq!(user.role, "player");
    }

    pub(super) async fn with_an_account_go_its_words_where_that_is_wished(place: Place) {
        let app = talked(place).await;
        app.mail("ann@ann.example", "delete ann ann-secret with-remarks", "").await;
        app.work().await;
        let letters = app.letters();
        let asked = letters
            .iter()
            .find(|letter| letter.text.contains("Nothing has been deleted yet"))
            .expect("a question");
        assert!(asked.text.contains("delete ann PASSWORD with-remarks really"), "{}", asked.text);
        app.mail("ann@ann.example", "delete ann ann-secret with-remarks really", "").await;
        app.work().await;
        let said = app.tables().await.rows("remarks").join("\n");
        assert!(!said.contains("ann chats") && !said.contains("ann begins"), "{said}");
        assert!(said.contains("bob answers"), "{said}");
        assert_eq!(said.matches("[removed]").count(), 2, "that she spoke there stays: {said}");
        edit_user(&app.app, "bob", UserEdit::DeleteWithRemarks).await.unwrap();
        assert!(!app.tables().await.rows("remarks").join("\n").contains("bob answers"));
    }

    pub(super) async fn the_page_about_privacy_tells_the_times_of_the_configuration(place: Place) {
        let folder = tempfile::tempdir().unwrap();
        let templates = folder.path().to_owned();
        let app = TestApp::start_with(place, move |config| {
            config.retention.inbox_days = 41;
            "club@example.org".clone_into(&mut config.server.contact);
            config.mail.templates = templates;
        })
        .await;
        let page = app.get("/privacy").await;
        assert_eq!(page.status, 200);
        for words in ["41 days", "mailto:club@example.org", "export me USERID PASSWORD"] {
            assert!(page.text.contains(words), "{words}: {}", page.text);
        }
        assert!(app.get("/login").await.text.contains("href=\"/privacy\""), "every page leads there");
        let file = folder.path().join("privacy.html");
        std::fs::write(&file, "<p>Ours: {{ contact }}, {{ retention|length }} times</p>").unwrap();
        let own = app.get("/privacy").await.text;
        assert!(own.contains("<p>Ours: club@example.org, 12 times</p>") && !own.contains("41 days"), "{own}");
        std::fs::write(&file, "{{ no_such_fact }}").unwrap();
        assert!(app.get("/privacy").await.text.contains("41 days"), "a faulty file is not used");
    }
}
