//! Users who made a move a moment ago and may not make another: their key or password ended, or they did.

use super::tell;

tell! {
    a_key_that_was_ended_makes_no_move,
    a_password_that_was_replaced_makes_no_move,
    a_suspended_user_makes_no_move,
    a_renamed_user_makes_no_move_under_the_old_name;
    on_postgres: a_key_that_was_ended_makes_no_move,
}

mod stories {
    use axum::http::Request;
    use knotpost_core::admin::UserEdit;
    use knotpost_core::identity::find_bearer;
    use knotpost_model::UserKey;
    use serde_json::{Value, json};

    use super::super::program::{call, make_key};
    use crate::harness::{Page, Place, TestApp, edit_user};

    const MOVES: &str = "/api/v1/boards/osbox/101/moves";

    async fn playing(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app
    }

    async fn key_of(app: &TestApp, userid: &str) -> UserKey {
        app.app.store.read().await.unwrap().find_user(userid).await.unwrap().unwrap().id
    }

    /// How many moves there are.
    async fn ply(app: &TestApp) -> i64 {
        let mut tx = app.app.store.read().await.unwrap();
        tx.find_board("osbox", 101).await.unwrap().unwrap().ply
    }

    /// A move with a key, under a name of its own.
    async fn once(app: &TestApp, key: &str, word: &str) -> Page {
        let request = Request::post(MOVES)
            .header("authorization", key)
            .header("content-type", "application/json")
            .header("idempotency-key", "first");
        app.send(request.body(json!({ "move": word }).to_string().into()).unwrap()).await
    }

    pub(super) async fn a_key_that_was_ended_makes_no_move(place: Place) {
        let app = playing(place).await;
        let (ann, bob) = (make_key(&app, "ann", &["play"]).await, make_key(&app, "bob", &["play"]).await);
        assert_eq!(once(&app, &ann, "i6").await.status, 200);
        for (key, word) in [(&bob, "o11"), (&ann, "j4"), (&bob, "e12")] {
            let page = call(&app, key, "POST", MOVES, &json!({ "move": word })).await;
            assert!(page.status == 200, "{word}: {}", page.text);
        }
        let user = key_of(&app, "ann").await;
        app.app.store.write(async move |tx| tx.drop_tokens_of(user).await).await.unwrap();
        let token = ann.trim_start_matches("Bearer ").to_owned();
        assert_eq!(once(&app, &ann, "i6").await.status, 401, "what was answered is not told again");
        for word in ["g4", "propose", "resign"] {
            let page = call(&app, &ann, "POST", MOVES, &json!({ "move": word })).await;
            assert_eq!(page.outcome(), "401 bad_credentials", "{word}: {}", page.text);
        }
        assert!(find_bearer(&app.app, &token, "here").await.unwrap().is_none());
        assert_eq!(ply(&app).await, 4);
        // Whoever has another key goes on.
        let other = make_key(&app, "ann", &["play"]).await;
        assert_eq!(call(&app, &other, "POST", MOVES, &json!({ "move": "g4" })).await.status, 200);
        app.clock.advance(366 * 86_400_000);
        let page = call(&app, &bob, "POST", MOVES, &json!({ "move": "g11" })).await;
        assert_eq!(page.outcome(), "401 bad_credentials", "its time is over");
        assert_eq!(call(&app, &bob, "GET", "/api/v1/tokens", &Value::Null).await.status, 401);
    }

    pub(super) async fn a_password_that_was_replaced_makes_no_move(place: Place) {
        let app = playing(place).await;
        let first = ("osbox move 101 ann ann-secret i6", [("idempotency-key", "first")]);
        for _ in 0..2 {
            assert_eq!(app.post_with(first.0, "", &first.1).await.status, 200);
        }
        assert_eq!(app.post("osbox move 101 bob bob-secret o11", "").await.status, 200);
        let (user, now) = (key_of(&app, "ann").await, app.app.clock.now());
        let hash = app.app.credentials.hash("chocolate").await.unwrap();
        let replaced =
            app.app.store.write(async move |tx| tx.set_password_hash(user, Some(&hash), now).await);
        replaced.await.unwrap();
        let again = app.post_with(first.0, "", &first.1).await;
        assert_eq!(again.json()["error"]["code"], "bad_credentials", "{}", again.text);
        let refused = app.post("osbox move 101 ann ann-secret j4", "").await;
        assert_eq!(refused.json()["error"]["code"], "bad_credentials", "{}", refused.text);
        assert_eq!(ply(&app).await, 2);
        assert_eq!(app.post("osbox move 101 ann chocolate j4", "").await.status, 200);
        assert_eq!(app.post("osbox move 101 BOB bob-secret e12", "").await.status, 200);
        assert_eq!(ply(&app).await, 4);
    }

    pub(super) async fn a_suspended_user_makes_no_move(place: Place) {
        let app = playing(place).await;
        let key = make_key(&app, "ann", &["play"]).await;
        assert_eq!(call(&app, &key, "POST", MOVES, &json!({ "move": "i6" })).await.status, 200);
        assert_eq!(app.post("osbox move 101 bob bob-secret o11", "").await.status, 200);
        edit_user(&app.app, "ann", UserEdit::Suspend).await.unwrap();
        edit_user(&app.app, "bob", UserEdit::Suspend).await.unwrap();
        let page = call(&app, &key, "POST", MOVES, &json!({ "move": "j4" })).await;
        assert_eq!(page.outcome(), "401 bad_credentials");
        let page = app.post("osbox move 101 bob bob-secret e12", "").await;
        assert_eq!(page.json()["error"]["code"], "bad_credentials", "{}", page.text);
        assert_eq!(ply(&app).await, 2);
        edit_user(&app.app, "ann", UserEdit::Lift).await.unwrap();
        assert_eq!(call(&app, &key, "POST", MOVES, &json!({ "move": "j4" })).await.status, 200);
    }

    pub(super) async fn a_renamed_user_makes_no_move_under_the_old_name(place: Place) {
        let app = playing(place).await;
        let key = make_key(&app, "ann", &["play"]).await;
        let first = ("osbox move 101 ann ann-secret i6", [("idempotency-key", "first")]);
        assert_eq!(app.post_with(first.0, "", &first.1).await.status, 200);
        assert_eq!(app.post("osbox move 101 bob bob-secret o11", "").await.status, 200);
        edit_user(&app.app, "ann", UserEdit::Rename("anna".to_owned())).await.unwrap();
        edit_user(&app.app, "bob", UserEdit::Rename("BOB".to_owned())).await.unwrap();
        let again = app.post_with(first.0, "", &first.1).await;
        assert_eq!(again.json()["error"]["code"], "bad_credentials", "{}", again.text);
        for line in [
            "osbox move 101 ann ann-secret j4",
            "osbox chat 101 ann ann-secret",
            "message ann ann-secret bob",
            "multiple\nosbox move 101 ann ann-secret j4",
        ] {
            let (line, body) = line.split_once('\n').unwrap_or((line, "words"));
            let refused = app.post(line, body).await;
            assert!(refused.text.contains("the userid or the password is wrong"), "{line}: {}", refused.text);
        }
        assert_eq!(ply(&app).await, 2);
        assert_eq!(app.post("osbox move 101 anna ann-secret j4", "").await.status, 200);
        assert_eq!(app.post("osbox move 101 bob bob-secret e12", "").await.status, 200, "its case alone");
        // A key is the user's, whatever they are called.
        assert_eq!(call(&app, &key, "POST", MOVES, &json!({ "move": "g4" })).await.status, 200);
        assert_eq!(ply(&app).await, 5);
    }
}
