//! Webhooks of a real server: signed, tried again after a failure and after a kill.

use std::io;

use data_encoding::BASE64;

use super::running::{PATIENCE, Place, Running, wait_for};
use super::wire::{Response, request};
use crate::harness::{HookHost, Told};

async fn api(server: &Running, method: &str, path: &str, body: &str) -> io::Result<Response> {
    let password = BASE64.encode(b"ann:ann-secret");
    let head = format!(
        "{method} /api/v1/webhooks{path} HTTP/1.1\r\nAuthorization: Basic {password}\r\nContent-Type: application/json"
    );
    request(server.ports.http.unwrap(), &head, body).await
}

async fn next(host: &HookHost) -> Told {
    wait_for("a request", async || host.told().into_iter().next()).await
}

#[tokio::test]
async fn an_event_that_failed_arrives_after_a_kill_with_the_same_id() {
    let host = HookHost::start().await;
    let place = Place::new().with("KNOTPOST_WEBHOOKS__ALLOW_PRIVATE", "true");
    let server = place.start().await;
    server.sign_up_two().await;
    let wish = format!(r#"{{"url":"{}","events":["move","turn"]}}"#, host.url());
    let made = api(&server, "POST", "", &wish).await.unwrap();
    assert_eq!(made.status, 201, "{made:?}");
    let secret = made.json()["secret"].as_str().unwrap().to_owned();
    assert_eq!(api(&server, "POST", "/1/test", "").await.unwrap().status, 202);
    let told = next(&host).await;
    assert!(told.is_signed_with(&secret) && told.json()["type"] == "test", "{told:?}");

    host.answer_next(&["500 Internal Server Error"]);
    server.ask("osbox challenge -size=4 ann bob").await;
    let failed = next(&host).await;
    assert_eq!(failed.json()["type"], "turn");
    wait_for("the failure to be noted", async || {
        let list = api(&server, "GET", "", "").await.ok()?.json();
        (list["webhooks"][0]["error"] == "it answered 500").then_some(())
    })
    .await;
    server.kill().await;

    let server = place.start().await;
    let again = next(&host).await;
    assert_eq!(again.header("webhook-id"), failed.header("webhook-id"));
    assert!(again.body == failed.body && again.is_signed_with(&secret), "{again:?}");
    // Two senders of mail are not kept waiting by a host that says nothing.
    host.answer_next(&["silence"]);
    server.ask("osbox move 101 ann ann-secret d2").await;
    let silent = next(&host).await;
    assert_eq!(silent.json()["data"]["moves"][0]["move"], "d2");
    tokio::time::timeout(PATIENCE, place.wait_until_idle()).await.expect("mails leave meanwhile");
    let shown = place.run(&["admin", "outbox", "list"]).await.succeed();
    assert!(shown.contains("webhook") && !shown.contains("/hook"), "{shown}");
    let line = shown.lines().find(|line| line.contains("webhook")).unwrap();
    let id = line.split_whitespace().next().unwrap();
    let shown = place.run(&["admin", "outbox", "show", id]).await.succeed();
    assert!(shown.contains("{\"type\":\"") && shown.contains("msg_"), "{shown}");
    server.stop().await;
}

#[tokio::test]
async fn without_leave_no_webhook_is_on_this_machine() {
    let host = HookHost::start().await;
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    for (url, why) in [
        (host.url(), "https://"),
        (format!("https://{}/", host.place), "public internet"),
        (format!("https://ann:secret@localhost:{}/", host.place.port()), "no password"),
    ] {
        let wish = format!(r#"{{"url":"{url}","events":["turn"]}}"#);
        let refused = api(&server, "POST", "", &wish).await.unwrap();
        assert!(refused.status == 422 && refused.body.contains(why), "{refused:?}");
    }
    // A name says nothing before it is asked for.
    let wish = format!(r#"{{"url":"https://localhost:{}/","events":["turn"]}}"#, host.place.port());
    assert_eq!(api(&server, "POST", "", &wish).await.unwrap().status, 201);
    assert_eq!(api(&server, "POST", "/1/test", "").await.unwrap().status, 202);
    wait_for("the refusal", async || {
        let list = api(&server, "GET", "", "").await.ok()?.json();
        (list["webhooks"][0]["error"] == "localhost is not on the public internet").then_some(())
    })
    .await;
    assert_eq!(host.connections(), 0);
    server.stop().await;
    let off = place.with("KNOTPOST_WEBHOOKS__ENABLED", "false");
    let server = off.start().await;
    let refused = api(&server, "POST", "", &wish).await.unwrap();
    assert!(refused.status == 422 && refused.body.contains("switched off"), "{refused:?}");
    server.stop().await;
}
