//! Who may ask what: every address of the table as nobody, as a user and as an administrator; keys, passwords and
//! cookies on the API.

use super::tell;

tell! {
    every_address_is_for_whom_the_table_says,
    what_a_cookie_sends_must_say_where_it_comes_from,
    a_key_is_made_with_the_password_shown_once_and_ended,
    keys_end_with_the_password_the_account_and_their_time,
    keys_that_have_ended_leave_room_for_new_ones,
    a_key_does_what_its_scopes_allow,
    metrics_are_told_to_an_administrators_key,
    a_move_is_sent_by_program_and_made_once,
    wrong_keys_are_counted_like_wrong_passwords,
    keys_are_made_and_ended_on_the_settings_page,
    the_administration_by_program_is_that_of_the_pages;
    on_postgres: every_address_is_for_whom_the_table_says,
}

mod stories {
    use knotpost_core::admin::UserEdit;
    use knotpost_web::{Role, routes};
    use serde_json::{Value, json};

    use super::super::browser::Browser;
    use super::super::program::{ask, basic, call, make_key};
    use crate::harness::{DAY, Place, TestApp, edit_user};

    /// A server with ann and bob at a board, and ada, who looks after it.
    async fn looked_after(place: Place) -> TestApp {
        // Every address is asked several times within a moment.
        let app = TestApp::start_with(place, |config| config.limits.http_per_minute = 6000).await;
        for name in ["ann", "bob", "ada"] {
            app.sign_up(name).await;
        }
        edit_user(&app.app, "ada", UserEdit::Role("admin")).await.unwrap();
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.work().await;
        app.letters();
        app
    }

    pub(super) async fn every_address_is_for_whom_the_table_says(place: Place) {
        let app = looked_after(place).await;
        let fill = |path: &str| {
            path.replace("{game}", "osbox")
                .replace("{number}", "101")
                .replace("{userid}", "ann")
                .replace("{id}", "999")
                .replace("{topic}", "tutorial")
                .replace("{token}", "x")
                .replace("{name}", "style.css")
        };
        let known: Vec<_> = routes().map(|route| (route.method, fill(route.path))).collect();
        for (method, path) in &known {
            let others = known.iter().filter(|other| other.0 == *method && other.1 == *path);
            assert_eq!(others.count(), 1, "{method} {path} is there once");
        }
        let (ann, ada) = (Browser::of(&app, "ann").await, Browser::of(&app, "ada").await);
        let key = make_key(&app, "ann", &["read", "play"]).await;
        let password = basic("ann");
        for route in routes() {
            let path = fill(route.path);
            if path.ends_with("/events") || (route.method == "POST" && path == "/logout") {
                continue;
            }
            let origin = ("sec-fetch-site", "same-origin");
            let form = ("content-type", "application/x-www-form-urlencoded");
            let cookie = |browser: &Browser<'_>| browser.cookie.clone().unwrap();
            let (ann, ada) = (cookie(&ann), cookie(&ada));
            let as_nobody = ask(&app, route.method, &path, &[origin, form], "").await;
            let as_ann = ask(&app, route.method, &path, &[origin, form, ("cookie", &ann)], "").await;
            assert_ne!(as_nobody.status, 405, "{} {path}", route.method);
            let (nobody, user) = (as_nobody.status.as_u16(), as_ann.status.as_u16());
            match route.role {
                Role::Admin => {
                    assert_eq!((nobody, user), (404, 404), "{} {path}", route.method);
                    for shown in [&key, &password] {
                        let page = ask(&app, route.method, &path, &[("authorization", shown)], "").await;
                        assert_eq!(page.status, 404, "{} {path}", route.method);
                    }
                    let page = ask(&app, route.method, &path, &[origin, form, ("cookie", &ada)], "").await;
                    let text = &page.text;
                    let is_missing =
                        text.contains("no such page") || text.contains("nothing at this address");
                    assert!(!is_missing, "{} {path} is there for administrators: {text}", route.method);
                }
                Role::User if path.starts_with("/api/") => {
                    assert_eq!(nobody, 401, "{} {path}", route.method);
                    assert_ne!(user, 401, "{} {path}", route.method);
                }
                Role::User => {
                    let to = as_nobody.header("location");
                    assert!(nobody == 303 && to.starts_with("/login?next="), "{} {path}", route.method);
                    assert!(!as_ann.header("location").starts_with("/login"), "{} {path}", route.method);
                }
                Role::Public => assert!(nobody != 401 || path == "/login", "{} {path}", route.method),
                Role::Loopback => assert_eq!(nobody, 403, "{path}: the test comes from nowhere"),
                Role::Mailbox => assert_eq!((nobody, user), (404, 404), "mail leaves this server"),
                Role::Secret => assert_eq!(nobody, 404, "no secret is set"),
            }
            // What the table does not name is not there.
            for method in ["GET", "POST", "PUT", "DELETE", "PATCH"] {
                let is_named = known.iter().any(|(other, known)| *other == method && *known == path);
                if !is_named && route.role == Role::Public {
                    let page = ask(&app, method, &path, &[origin, form], "").await;
                    assert!([405, 404].contains(&page.status.as_u16()), "{method} {path}: {}", page.status);
                }
            }
        }
    }

    pub(super) async fn what_a_cookie_sends_must_say_where_it_comes_from(place: Place) {
        let app = looked_after(place).await;
        let ada = Browser::of(&app, "ada").await.cookie.unwrap();
        let cookie = ("cookie", ada.as_str());
        let mut tried = 0;
        for route in routes().filter(|route| route.method != "GET" && route.role != Role::Secret) {
            let path = route.path.replace("{game}", "osbox").replace("{number}", "101").replace("{id}", "1");
            if path.starts_with("/unsubscribe/") {
                continue;
            }
            for headers in [
                vec![cookie],
                vec![cookie, ("sec-fetch-site", "cross-site")],
                vec![cookie, ("origin", "https://evil.example")],
                vec![cookie, ("origin", "null")],
            ] {
                let page = ask(&app, route.method, &path, &headers, "act=revoke&sure=yes").await;
                assert_eq!(page.status, 403, "{} {path} with {headers:?}", route.method);
                tried += 1;
            }
        }
        assert!(tried > 60, "{tried}");
        let headers = [cookie, ("origin", "http://knotpost.example"), ("host", "knotpost.example")];
        let page = ask(&app, "POST", "/api/v1/admin/users/ann", &headers, r#"{"act":"log_out"}"#).await;
        assert_eq!(page.status, 200, "{}", page.text);
    }

    pub(super) async fn a_key_is_made_with_the_password_shown_once_and_ended(place: Place) {
        let app = looked_after(place).await;
        let wish = json!({ "name": "my bot", "scopes": ["play", "read", "play"], "expires_days": 30 });
        let page = call(&app, &basic("ann"), "POST", "/api/v1/tokens", &wish).await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (201, "no-store"));
        let made = page.json();
        let token = made["token"].as_str().unwrap().to_owned();
        assert!(token.len() == 73 && token.starts_with("knotpost_"), "{token}");
        assert_eq!(
            (&made["scopes"], &made["expires"]),
            (&json!(["read", "play"]), &"2026-12-20T10:00:00Z".into())
        );
        assert!(!format!("{:?}", app.tables().await).contains(&token[9..]), "only a digest is stored");
        let key = format!("Bearer {token}");
        let list = call(&app, &key, "GET", "/api/v1/tokens", &Value::Null).await;
        assert_eq!(list.json()["tokens"][0]["name"], "my bot");
        assert_eq!(list.json()["tokens"][0]["used"], "2026-11-20T10:00:00Z");
        assert!(!list.text.contains(&token[9..]));
        let id = made["id"].as_i64().unwrap();
        let this = format!("/api/v1/tokens/{id}");
        assert_eq!(call(&app, &key, "POST", "/api/v1/tokens", &wish).await.outcome(), "403 not_allowed");
        assert_eq!(call(&app, &key, "DELETE", &this, &Value::Null).await.outcome(), "403 not_allowed");
        assert_eq!(call(&app, &basic("bob"), "DELETE", &this, &Value::Null).await.status, 404, "not his");
        for (wish, outcome) in [
            (json!({ "name": "x", "scopes": ["admin"] }), "403 not_allowed"),
            (json!({ "name": "x", "scopes": ["write"] }), "422 bad_value"),
            (json!({ "name": "x", "scopes": [] }), "422 bad_value"),
            (json!({ "name": " ", "scopes": ["read"] }), "422 bad_value"),
            (json!({ "name": "x", "scopes": ["read"], "expires_days": 0 }), "422 bad_value"),
            (json!({ "name": "x" }), "400 wrong_arguments"),
        ] {
            let page = call(&app, &basic("ann"), "POST", "/api/v1/tokens", &wish).await;
            assert_eq!(page.outcome(), outcome, "{wish}");
        }
        assert_eq!(call(&app, &basic("ann"), "DELETE", &this, &Value::Null).await.status, 204);
        assert_eq!(
            call(&app, &key, "GET", "/api/v1/tokens", &Value::Null).await.outcome(),
            "401 bad_credentials"
        );
    }

    pub(super) async fn keys_that_have_ended_leave_room_for_new_ones(place: Place) {
        let app = looked_after(place).await;
        let wish = json!({ "name": "one of many", "scopes": ["read"], "expires_days": 1 });
        let make =
            async |shown: &str| call(&app, shown, "POST", "/api/v1/tokens", &wish).await.status.as_u16();
        let old = basic("ann");
        for _ in 0..30 {
            assert_eq!(make(&old).await, 201);
        }
        assert_eq!(make(&old).await, 403, "thirty live");
        app.clock.advance(2 * DAY);
        for _ in 0..30 {
            assert_eq!(make(&old).await, 201, "the first thirty have run out");
        }
        app.post("change password ann ann-secret chocolate", "").await;
        let new = format!("Basic {}", data_encoding::BASE64.encode(b"ann:chocolate"));
        assert_eq!(make(&new).await, 201, "nobody can use the others any more");
        let page = call(&app, &new, "GET", "/api/v1/tokens", &Value::Null).await;
        assert_eq!(page.json()["tokens"].as_array().unwrap().len(), 1, "{}", page.text);
        let mut tx = app.app.store.read().await.unwrap();
        let ann = tx.find_user("ann").await.unwrap().unwrap().id;
        assert_eq!(tx.tokens_of(ann).await.unwrap().len(), 1, "ended keys are gone");
    }

    pub(super) async fn keys_end_with_the_password_the_account_and_their_time(place: Place) {
        let app = looked_after(place).await;
        let look =
            async |key: &str| call(&app, key, "GET", "/api/v1/tokens", &Value::Null).await.status.as_u16();
        let key = make_key(&app, "ann", &["read"]).await;
        edit_user(&app.app, "ann", UserEdit::Suspend).await.unwrap();
        assert_eq!(look(&key).await, 401);
        edit_user(&app.app, "ann", UserEdit::Lift).await.unwrap();
        assert_eq!(look(&key).await, 200);
        app.clock.advance(366 * DAY);
        assert_eq!(look(&key).await, 401, "a year is over");
        let key = make_key(&app, "ann", &["read"]).await;
        app.post("change password ann ann-secret chocolate", "").await;
        assert_eq!(look(&key).await, 401, "another password");
        let key = make_key(&app, "bob", &["read"]).await;
        edit_user(&app.app, "bob", UserEdit::RevokeTokens).await.unwrap();
        assert_eq!(look(&key).await, 401);
        let key = make_key(&app, "bob", &["read"]).await;
        edit_user(&app.app, "bob", UserEdit::Delete).await.unwrap();
        assert_eq!(look(&key).await, 401);
    }

    pub(super) async fn a_key_does_what_its_scopes_allow(place: Place) {
        let app = looked_after(place).await;
        let reads = make_key(&app, "ann", &["read"]).await;
        let plays = make_key(&app, "ann", &["play"]).await;
        let ada_reads = make_key(&app, "ada", &["read", "play"]).await;
        let rules = make_key(&app, "ada", &["admin"]).await;
        let play = json!({ "move": "d2" });
        let moves = "/api/v1/boards/osbox/101/moves";
        let refused = call(&app, &reads, "POST", moves, &play).await;
        assert!(
            refused.outcome() == "403 not_allowed" && refused.text.contains("scope `play`"),
            "{}",
            refused.text
        );
        assert!(
            call(&app, &reads, "GET", "/api/v1/users/ann", &Value::Null)
                .await
                .text
                .contains("ann@ann.example")
        );
        for key in [&plays, &rules] {
            let page = call(&app, key, "GET", "/api/v1/users/ann", &Value::Null).await;
            assert!(page.status == 200 && !page.text.contains("ann@ann.example"), "{}", page.text);
        }
        assert_eq!(call(&app, &plays, "POST", moves, &play).await.status, 200);
        assert_eq!(
            call(&app, &ada_reads, "GET", "/api/v1/admin", &Value::Null).await.outcome(),
            "403 not_allowed"
        );
        assert_eq!(call(&app, &rules, "GET", "/api/v1/admin", &Value::Null).await.status, 200);
        edit_user(&app.app, "ada", UserEdit::Role("player")).await.unwrap();
        assert_eq!(call(&app, &rules, "GET", "/api/v1/admin", &Value::Null).await.status, 404);
    }

    pub(super) async fn metrics_are_told_to_an_administrators_key(place: Place) {
        let app = looked_after(place).await;
        let ada = make_key(&app, "ada", &["admin"]).await;
        let (play, ann) = (make_key(&app, "ada", &["play"]).await, make_key(&app, "ann", &["read"]).await);
        // This process does not count; a server does.
        for (shown, status) in
            [(&ada, 503), (&play, 403), (&ann, 403), (&"Bearer knotpost_x".to_owned(), 401)]
        {
            let page = call(&app, shown, "GET", "/metrics", &Value::Null).await;
            assert_eq!(page.status, status, "{}", page.text);
        }
        edit_user(&app.app, "ada", UserEdit::Role("player")).await.unwrap();
        assert_eq!(call(&app, &ada, "GET", "/metrics", &Value::Null).await.status, 403);
    }

    pub(super) async fn a_move_is_sent_by_program_and_made_once(place: Place) {
        let app = looked_after(place).await;
        let key = make_key(&app, "ann", &["play"]).await;
        let path = "/api/v1/boards/osbox/101/moves";
        let send = async |shown: &str, unique: &str, body: Value| {
            let headers = [("authorization", shown), ("idempotency-key", unique)];
            ask(&app, "POST", path, &headers, &body.to_string()).await
        };
        let play = json!({ "move": "d2", "number": 1, "comment": "Good luck!\r\nann" });
        let first = send(&key, "k1", play.clone()).await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert_eq!((&first.json()["ply"], &first.json()["played"]), (&1.into(), &true.into()));
        assert_eq!(send(&key, "k1", play).await.text, first.text, "the same answer again");
        assert_eq!(send(&key, "k1", json!({ "move": "e3" })).await.outcome(), "409 conflict");
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["ply"], &board["comment"]["text"]), (&1.into(), &"Good luck!\nann".into()));
        app.work().await;
        assert_eq!(app.letters().len(), 2, "both have the board");
        // In the order of the checks, with problem details.
        let bob = basic("bob");
        for (shown, body, outcome) in [
            (&key, json!({ "move": "f3" }), "409 not_your_turn"),
            (&bob, json!({ "move": "f3", "number": 7 }), "409 wrong_move_number"),
            (&bob, json!({ "move": "zz99" }), "422 illegal_move"),
            (&bob, json!({ "move": "f3 f4" }), "400 wrong_arguments"),
            (&bob, json!({ "move": "f3#2" }), "400 wrong_arguments"),
            (&bob, json!({ "move": "" }), "400 wrong_arguments"),
            (&bob, json!({ "move": "f3", "as": "ann" }), "400 wrong_arguments"),
            (&bob, json!(["f3"]), "400 wrong_arguments"),
            (&basic("ada"), json!({ "move": "f3" }), "403 not_a_player"),
        ] {
            let page = call(&app, shown, "POST", path, &body).await;
            assert_eq!(page.outcome(), outcome, "{body}");
            assert_eq!(page.header("content-type"), "application/problem+json");
        }
        for (path, outcome) in [
            ("/api/v1/boards/osbox/999/moves", "404 no_such_board"),
            ("/api/v1/boards/hex/101/moves", "404 unknown_game"),
            ("/api/v1/boards/help%20osbox/101/moves", "404 unknown_game"),
            ("/api/v1/boards/osbox/x/moves", "404 no_such_board"),
        ] {
            assert_eq!(
                call(&app, &bob, "POST", path, &json!({ "move": "f3" })).await.outcome(),
                outcome,
                "{path}"
            );
        }
        let page = call(&app, &bob, "POST", path, &json!({ "move": "resign" })).await;
        assert_eq!(page.status, 200, "{}", page.text);
    }

    pub(super) async fn wrong_keys_are_counted_like_wrong_passwords(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.limits.enabled = true;
            config.limits.password_tries = 3;
        })
        .await;
        app.sign_up("ann").await;
        let key = make_key(&app, "ann", &["read"]).await;
        let wrong = "Bearer knotpost_0000";
        for _ in 0..3 {
            let page = call(&app, wrong, "GET", "/api/v1/tokens", &Value::Null).await;
            assert_eq!(page.outcome(), "401 bad_credentials");
            assert_eq!(page.header("www-authenticate"), "Bearer realm=\"knotpost\"");
        }
        let page = call(&app, wrong, "GET", "/api/v1/tokens", &Value::Null).await;
        assert_eq!(page.outcome(), "429 rate_limited");
        assert_ne!(page.header("retry-after"), "");
        assert_eq!(
            call(&app, &key, "GET", "/api/v1/tokens", &Value::Null).await.status,
            200,
            "a right one passes"
        );
    }

    pub(super) async fn keys_are_made_and_ended_on_the_settings_page(place: Place) {
        let app = looked_after(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let wish = |password| {
            vec![
                ("act", "new_key"),
                ("name", "<b>bot</b>"),
                ("read", "yes"),
                ("days", "7"),
                ("present", password),
            ]
        };
        let page = ann.post("/settings", &wish("bob-secret")).await;
        assert!(page.status == 401 && page.text.contains("The password is wrong."), "{}", page.text);
        let page = ann.post("/settings", &wish("ann-secret")).await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, "no-store"));
        assert!(!page.text.contains("<b>bot"), "{}", page.text);
        let key = page.text.split("Authorization: ").nth(1).unwrap().split('<').next().unwrap().to_owned();
        assert_eq!(call(&app, &key, "GET", "/api/v1/tokens", &Value::Null).await.status, 200);
        let page = ann.get("/settings").await;
        assert!(page.text.contains("&lt;b&gt;bot") && !page.text.contains(&key[16..]), "{}", page.text);
        let id =
            page.text.split("name=\"id\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        ann.submit("/settings", &[("act", "end_key"), ("id", &id)]).await;
        assert_eq!(call(&app, &key, "GET", "/api/v1/tokens", &Value::Null).await.status, 401);
        assert_eq!(ann.post("/settings", &[("act", "end_key"), ("id", &id)]).await.status, 422);
    }

    pub(super) async fn the_administration_by_program_is_that_of_the_pages(place: Place) {
        let app = looked_after(place).await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret d2", "").await;
        let key = make_key(&app, "ada", &["admin"]).await;
        let get = async |path: &str| {
            let page = call(&app, &key, "GET", &format!("/api/v1/admin{path}"), &Value::Null).await;
            assert_eq!(
                (page.status.as_u16(), page.header("cache-control")),
                (200, "no-store"),
                "{path}: {}",
                page.text
            );
            page.json()
        };
        let post = async |path: &str, body: Value| {
            call(&app, &key, "POST", &format!("/api/v1/admin{path}"), &body).await
        };
        assert_eq!(get("").await["games"][0]["game"], "osbox");
        assert_eq!(get("/jobs").await["deadlines"][0]["game"], "osbox");
        let users = get("/users?limit=2").await;
        assert_eq!((&users["users"][1]["userid"], &users["cursor"]), (&"ann".into(), &"ann".into()));
        assert_eq!(get("/users?limit=2&cursor=ann").await["users"][0]["userid"], "bob");
        assert_eq!(get("/users/ann").await["addresses"][0]["address"], "ann@ann.example");
        assert_eq!(get("/boards?user=ann").await["boards"][0]["number"], 101);
        assert_eq!(get("/boards/osbox/101?seat=1&ply=0").await["ply"], 0);
        let inbox = get("/inbox").await;
        assert_eq!(inbox["mails"][0]["subject"], "osbox move 101 ann ******** d2");
        let id = inbox["mails"][0]["id"].as_i64().unwrap();
        assert_eq!(get(&format!("/inbox/{id}")).await["reason"], "executed");
        assert_eq!(post(&format!("/inbox/{id}"), json!({ "act": "retry" })).await.outcome(), "409 conflict");
        assert_eq!(get("/outbox?state=sent&limit=1").await["mails"][0]["state"], "sent");
        let paused = post("/boards/osbox/101", json!({ "act": "pause", "why": "x" })).await;
        assert_eq!((paused.status.as_u16(), &paused.json()["deed"]), (200, &"board.pause".into()));
        assert_ne!(get("/boards/osbox/101").await["paused"], Value::Null);
        for (path, body, outcome) in [
            ("/boards/osbox/101", json!({ "act": "pause" }), "409 conflict"),
            ("/boards/osbox/101", json!({ "act": "burn" }), "422 bad_value"),
            ("/boards/osbox/101", json!({ "act": "adjudicate", "winners": [9] }), "422 bad_value"),
            ("/boards/osbox/999", json!({ "act": "pause" }), "404 no_such_board"),
            ("/users/eve", json!({ "act": "suspend" }), "404 no_such_user"),
            ("/users/ada", json!({ "act": "suspend" }), "403 not_allowed"),
            ("/users/ann", json!({ "act": "add" }), "422 bad_value"),
            ("/broadcasts", json!({ "text": "" }), "400 wrong_arguments"),
            ("/broadcasts", json!({}), "400 wrong_arguments"),
        ] {
            assert_eq!(post(path, body.clone()).await.outcome(), outcome, "{path} {body}");
        }
        assert_eq!(post("/users/ann", json!({ "act": "suspend" })).await.status, 200);
        assert_eq!(get("/users/ann").await["state"], "suspended");
        let log = get("/audit?user=ann&limit=1").await;
        assert_eq!(
            (&log["audit"][0]["deed"], &log["audit"][0]["door"]),
            (&"user.suspend".into(), &"api".into())
        );
        for path in ["/audit?limit=0", "/audit?since=lately", "/audit?cursor=x", "/users?evil=1"] {
            let page = call(&app, &key, "GET", &format!("/api/v1/admin{path}"), &Value::Null).await;
            assert_eq!(page.outcome(), "422 bad_value", "{path}");
        }
        let page = call(&app, &key, "GET", "/api/v1/admin/nonsense", &Value::Null).await;
        assert_eq!(page.outcome(), "404 not_found");
    }
}
