//! `admin board` and `admin audit` beside a running server.

use serde_json::Value;

use super::running::{Place, wait_for};

#[tokio::test]
async fn the_shell_steps_in_and_the_log_tells_of_it() {
    let place = Place::new().with("SUDO_USER", "ops<b>");
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    let done =
        place.run(&["admin", "board", "pause", "OSBOX", "101", "--why", "A complaint."]).await.succeed();
    assert_eq!(done, "osbox 101 was paused.\n");
    let again = place.run(&["admin", "board", "pause", "osbox", "101"]).await;
    assert!(again.code() == 65 && again.stderr.contains("is paused already"), "{again:?}");
    let shown = place.run(&["admin", "board", "show", "osbox", "101"]).await.succeed();
    assert!(shown.contains("State     active, paused"), "{shown}");
    place.run(&["admin", "board", "resume", "osbox", "101"]).await.succeed();
    place.run(&["admin", "board", "adjudicate", "osbox", "101", "--winner", "2"]).await.succeed();
    place.run(&["admin", "user", "grant", "ann"]).await.succeed();
    wait_for("the players to be told", async || {
        // A mail that still waited when there was more to tell has come to tell it, or has given way to one that does.
        let mails = place.run(&["admin", "outbox", "list", "--json"]).await.succeed();
        let boards: Vec<&str> = mails.lines().filter(|line| line.contains("\"board\"")).collect();
        let (sent, others): (Vec<&str>, _) = boards.into_iter().partition(|line| line.contains("\"sent\""));
        (sent.len() >= 2 && others.iter().all(|line| line.contains("\"dropped\""))).then_some(())
    })
    .await;
    let rows = place.run(&["admin", "audit", "list", "--json"]).await.succeed();
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<String> = rows
        .iter()
        .rev()
        .map(|row| {
            assert_eq!((&row["door"], &row["by"]), (&"shell".into(), &"ops<b>".into()));
            let word = |name: &str| row[name].as_str().unwrap().to_owned();
            format!("{} {} {} {}", word("deed"), word("subject"), word("outcome"), word("detail"))
        })
        .collect();
    assert_eq!(
        told,
        [
            "board.pause osbox 101 done A complaint.",
            "board.pause osbox 101 conflict ",
            "board.resume osbox 101 done ",
            "board.adjudicate osbox 101 done winning seats 2",
            "user.grant ann done ",
        ]
    );
    let lines = place.run(&["admin", "audit", "list", "--user", "ANN", "--since", "1h"]).await.succeed();
    assert!(lines.lines().count() == 1 && lines.contains("user.grant"), "{lines}");
    let wrong = place.run(&["admin", "audit", "list", "--since", "lately"]).await;
    assert_eq!(wrong.code(), 65);
    server.stop().await;
}
