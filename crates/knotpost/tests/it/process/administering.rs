//! `admin board` and `admin audit` beside a running server.

use serde_json::Value;

use clap::Command;

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

/// The commands below `command` that are called `list` or `show`, with their path.
fn lists(command: &Command, path: &[String], found: &mut Vec<(Vec<String>, bool)>) {
    for child in command.get_subcommands() {
        let path: Vec<String> = path.iter().cloned().chain([child.get_name().to_owned()]).collect();
        if ["list", "show"].contains(&child.get_name()) {
            let has_flag = child.get_arguments().any(|argument| argument.get_long() == Some("json"));
            found.push((path.clone(), has_flag));
        }
        lists(child, &path, found);
    }
}

#[tokio::test]
async fn every_list_of_the_shell_is_there_for_programs_too() {
    let definition = knotpost_program::cli::definition();
    let admin = definition.find_subcommand("admin").unwrap();
    let mut found = Vec::new();
    lists(admin, &["admin".to_owned()], &mut found);
    assert!(found.len() >= 12 && found.iter().all(|(_, has_flag)| *has_flag), "{found:?}");

    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.stop().await;
    place.run(&["admin", "do-not-mail", "add", "@evil.example", "they", "asked"]).await.succeed();
    for (path, _) in found.iter().filter(|(path, _)| path.last().is_some_and(|word| word == "list")) {
        let mut words: Vec<&str> = path.iter().map(String::as_str).collect();
        words.push("--json");
        let said = place.run(&words).await.succeed();
        let rows: Vec<Value> = said
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
            .collect();
        assert!(rows.iter().all(Value::is_object), "{words:?}: {said}");
        // Nothing has come back, and nothing came by mail.
        let is_empty = ["bounces", "inbox"].contains(&words[1]);
        assert_eq!(rows.is_empty(), is_empty, "{words:?}: {said}");
    }
    let user = place.run(&["admin", "user", "show", "ann", "--json"]).await.succeed();
    let user: Value = serde_json::from_str(&user).unwrap();
    assert_eq!((&user["userid"], &user["active_boards"]), (&"ann".into(), &1.into()), "{user}");
    let board = place.run(&["admin", "board", "show", "osbox", "101", "--json"]).await.succeed();
    let board: Value = serde_json::from_str(&board).unwrap();
    assert_eq!((&board["state"], &board["ply"]), (&"active".into(), &0.into()), "{board}");

    let done = place.run(&["admin", "user", "rename", "ann", "bea"]).await.succeed();
    assert_eq!(done, "ann was renamed: the name is bea now, and nobody can take ann.\n");
    let log = place.run(&["admin", "audit", "list", "--json"]).await.succeed();
    assert!(log.contains("user.rename") && log.contains("to bea"), "{log}");
}
