//! What users note to themselves on boards.

use super::tell;

tell! {
    a_note_is_read_by_its_owner_alone,
    a_note_is_changed_and_deleted,
    who_only_looks_on_has_notes_too,
    a_note_that_is_not_stored_is_not_lost,
    notes_go_with_the_account_and_with_the_board,
    a_thousand_notes_are_enough;
    on_postgres: a_thousand_notes_are_enough,
}

mod stories {
    use knotpost_core::admin::{AdminAction, Administrator, BoardAction, UserEdit, administer};
    use knotpost_model::{BoardKey, BoardRef, Millis, UserKey};
    use knotpost_storage::{NewBoard, StoreError};
    use serde_json::{Value, json};

    use super::super::browser::Browser;
    use super::super::program::{basic, call, make_key};
    use crate::harness::{Place, TestApp, edit_user};

    const BOARD: &str = "/boards/osbox/101";
    const NOTE: &str = "/api/v1/boards/osbox/101/note";
    const WORDS: &str = "Close the <left> knot first";

    async fn playing(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "ada"]).await;
        edit_user(&app.app, "ada", UserEdit::Role("admin")).await.unwrap();
        app.post("osbox challenge -size=3 ann bob", "").await;
        app.work().await;
        app.letters();
        app
    }

    async fn keys(app: &TestApp, userid: &str) -> (UserKey, BoardKey) {
        let mut tx = app.app.store.read().await.unwrap();
        let user = tx.find_user(userid).await.unwrap().unwrap();
        let board = tx.find_board("osbox", 101).await.unwrap().unwrap();
        (user.id, board.id)
    }

    async fn note_of(app: &TestApp, userid: &str) -> String {
        let (user, board) = keys(app, userid).await;
        let note = app.app.store.read().await.unwrap().board_note(user, board).await.unwrap();
        note.map(|note| note.text).unwrap_or_default()
    }

    pub(super) async fn a_note_is_read_by_its_owner_alone(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.submit(BOARD, &[("act", "note"), ("comment", WORDS)]).await;
        assert!(page.text.contains("Close the &lt;left&gt; knot first</textarea>"), "{}", page.text);
        assert!(page.text.contains("id=\"tab-more\" checked"), "the note is in sight");
        app.work().await;
        assert!(app.letters().is_empty(), "nobody is told");
        for name in ["bob", "ada"] {
            let mut browser = Browser::of(&app, name).await;
            for path in [BOARD, "/boards/osbox/101/explore", "/users/ann"] {
                assert!(!browser.get(path).await.text.contains("knot first"), "{name} {path}");
            }
            let note = call(&app, &basic(name), "GET", NOTE, &Value::Null).await.json();
            assert_eq!(note, json!({ "text": "", "written": null }));
        }
        let mut ada = Browser::of(&app, "ada").await;
        for path in ["/admin/boards/osbox/101", "/admin/users/ann", "/admin/audit", "/admin/outbox"] {
            let page = ada.get(path).await;
            assert!(page.status == 200 && !page.text.contains("knot first"), "{path}");
        }
        for path in ["/api/v1/boards/osbox/101", "/api/v1/boards/osbox/101/record", "/api/v1/users/ann"] {
            assert!(!call(&app, &basic("ann"), "GET", path, &Value::Null).await.text.contains("knot first"));
        }
        assert!(!app.get(BOARD).await.text.contains("own-note"), "whoever is not logged in has none");
        let page = Browser::new(&app).post(BOARD, &[("act", "note"), ("comment", WORDS)]).await;
        assert!(page.header("location").starts_with("/login"));
    }

    pub(super) async fn a_note_is_changed_and_deleted(place: Place) {
        let app = playing(place).await;
        let key = make_key(&app, "ann", &["play"]).await;
        let page = call(&app, &key, "PUT", NOTE, &json!({ "text": " One\r\ntwo\u{202e} " })).await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, "no-store"), "{}", page.text);
        assert_eq!(page.json()["text"], "One\ntwo", "{}", page.text);
        app.clock.advance(60_000);
        let later = call(&app, &key, "PUT", NOTE, &json!({ "text": "Three" })).await.json();
        assert_ne!(later["written"], page.json()["written"]);
        assert_eq!(call(&app, &key, "GET", NOTE, &Value::Null).await.json(), later);
        let reads = make_key(&app, "ann", &["read"]).await;
        assert_eq!(call(&app, &reads, "GET", NOTE, &Value::Null).await.json(), later);
        let refused = call(&app, &reads, "PUT", NOTE, &json!({ "text": "Four" })).await;
        assert_eq!(refused.outcome(), "403 not_allowed");
        assert_eq!(call(&app, &reads, "DELETE", NOTE, &Value::Null).await.outcome(), "403 not_allowed");
        assert_eq!(note_of(&app, "ann").await, "Three");
        for _ in 0..2 {
            assert_eq!(call(&app, &key, "DELETE", NOTE, &Value::Null).await.status, 204);
            assert_eq!(note_of(&app, "ann").await, "");
        }
        let mut ann = Browser::of(&app, "ann").await;
        ann.submit(BOARD, &[("act", "note"), ("comment", WORDS)]).await;
        let page = ann.submit(BOARD, &[("act", "note"), ("comment", " \r\n ")]).await;
        assert!(!page.text.contains("knot first") && !page.text.contains("Without words"));
        assert_eq!(note_of(&app, "ann").await, "");
    }

    pub(super) async fn who_only_looks_on_has_notes_too(place: Place) {
        let app = playing(place).await;
        let mut cyd = Browser::of(&app, "cyd").await;
        cyd.submit(BOARD, &[("act", "subscribe")]).await;
        let page = cyd.submit(BOARD, &[("act", "note"), ("comment", WORDS)]).await;
        assert!(page.text.contains("knot first</textarea>"));
        for (path, outcome) in [
            ("/api/v1/boards/osbox/999/note", "404 no_such_board"),
            ("/api/v1/boards/chess/101/note", "404 unknown_game"),
        ] {
            let page = call(&app, &basic("cyd"), "GET", path, &Value::Null).await;
            assert_eq!(page.outcome(), outcome);
            let page = call(&app, &basic("cyd"), "PUT", path, &json!({ "text": "x" })).await;
            assert_eq!(page.outcome(), "404 no_such_board");
        }
    }

    pub(super) async fn a_note_that_is_not_stored_is_not_lost(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let longest = "é".repeat(4_000);
        ann.submit(BOARD, &[("act", "note"), ("comment", &longest)]).await;
        assert_eq!(note_of(&app, "ann").await, longest);
        let longer = format!("{longest}x");
        let page = ann.post(BOARD, &[("act", "note"), ("comment", &longer)]).await;
        assert_eq!(page.status, 422, "{}", page.text);
        assert!(page.text.contains("at most 4000 characters, this one has 4001"), "{}", page.text);
        assert!(page.text.contains(&longer) && page.text.contains("id=\"tab-more\" checked"));
        assert_eq!(note_of(&app, "ann").await, longest, "the one before is there");
        let page = call(&app, &basic("ann"), "PUT", NOTE, &json!({ "text": longer })).await;
        assert_eq!(page.outcome(), "422 bad_value");
    }

    pub(super) async fn notes_go_with_the_account_and_with_the_board(place: Place) {
        let app = playing(place).await;
        for name in ["ann", "bob", "cyd"] {
            Browser::of(&app, name).await.submit(BOARD, &[("act", "note"), ("comment", WORDS)]).await;
        }
        edit_user(&app.app, "cyd", UserEdit::Delete).await.unwrap();
        assert_eq!(note_of(&app, "cyd").await, "");
        assert_eq!(note_of(&app, "bob").await, WORDS, "those of others stay");
        let board = BoardRef { game: "osbox".to_owned(), number: 101 };
        let action = AdminAction::Board { board, action: BoardAction::Remove, why: String::new() };
        administer(&app.app, &Administrator::of_shell("root"), action).await.unwrap();
        assert_eq!((note_of(&app, "ann").await, note_of(&app, "bob").await), (String::new(), String::new()));
        let mut ann = Browser::of(&app, "ann").await;
        assert!(!ann.get(BOARD).await.text.contains("own-note"));
        assert_eq!(ann.post(BOARD, &[("act", "note"), ("comment", WORDS)]).await.status, 404);
    }

    pub(super) async fn a_thousand_notes_are_enough(place: Place) {
        let app = playing(place).await;
        let (ann, _) = keys(&app, "ann").await;
        let write = app.app.store.write(async move |tx| {
            for number in 501..=1_500 {
                let board = NewBoard {
                    game: "osbox".to_owned(),
                    options: String::new(),
                    rules_version: 1,
                    seed: [0; 32],
                    rated: false,
                    position: String::new(),
                    scores: String::new(),
                    at: Millis(0),
                    nag_ms: None,
                    forfeit_ms: None,
                    total_ms: None,
                    pairing: None,
                };
                let board = tx.insert_board(number, &board).await?;
                tx.set_board_note(ann, board, "x", Millis(2_000 - number)).await?;
            }
            Ok::<_, StoreError>(())
        });
        write.await.unwrap();
        let page = call(&app, &basic("ann"), "PUT", NOTE, &json!({ "text": "one more" })).await;
        assert_eq!(page.outcome(), "403 not_allowed");
        assert!(page.text.contains("the oldest is on osbox 1500"), "{}", page.text);
        let oldest = async {
            let mut tx = app.app.store.read().await.unwrap();
            tx.find_board("osbox", 1_500).await.unwrap().unwrap().id
        };
        let oldest = oldest.await;
        app.app.store.write(async move |tx| tx.drop_board_note(ann, oldest).await).await.unwrap();
        for text in ["one more", "the same, changed"] {
            let page = call(&app, &basic("ann"), "PUT", NOTE, &json!({ "text": text })).await;
            assert_eq!(page.status, 200, "{}", page.text);
        }
    }
}
