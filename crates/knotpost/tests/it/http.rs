//! The API, the pages and the operator's addresses, asked through the router.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use futures_util::future::join_all;
use knotpost_core::pulse::Loop;
use serde_json::{Value, json};

use crate::harness::{Page, Place, TestApp, command_request};

async fn playing() -> TestApp {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    app.post("osbox challenge -size=3 ann bob", "Have fun!").await;
    for line in ["osbox move 101 ann ann-secret f1", "osbox move 101 bob bob-secret e7"] {
        assert_eq!(app.post(line, "").await.outcome(), "200 ok");
    }
    app
}

fn is_problem(page: &Page, status: u16, code: &str) {
    assert_eq!((page.status.as_u16(), page.header("content-type")), (status, "application/problem+json"));
    let problem = page.json();
    assert_eq!((&problem["code"], &problem["status"]), (&json!(code), &json!(status)), "{problem}");
    assert!(problem["type"].is_string() && problem["title"].is_string() && problem["detail"].is_string());
}

#[tokio::test]
async fn a_board_has_all_its_promised_fields() {
    let app = playing().await;
    let page = app.get("/api/v1/boards/osbox/101").await;
    assert_eq!(page.header("content-type"), "application/json");
    insta::assert_snapshot!("board_json", serde_json::to_string_pretty(&page.json()).unwrap());
    assert_eq!(app.get("/api/v1/boards/OSBOX/101").await.json(), page.json());
}

/// Queues, resignations in advance, the clock and roles are not for everybody.
#[tokio::test]
async fn lists_hold_what_everybody_may_know() {
    let app = playing().await;
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let board = &app.get("/api/v1/boards").await.json()["boards"][0];
    assert_eq!(names(board), "ended game number options players ply rated started state to_move", "{board}");
    assert_eq!(names(&board["players"][0]), "seat userid", "{board}");
    assert_eq!(
        names(&app.get("/api/v1/users/ann").await.json()),
        "about answers_after_ms finished form lost_on_time since userid"
    );
}

#[tokio::test]
async fn a_board_is_shown_as_it_was_after_any_move() {
    let app = playing().await;
    let start = app.get("/api/v1/boards/osbox/101?ply=0").await.json();
    assert_eq!(
        (&start["ply"], &start["last_ply"], &start["position"]),
        (&json!(0), &json!(2), &json!(".../.../... 1 0-0"))
    );
    assert_eq!(start["comment"], json!({ "by": "The challenger", "text": "Have fun!" }));
    assert_eq!(app.get("/api/v1/boards/osbox/101?ply=-1").await.json()["ply"], 1);
    is_problem(&app.get("/api/v1/boards/osbox/101?ply=3").await, 422, "bad_value");
    let text = app.get("/api/v1/boards/osbox/101/board.txt?ply=1").await;
    assert!(text.header("content-type").starts_with("text/plain"));
    assert!(text.text.contains(" 1 > #     #"), "{}", text.text);
}

#[tokio::test]
async fn moves_and_legal_moves_are_listed() {
    let app = playing().await;
    let moves = app.get("/api/v1/boards/osbox/101/moves").await.json();
    assert_eq!(moves["moves"].as_array().unwrap().len(), 2);
    assert_eq!((&moves["moves"][1]["text"], &moves["moves"][1]["userid"]), (&json!("e7"), &json!("bob")));
    let legal = app.get("/api/v1/boards/osbox/101/legal").await.json();
    let legal = legal["legal"].as_array().unwrap();
    assert!(
        legal.contains(&json!("f1")) && !legal.contains(&json!("f7")),
        "Horz pushes from left and right only"
    );
    assert!(legal.is_sorted_by_key(|play| play.as_str().unwrap().to_owned()));
}

#[tokio::test]
async fn an_unchanged_board_is_not_sent_again() {
    let app = playing().await;
    for path in ["/api/v1/boards/osbox/101", "/api/v1/boards/osbox/101/board.txt"] {
        is_sent_once(&app, path).await;
    }
}

async fn is_sent_once(app: &TestApp, path: &str) {
    let tag = app.get(path).await.header("etag").to_owned();
    for known in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
        let request = Request::get(path).header("if-none-match", known).body(Body::empty()).unwrap();
        let page = app.send(request).await;
        assert_eq!((page.status.as_u16(), page.text.as_str()), (304, ""));
    }
    let before = app.get(path).await.text;
    let [mover, play] = if path.ends_with("txt") { ["bob", "e8"] } else { ["ann", "f2"] };
    let line = format!("osbox move 101 {mover} {mover}-secret {play}");
    assert_eq!(app.post(&line, "").await.outcome(), "200 ok");
    let request = Request::get(path).header("if-none-match", &tag).body(Body::empty()).unwrap();
    let page = app.send(request).await;
    assert_eq!(page.status, 200);
    assert_ne!((page.header("etag"), &page.text), (tag.as_str(), &before));
}

#[tokio::test]
async fn answers_are_cached_until_somebody_commits() {
    let app = playing().await;
    let asked = ["", "?ply=1", "?ply=1&", "/board.txt", "/board.txt?ply=0"];
    let addresses = asked.map(|rest| format!("/api/v1/boards/osbox/101{rest}"));
    let mut first = Vec::new();
    for address in &addresses {
        first.push(app.get(address).await.text);
    }
    // Again, by now out of memory, and each its own.
    for (address, text) in addresses.iter().zip(&first) {
        assert_eq!(app.get(address).await.text, *text, "{address}");
    }
    // As another process would.
    let other = rusqlite::Connection::open(app.data.path().join("knotpost.db")).unwrap();
    assert_eq!(other.execute("UPDATE users SET userid = 'Anna' WHERE userid = 'ann'", []), Ok(1));
    let page = app.get(&addresses[0]).await.json();
    assert_eq!(page["players"][0]["userid"], "Anna");
    let problem = app.get("/api/v1/boards/osbox/102").await;
    is_problem(&problem, 404, "no_such_board");
    app.post("osbox challenge bob bob", "").await;
    assert_eq!(app.get("/api/v1/boards/osbox/102").await.status, 200, "what is refused is not kept");
}

#[tokio::test]
async fn lists_are_filtered_and_go_on_where_they_stopped() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob", "cyd"]).await;
    for pair in ["ann bob", "bob ann", "ann cyd", "cyd bob", "ann ann"] {
        assert_eq!(app.post(&format!("osbox challenge {pair}"), "").await.outcome(), "200 ok");
    }
    let (mut numbers, mut path) = (Vec::new(), "/api/v1/boards?game=osbox&limit=2".to_owned());
    loop {
        let page = app.get(&path).await.json();
        let boards = page["boards"].as_array().unwrap();
        assert!(boards.len() <= 2);
        numbers.extend(boards.iter().map(|board| board["number"].as_i64().unwrap()));
        let Some(cursor) = page["cursor"].as_i64() else { break };
        path = format!("/api/v1/boards?game=osbox&limit=2&cursor={cursor}");
    }
    numbers.sort_unstable();
    assert_eq!(numbers, [101, 102, 103, 104, 105], "each once");
    let count = async |query: &str| {
        app.get(&format!("/api/v1/boards?{query}")).await.json()["boards"].as_array().unwrap().len()
    };
    assert_eq!(count("user=cyd").await, 2);
    assert_eq!(count("user=ann&next=true").await, 3);
    assert_eq!(count("state=over").await, 0);
    is_problem(&app.get("/api/v1/boards?user=nobody").await, 404, "no_such_user");
    is_problem(&app.get("/api/v1/boards?game=hex").await, 404, "unknown_game");
    for wrong in ["state=lost", "limit=0", "limit=201", "next=true"] {
        is_problem(&app.get(&format!("/api/v1/boards?{wrong}")).await, 422, "bad_value");
    }
    for unreadable in ["limit=many", "colour=red", "cursor=x"] {
        let page = app.get(&format!("/api/v1/boards?{unreadable}")).await;
        assert!([400, 422].contains(&page.status.as_u16()), "{unreadable}: {}", page.text);
        assert_eq!(page.header("content-type"), "application/problem+json");
    }
}

#[tokio::test]
async fn what_is_not_there_is_a_problem() {
    let app = playing().await;
    is_problem(&app.get("/api/v1/boards/osbox/999").await, 404, "no_such_board");
    is_problem(&app.get("/api/v1/boards/osbox/x").await, 404, "no_such_board");
    is_problem(&app.get("/api/v1/boards/hex/101").await, 404, "unknown_game");
    is_problem(&app.get("/api/v1/games/hex").await, 404, "unknown_game");
    is_problem(&app.get("/api/v1/nothing").await, 404, "not_found");
    let games = app.get("/api/v1/games").await.json();
    assert_eq!(games["games"][0]["game"], "osbox");
    assert_eq!(games["games"][0]["boards"], json!({ "active": 1, "over": 0 }));
}

#[tokio::test]
async fn the_same_key_carries_a_request_out_once() {
    let app = playing().await;
    let key = [("idempotency-key", "k1")];
    let line = "osbox move 101 ann ann-secret f2";
    let first = app.post_with(line, "Take that", &key).await;
    let again = app.post_with(line, "Take that", &key).await;
    assert_eq!(first.outcome(), "200 ok");
    assert_eq!((again.status, &again.text), (first.status, &first.text));
    assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["ply"], 3);
    is_problem(&app.post_with("osbox chat 101 ann ann-secret", "Hello", &key).await, 409, "conflict");
    // A key belongs to the one who uses it: another player's is another key.
    assert_eq!(app.post_with("osbox chat 101 bob bob-secret", "Hello", &key).await.outcome(), "200 ok");

    let refused = [("idempotency-key", "k2")];
    let next = "osbox move 101 ann ann-secret f3";
    let early = app.post_with(next, "", &refused).await;
    assert_eq!(early.outcome(), "409 not_your_turn");
    app.post("osbox move 101 bob bob-secret e8", "").await;
    assert_eq!(app.post_with(next, "", &refused).await.outcome(), "409 not_your_turn", "the answer it had");
    is_problem(&app.post_with(line, "", &[("idempotency-key", "")]).await, 422, "bad_value");
}

#[tokio::test]
async fn a_key_stores_nothing_for_what_only_asks() {
    let app = playing().await;
    let stored = async || app.tables().await.rows("idempotency").len();
    let queries = "help\nosbox show 101\nosbox history\n";
    for (line, body) in [
        ("help", ""),
        ("osbox show 101", ""),
        ("osbox history", ""),
        ("multiple", queries),
        ("no such command", ""),
        ("osbox move 101 ann wrong-secret f2", ""),
    ] {
        for count in 0..5 {
            let key = format!("{line} {count}");
            let page = app.post_with(line, body, &[("idempotency-key", &key)]).await;
            assert_eq!(page.outcome(), app.post(line, body).await.outcome(), "{line}");
        }
    }
    assert_eq!(stored().await, 0);
    let key = [("idempotency-key", "k1")];
    app.post_with("help", "", &key).await;
    assert_eq!(
        app.post_with("osbox show 101", "", &key).await.outcome(),
        "200 ok",
        "no key of a query is taken"
    );

    let line = "osbox move 101 ann ann-secret f2";
    let first = app.post_with(line, "", &key).await;
    assert_eq!(first.outcome(), "200 ok");
    assert_eq!(app.post_with(line, "", &key).await.text, first.text);
    assert_eq!(stored().await, 1);
    assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["ply"], 3);
}

#[tokio::test]
async fn what_is_stored_under_a_key_is_bounded() {
    let app = playing().await;
    let lines = format!("osbox chat 101 ann ann-secret\n{}", "help commands\nosbox show 101\n".repeat(24));
    let free = app.post("multiple", &lines).await;
    let first = app.post_with("multiple", &lines, &[("idempotency-key", "k1")]).await;
    assert!(
        free.text.len() > 80_000 && first.text.len() < 80_000,
        "{} {}",
        free.text.len(),
        first.text.len()
    );
    assert!(first.text.contains("fill the mail already"), "{}", first.text);
    let again = app.post_with("multiple", &lines, &[("idempotency-key", "k1")]).await;
    assert_eq!(again.text, first.text);
}

#[tokio::test]
async fn requests_with_the_same_key_at_the_same_time_are_one() {
    let app = playing().await;
    let request = || command_request("osbox challenge ann bob", "", &[("idempotency-key", "twins")]);
    let pages = join_all((0..8).map(|_| app.send(request()))).await;
    assert!(pages.iter().all(|page| page.outcome() == "200 ok" && page.text == pages[0].text));
    assert_eq!(app.get("/api/v1/boards").await.json()["boards"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn moves_made_at_the_same_time_are_made_once() {
    let app = playing().await;
    let pages = join_all((0..6).map(|_| app.post("osbox move 101 ann ann-secret f2#3", ""))).await;
    assert!(pages.iter().all(|page| page.outcome() == "200 ok"), "{pages:?}");
    assert_eq!(pages.iter().filter(|page| page.json()["repeated"] == true).count(), 5);
    assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["ply"], 3);
    let others = join_all((0..6).map(|_| app.post("osbox move 101 bob bob-secret e8#3", ""))).await;
    assert!(others.iter().all(|page| page.outcome() == "409 wrong_move_number"), "{others:?}");
}

#[tokio::test]
async fn commands_come_as_text_or_json_and_nothing_else() {
    let app = playing().await;
    let text = |body: &str| Request::post("/commands").body(Body::from(body.to_owned())).unwrap();
    let page = app.send(text("osbox show 101\n")).await;
    assert_eq!((page.status.as_u16(), page.header("content-type")), (200, "text/plain; charset=utf-8"));
    assert!(page.text.starts_with("Summary of Osbox Board 101\n"), "{}", page.text);
    let page = app.send(text("osbox move 101 ann ann-secret f2\r\nA comment\r\n")).await;
    assert!(page.text.contains("ann writes:\nA comment\n"), "{}", page.text);

    let json = |body: &str| {
        Request::post("/commands")
            .header("content-type", "application/json; charset=utf-8")
            .body(Body::from(body.to_owned()))
            .unwrap()
    };
    for bad in
        ["", "{", "[]", "\"help\"", r#"{"body":"x"}"#, r#"{"command":7}"#, r#"{"command":"help","extra":1}"#]
    {
        is_problem(&app.send(json(bad)).await, 400, "wrong_arguments");
    }
    is_problem(
        &app.send(Request::post("/commands").body(Body::from(vec![0xff, 0xfe])).unwrap()).await,
        400,
        "wrong_arguments",
    );
    let large = "x".repeat(256 * 1024 + 1);
    is_problem(&app.send(text(&large)).await, 413, "too_large");
    assert_eq!(app.get("/commands").await.status, 405);
}

#[tokio::test]
async fn many_commands_over_http_are_one_reply_each() {
    let app = playing().await;
    let page = app.post("multiple", "list\nosbox move 101 ann ann-secret f2\nnonsense\n").await;
    let answer = page.json();
    assert_eq!((page.status.as_u16(), &answer["ok"]), (200, &json!(false)));
    assert_eq!(answer["replies"].as_array().unwrap().len(), 3);
    assert_eq!(app.post("multiple", "list\nlist").await.json()["ok"], true);
    assert_eq!(app.post("multiple", "").await.outcome(), "400 wrong_arguments");
    assert_eq!(app.post("multiple", &"list\n".repeat(51)).await.outcome(), "413 too_large");
}

#[tokio::test]
async fn pages_are_for_people() {
    let app = playing().await;
    app.post("osbox chat 101 ann ann-secret", "<script>alert(1)</script>").await;
    app.post("osbox move 101 ann ann-secret f2", "<b>bold</b> & more").await;
    let pages = [
        ("/", "osbox"),
        ("/boards/osbox/101", "bob's turn"),
        ("/boards/osbox/101?ply=1", "f1"),
        ("/games/osbox", "Horz"),
        ("/help/tutorial", "challenge"),
        ("/assets/style.css", "{"),
    ];
    for (path, expected) in pages {
        let page = app.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        let shown = page.text.replace("&#x27;", "'").replace("&#39;", "'");
        assert!(shown.contains(expected), "{path} shows {expected}: {shown}");
        assert!(page.header("content-security-policy").contains("default-src 'none'"));
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        let foreign = page.text.replace("<script type=\"module\" src=\"&#x2f;assets&#x2f;", "");
        assert!(!foreign.contains("<script") && !foreign.contains("<b>bold"), "{path}");
    }
    for path in
        ["/nothing", "/boards/osbox/999", "/boards/osbox/x", "/boards/hex/101", "/games/hex", "/help/nothing"]
    {
        let page = app.get(path).await;
        assert_eq!(
            (page.status.as_u16(), page.header("content-type")),
            (404, "text/html; charset=utf-8"),
            "{path}"
        );
    }
    assert_eq!(app.get("/boards/osbox/101?ply=99").await.status, 422);
}

#[tokio::test]
async fn the_operator_sees_health() {
    let app = TestApp::start().await;
    assert_eq!(app.get("/healthz").await.text, "ok\n");
    let ready = format!("ready\nknotpost {}\n", *knotpost_platform::build::VERSION);
    assert_eq!(app.get("/readyz").await.text, ready);
    let as_json = async || {
        let request = Request::get("/readyz").header("accept", "application/json");
        app.send(request.body(Body::empty()).unwrap()).await
    };
    let page = as_json().await;
    let version = knotpost_platform::build::VERSION.as_str();
    assert_eq!(page.json(), serde_json::json!({ "ready": true, "warnings": [], "version": version }));
    app.app.pulse.beat(Loop::Outbox, app.app.clock.now());
    app.clock.advance(4 * 60_000);
    app.app.pulse.beat(Loop::Clock, app.app.clock.now());
    assert_eq!(app.get("/readyz").await.text, ready);
    app.clock.advance(2 * 60_000);
    let page = app.get("/readyz").await;
    assert!(page.status == 503 && page.text.trim_end().ends_with(": outbox"), "{}", page.text);
    let page = as_json().await;
    assert_eq!((page.status.as_u16(), &page.json()["ready"]), (503, &false.into()), "{}", page.text);
    app.app.pulse.beat(Loop::Outbox, app.app.clock.now());
    assert_eq!(app.get("/readyz").await.text, ready);
    app.app.store.close().await;
    assert_eq!(app.get("/readyz").await.status, 503);
    assert_eq!(app.get("/healthz").await.status, 200);
}

/// A request for the metrics; `headers` beside the Host.
fn metrics(peer: &str, host: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let peer = SocketAddr::new(peer.parse().unwrap(), 4000);
    let mut request = Request::get("/metrics").extension(ConnectInfo(peer)).header("host", host);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::empty()).unwrap()
}

#[tokio::test]
async fn metrics_are_for_this_machine_where_nobody_else_reaches_the_server() {
    let app = TestApp::start_with(Place::Sqlite, |config| {
        "http://localhost:8080".clone_into(&mut config.server.public_url);
    })
    .await;
    let ask = async |request: Request<Body>| app.send(request).await.status.as_u16();
    // This process does not count; a server does.
    for (peer, host) in
        [("127.0.0.1", "127.0.0.1:8080"), ("::ffff:127.0.0.1", "localhost"), ("::1", "[::1]:8080")]
    {
        assert_eq!(ask(metrics(peer, host, &[])).await, 503, "{peer} {host}");
    }
    assert_eq!(ask(metrics("192.0.2.1", "localhost", &[])).await, 403);
    assert_eq!(ask(metrics("127.0.0.1", "evil.example", &[])).await, 403, "a name that was rebound");
    let mut old = metrics("127.0.0.1", "localhost", &[]);
    *old.version_mut() = axum::http::Version::HTTP_10;
    assert_eq!(ask(old).await, 403, "plain proxies speak HTTP/1.0");
    for name in [
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "forwarded",
        "via",
        "x-real-ip",
        "x-client-ip",
        "true-client-ip",
        "cf-connecting-ip",
        "x-cluster-client-ip",
        "fastly-client-ip",
        "x-original-host",
        "x-original-forwarded-for",
    ] {
        assert_eq!(ask(metrics("127.0.0.1", "localhost", &[(name, "127.0.0.1")])).await, 403, "{name}");
    }
}

#[tokio::test]
async fn a_proxy_that_leaves_no_trace_opens_nothing_of_a_public_server() {
    let app = TestApp::start_with(Place::Sqlite, |config| {
        "https://games.example".clone_into(&mut config.server.public_url);
    })
    .await;
    // nginx with nothing but `proxy_pass http://127.0.0.1:8080` and HTTP/1.1.
    assert_eq!(app.send(metrics("127.0.0.1", "127.0.0.1:8080", &[])).await.status, 403);
}

#[tokio::test]
async fn a_client_that_asks_too_often_is_told_when_to_come_again() {
    let app = TestApp::start_with(Place::Sqlite, |config| {
        config.limits.enabled = true;
        config.limits.http_per_minute = 3;
    })
    .await;
    for _ in 0..3 {
        assert_eq!(app.get("/").await.status, 200);
    }
    let page = app.get("/api/v1/games").await;
    is_problem(&page, 429, "rate_limited");
    assert!(page.header("retry-after").parse::<u32>().unwrap() >= 1);
    assert_eq!(app.get("/healthz").await.status, 200, "health is not limited");
}
