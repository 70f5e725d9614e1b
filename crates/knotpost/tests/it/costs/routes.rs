//! Every address of the web, with the largest questions and as much posted as there is room for.

use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt as _;
use knotpost_commands::Verb;
use knotpost_web::routes;

use super::a_server_with_boards;
use super::spent::{Meter, Spent, check_growth, print_head};
use super::table::{Cost, ROUTES, cost_of};
use crate::harness::TestApp;

/// Bytes of the largest posts.
const LARGEST: usize = 200_000;

/// Visits to a stream.
const TIMES: usize = 10;

/// What a form or a program may send, with a filling of `bytes`.
fn filled(path: &str, bytes: usize) -> (&'static str, String) {
    let filling = "x".repeat(bytes);
    if path == "/commands" {
        return ("text/plain", format!("list {}", "osbox ".repeat(bytes / 40)));
    }
    if path.starts_with("/api/") {
        return ("application/json", format!(r#"{{"act":"add","target":"{filling}"}}"#));
    }
    let form = "userid=ann&password=wrong-secret&address=v@victim.example&act=add&next=/&comment=";
    ("application/x-www-form-urlencoded", format!("{form}{filling}"))
}

fn address(path: &str) -> String {
    path.replace("{game}", "osbox")
        .replace("{number}", "101")
        .replace("{userid}", "ann")
        .replace("{id}", "1")
        .replace("{topic}", "tutorial")
        .replace("{token}", &"x".repeat(500))
        .replace("{name}", "style.css")
}

/// What a request takes, and the status of its answer.
async fn ask(app: &TestApp, method: &str, path: &str, query: &str, bytes: usize) -> (Spent, u16) {
    let (content_type, body) = filled(path, bytes);
    let uri = format!("{}{query}", address(path));
    let bytes_in = uri.len() + if method == "GET" { 0 } else { body.len() };
    let request = Request::builder()
        .method(method)
        .uri(uri)
        .header("sec-fetch-site", "same-origin")
        .header("content-type", content_type)
        .body(if method == "GET" { Body::empty() } else { Body::from(body) })
        .unwrap();
    let meter = Meter::start(app);
    let (status, answer_bytes) = app.send_any(request).await;
    app.work().await;
    (meter.stop(app, bytes_in, answer_bytes), status.as_u16())
}

/// As [`ask`], for an answer without an end: what it takes until it begins, and while somebody comes back to it [`TIMES`] times.
async fn follow(app: &TestApp, path: &str, query: &str) -> (Spent, u16) {
    let uri = format!("{}{query}", address(path));
    let (mut status, mut answer_bytes) = (0, 0);
    let meter = Meter::start(app);
    for _ in 0..TIMES {
        let request =
            Request::get(&uri).header("last-event-id", "x".repeat(4_000)).body(Body::empty()).unwrap();
        let answer = app.open(request).await;
        status = answer.status().as_u16();
        let first = answer.into_body().into_data_stream().next().await;
        answer_bytes += first.map_or(0, |piece| piece.unwrap().len());
        // The server notices that the client has gone, and has its place for the next one.
        tokio::task::yield_now().await;
    }
    (meter.stop(app, uri.len(), answer_bytes), status)
}

#[tokio::test]
async fn a_request_of_a_stranger_costs_no_more_than_its_row() {
    let app = a_server_with_boards().await;
    for (method, path, _) in ROUTES {
        let is_there = routes().any(|route| (route.method, route.path) == (*method, *path));
        assert!(is_there, "{method} {path} has a row in the table of costs and is no address");
    }
    print_head();
    // Streams come last: when somebody has gone away, the server may still be looking for news.
    let is_stream = |path: &str| path.ends_with("/events");
    for route in
        routes().filter(|route| !is_stream(route.path)).chain(routes().filter(|route| is_stream(route.path)))
    {
        let (method, path) = (route.method, route.path);
        let row = ROUTES.iter().find(|row| (row.0, row.1) == (method, path));
        let (_, _, cost) = *row.unwrap_or_else(|| panic!("{method} {path} has no row in the table of costs"));
        let queries: &[&str] = match (method, path) {
            ("GET", path) if path.contains("/board.") => {
                &["", "?ply=-1&width=1440&theme=dark", "?frame=card"]
            }
            ("GET", path) if path.ends_with("/game.png") => &["", "?ply=-1&width=720&theme=dark"],
            ("GET", path) if path.ends_with("/events") => &["", "?since=0-0-0-0"],
            ("GET", _) => &["", "?limit=500&ply=1&q=a", "?limit=999999999&ply=-999999999"],
            _ => &[""],
        };
        let mut most = Spent::default();
        for query in queries {
            let (spent, status) = if path.ends_with("/events") {
                follow(&app, path, query).await
            } else {
                ask(&app, method, path, query, LARGEST).await
            };
            assert!(status < 500 || path == "/readyz", "{method} {path}{query}: {status}");
            let times = if path.ends_with("/events") { TIMES } else { 1 };
            spent.check(cost, times, &format!("{method} {path}{query}"));
            most = most.most(spent);
        }
        most.print(&format!("{method} {path}"));
    }
}

/// A key that is always new stores nothing for a stranger, whatever is asked.
#[tokio::test]
async fn a_question_with_a_key_costs_no_row() {
    let app = a_server_with_boards().await;
    let cost = Cost { rows: 0, ..cost_of(Verb::Multiple) };
    let several = format!("multiple\n{}", "osbox show 101\nhelp commands\n".repeat(25));
    print_head();
    for body in ["help", "osbox show 101", "osbox history", "nothing of the kind", several.as_str()] {
        let request = Request::post("/commands")
            .header("content-type", "text/plain")
            .header("idempotency-key", body.get(..4).unwrap_or(body))
            .body(Body::from(body.to_owned()))
            .unwrap();
        let meter = Meter::start(&app);
        let (status, answer_bytes) = app.send_any(request).await;
        app.work().await;
        let spent = meter.stop(&app, body.len(), answer_bytes);
        assert!(status.as_u16() < 500, "{body}: {status}");
        spent.check(cost, 1, body);
        spent.print(body.lines().next().unwrap_or_default());
    }
}

#[tokio::test]
async fn a_post_that_is_twice_as_large_takes_twice_as_long() {
    let app = a_server_with_boards().await;
    for route in routes().filter(|route| route.method != "GET") {
        check_growth(route.path, (LARGEST / 2, LARGEST), async |bytes| {
            ask(&app, route.method, route.path, "", bytes).await.0.processor
        })
        .await;
    }
}
