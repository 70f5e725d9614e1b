//! Traces of a running server, as a collector takes them. They are made only with the Cargo feature `otlp`; what the
//! messages hold is tested beside the code that makes them.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::routing::post;
use tokio::net::TcpListener;

use super::running::Place;
use super::wire::letter;

/// Collects the bodies of requests; what is a string in them stands there as it is.
async fn collector() -> (String, Arc<Mutex<Vec<u8>>>) {
    let taken: Arc<Mutex<Vec<u8>>> = Arc::default();
    let shared = Arc::clone(&taken);
    let take = move |body: Bytes| async move {
        shared.lock().unwrap().extend_from_slice(&body);
        StatusCode::OK
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new().route("/v1/traces", post(take));
    tokio::spawn(async move { axum::serve(listener, app).await });
    (endpoint, taken)
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test]
async fn a_server_sends_traces_of_requests_mails_and_commands_without_what_people_write() {
    let (endpoint, taken) = collector().await;
    let place = Place::new().with("KNOTPOST_TRACES__ENDPOINT", endpoint);
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.post("ann@example.org", &letter("ann@example.org", "osbox show 1", "<traces@example.org>")).await;
    server.get("/help").await;
    place.wait_until_idle().await;
    let ended = server.stop().await;
    assert_eq!(ended.code(), 0, "{ended:?}");
    assert!(!ended.stderr.contains("receive mail"), "spans are no lines of the log: {ended:?}");

    let taken = taken.lock().unwrap().clone();
    for text in [
        "service.name",
        "knotpost",
        "POST /commands",
        "GET /help",
        "command",
        "signup",
        "challenge",
        "show",
        "osbox 1",
        "password",
        "write",
        "sqlite",
        "receive mail",
        "authenticate mail",
        "build mail",
        "send mail",
    ] {
        assert!(holds(&taken, text), "`{text}` is in no trace");
    }
    for text in ["ann-secret", "ann@", "bob@", "example.org"] {
        assert!(!holds(&taken, text), "`{text}` is in a trace");
    }
}
