//! `admin inbox` and `admin outbox` beside a running server.

use serde_json::Value;

use super::running::{Ended, Place, wait_for};
use super::wire::letter;

const PASSWORD: &str = "ann-secret";

fn rows(ended: &str) -> Vec<Value> {
    ended.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn expect_refusal(ended: &Ended, words: &str) {
    assert_eq!(ended.code(), 65, "{ended:?}");
    assert!(ended.stderr.contains(words), "`{words}` is missing: {ended:?}");
}

#[tokio::test]
async fn a_failed_mail_is_looked_at_tried_again_and_dropped() {
    let place = Place::new().with("KNOTPOST_INBOUND__KEEP_RAW", "all");
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    let subject = format!("osbox move 101 ann {PASSWORD} a1");
    let mail = letter("ann@example.org", &subject, "m1@example.org").replacen(
        "Subject:",
        &format!("Thread-Topic: {subject}\r\nSubject:"),
        1,
    );
    server.post("ann@example.org", &mail).await;
    server.post("eve@example.org", &letter("eve@example.org", "nonsense here", "m2@example.org")).await;
    let done = wait_for("the mails to be done", async || {
        let list = rows(&place.run(&["admin", "inbox", "list", "--json"]).await.succeed());
        (list.len() == 2 && list.iter().all(|row| row["state"] == "done")).then_some(list)
    });
    let done = done.await;
    assert_eq!(done[0]["reason"], "answered_error", "the newest first: {done:?}");
    assert_eq!(done[1]["reason"], "executed");
    let id = done[1]["id"].to_string();

    // What filters leave.
    for (filter, count) in [
        (vec!["--user", "ann"], 1),
        (vec!["--address", "EVE@example.org"], 1),
        (vec!["--reason", "executed"], 1),
        (vec!["--state", "failed"], 0),
        (vec!["--since", "1h"], 2),
        (vec!["--since", "2090-01-01"], 0),
        (vec!["--limit", "1"], 1),
        (vec!["--before", &id], 0),
    ] {
        let arguments: Vec<&str> =
            ["admin", "inbox", "list", "--json"].into_iter().chain(filter.iter().copied()).collect();
        assert_eq!(rows(&place.run(&arguments).await.succeed()).len(), count, "{filter:?}");
    }
    expect_refusal(&place.run(&["admin", "inbox", "list", "--state", "lost"]).await, "new, done, failed");
    expect_refusal(&place.run(&["admin", "inbox", "list", "--since", "lately"]).await, "is no time");
    expect_refusal(&place.run(&["admin", "inbox", "list", "--user", "nobody"]).await, "no user");

    // Neither what is done nor what is unknown can be tried again.
    expect_refusal(&place.run(&["admin", "inbox", "retry", &id]).await, "is done (executed)");
    expect_refusal(&place.run(&["admin", "inbox", "drop", &id]).await, "is done");
    expect_refusal(&place.run(&["admin", "inbox", "show", "999"]).await, "there is no mail 999");
    expect_refusal(&place.run(&["admin", "inbox", "retry", "999"]).await, "there is no mail 999");

    // As if the program had stumbled over it: tried again, the running server takes it up. It is bob's turn now.
    place.alter("UPDATE inbox SET state = 'failed', reason = 'failed'; DELETE FROM inbox_seen");
    let shown = place.run(&["admin", "inbox", "show", &id, "--raw"]).await.succeed();
    for word in
        ["reason       failed", "text/plain", "Thread-Topic", "osbox move 101 ann ********", "Message-ID"]
    {
        assert!(shown.contains(word), "`{word}` is missing:\n{shown}");
    }
    assert!(!shown.contains(PASSWORD), "{shown}");
    place.run(&["admin", "inbox", "retry", &id]).await.succeed();
    let again = wait_for("the mail to be processed again", async || {
        let row = place.run(&["admin", "inbox", "show", &id, "--json"]).await.succeed();
        let row: Value = serde_json::from_str(&row).unwrap();
        (row["state"] == "done").then_some(row)
    });
    let again = again.await;
    assert_eq!(again["reason"], "refused", "{again}");

    let other = done[0]["id"].to_string();
    place.run(&["admin", "inbox", "drop", &other]).await.succeed();
    let dropped = place.run(&["admin", "inbox", "show", &other]).await.succeed();
    assert!(dropped.contains("dropped_by_administrator") && dropped.contains("not kept"), "{dropped}");
    server.stop().await;
}

#[tokio::test]
async fn a_waiting_mail_is_shown_as_it_would_be_sent() {
    // Nobody listens there: mail waits.
    let place = Place::new().with("KNOTPOST_MAIL__TRANSPORT", "smtp://127.0.0.1:9");
    let place = place.with("KNOTPOST_ACCOUNTS__CONFIRM_ADDRESSES", "off");
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    let waiting = wait_for("the mails to have been tried", async || {
        let list =
            rows(&place.run(&["admin", "outbox", "list", "--json", "--state", "queued"]).await.succeed());
        (list.len() == 4 && list.iter().all(|row| row["error"].is_string())).then_some(list)
    });
    let waiting = waiting.await;
    let board = waiting.iter().find(|row| row["kind"] == "board").unwrap();
    assert_eq!((&board["game"], &board["number"]), (&"osbox".into(), &101.into()));
    assert_eq!((&board["attempts"], board["due"].is_string()), (&1.into(), true), "{board}");
    let id = board["id"].to_string();
    let shown = place.run(&["admin", "outbox", "show", &id, "--raw"]).await.succeed();
    for word in [
        "state        queued",
        "last error",
        "Board 101",
        "text/plain",
        "Message-ID",
        "board        osbox 101",
    ] {
        assert!(shown.contains(word), "`{word}` is missing:\n{shown}");
    }
    assert!(!shown.contains("+r.a") || shown.contains("+r.********"), "{shown}");

    expect_refusal(&place.run(&["admin", "outbox", "retry", &id]).await, "is queued");
    place.run(&["admin", "outbox", "drop", &id]).await.succeed();
    let list = rows(
        &place.run(&["admin", "outbox", "list", "--json", "--reason", "By Administrator"]).await.succeed(),
    );
    assert_eq!(list.len(), 1);
    assert_eq!((&list[0]["state"], list[0]["id"].to_string()), (&"dropped".into(), id.clone()));
    place.run(&["admin", "outbox", "retry", &id]).await.succeed();
    let tried = wait_for("the mail to be tried once more", async || {
        let row = place.run(&["admin", "outbox", "show", &id, "--json"]).await.succeed();
        let row: Value = serde_json::from_str(&row).unwrap();
        (row["state"] == "queued" && row["error"].is_string()).then_some(row)
    });
    assert_eq!(tried.await["attempts"], 1, "counted anew");
    server.stop().await;
}
