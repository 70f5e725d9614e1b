//! `admin` and `command`: what somebody with a shell on the machine can do, beside a running
//! server and without one.

use super::running::{Place, users};
use super::wire::{command, request};

#[tokio::test]
async fn an_operator_looks_after_users_beside_the_running_server() {
    let place = Place::new();
    let server = place.start().await;
    place.run_with(&["admin", "user", "add", "Ann", "ann@example.org"], b"ann-secret\n").await.succeed();
    server.ask("signup bob bob-secret bob@example.org").await;
    assert_eq!(users(&place).await, ["Ann", "bob"]);

    server.ask("osbox challenge ann bob").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
    server.ask("osbox move 101 bob bob-secret a9").await;
    place.run_with(&["admin", "user", "passwd", "ann"], b"new-secret\n").await.succeed();
    let old = command(server.http(), "osbox move 101 ann ann-secret a2").await.unwrap();
    assert_eq!(old.status, 401, "a changed password holds at once, also for a running server: {old:?}");
    server.ask("osbox move 101 ann new-secret a2").await;

    place.run(&["admin", "user", "grant", "ann"]).await.succeed();
    let shown = place.run(&["admin", "user", "show", "ANN"]).await.succeed();
    for word in ["Ann", "admin", "ann@example.org", "1 active"] {
        assert!(shown.contains(word), "{shown}");
    }
    assert!(!shown.contains("argon2"), "{shown}");
    place.run(&["admin", "user", "revoke", "ann"]).await.succeed();

    place.run(&["admin", "user", "suspend", "bob"]).await.succeed();
    let locked = command(server.http(), "osbox move 101 bob bob-secret a10").await.unwrap();
    assert!(matches!(locked.status, 401 | 403), "{locked:?}");
    place.run(&["admin", "user", "suspend", "bob", "--lift"]).await.succeed();
    server.ask("osbox move 101 bob bob-secret a10").await;

    server.stop().await;
}

#[tokio::test]
async fn names_that_would_be_refused_today_are_listed_with_the_reason() {
    let place = Place::new();
    for name in ["ann", "support"] {
        let address = format!("{name}@example.org");
        place.run_with(&["admin", "user", "add", name, &address], b"some-secret\n").await.succeed();
    }
    let listed = place.run(&["admin", "user", "list", "--reserved"]).await.succeed();
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert!(listed.starts_with("support ") && listed.contains("reads as somebody who runs"), "{listed}");
    assert_eq!(users(&place).await, ["ann", "support"]);

    place.run(&["admin", "user", "grant", "ann"]).await.succeed();
    let server = place.start().await;
    let basic = data_encoding::BASE64.encode(b"ann:some-secret");
    let asked = format!("GET /api/v1/admin/users?reserved=true HTTP/1.1\r\nAuthorization: Basic {basic}");
    let told = request(server.http(), &asked, "").await.unwrap();
    assert_eq!(told.status, 200, "{told:?}");
    let told = told.json();
    let [user] = told["users"].as_array().unwrap().as_slice() else { panic!("{told}") };
    assert_eq!(user["userid"], "support");
    assert!(user["name_refused"].as_str().unwrap().contains("reads as somebody who runs"), "{told}");
    server.stop().await;
}

#[tokio::test]
async fn a_deleted_user_resigns_and_is_forgotten() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
    server.ask("osbox move 101 bob bob-secret a9").await;
    server.ask("osbox move 101 ann ann-secret a2").await;
    place.run(&["admin", "user", "delete", "bob"]).await.succeed();
    let checked = place.run(&["admin", "ratings", "recompute", "--check"]).await.succeed();
    assert!(checked.contains("0 differences."), "{checked}");
    let done = place.run(&["admin", "ratings", "recompute", "--game", "osbox"]).await;
    assert!(done.stderr.contains("osbox: 1 rated boards, 2 players"), "{done:?}");
    assert_ne!(place.run(&["admin", "ratings", "recompute", "--game", "shogi"]).await.code(), 0);
    let gone = place.run(&["admin", "user", "show", "bob"]).await;
    assert!(gone.code() == 65 || gone.stdout.contains("deleted"), "{gone:?}");
    assert!(!gone.stdout.contains("bob@example.org"), "{gone:?}");
    assert_eq!(command(server.http(), "osbox move 101 bob bob-secret a9").await.unwrap().status, 401);
    let board = place.run(&["admin", "board", "show", "osbox", "101"]).await.succeed();
    assert!(board.contains("Game won by ann by resignation."), "{board}");
    assert!(board.contains("bob"), "the name stays: {board}");
    server.stop().await;
}

#[tokio::test]
async fn what_an_operator_mistypes_is_explained() {
    let place = Place::new().migrated().await;
    for (arguments, input, word) in [
        (vec!["admin", "user", "show", "nobody"], "", "nobody"),
        (vec!["admin", "user", "add", "12345", "a@example.org"], "long-enough\n", "userid"),
        (vec!["admin", "user", "add", "carol", "no-address"], "long-enough\n", "name@example.org"),
        (vec!["admin", "user", "add", "carol", "carol@example.org"], "x\n", "password"),
        (vec!["admin", "board", "show", "osbox", "101"], "", "101"),
        (vec!["admin", "board", "show", "shogi", "101"], "", "shogi"),
        (vec!["admin", "board", "list", "--state", "odd"], "", "active, over and removed"),
    ] {
        let ended = place.run_with(&arguments, input.as_bytes()).await;
        assert_eq!(ended.code(), 65, "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains(word), "{arguments:?}: {ended:?}");
    }
    assert_eq!(place.run(&["admin", "user", "list"]).await.succeed(), "");
}

#[tokio::test]
async fn boards_are_listed_and_shown() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.ask("osbox challenge bob ann").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
    let list = place.run(&["admin", "board", "list"]).await.succeed();
    assert_eq!(list.lines().count(), 2, "{list}");
    assert!(list.lines().any(|line| line.starts_with("osbox 101") && line.contains("ann bob")), "{list}");
    let none = place.run(&["admin", "board", "list", "--state", "over"]).await.succeed();
    assert_eq!(none, "");
    let shown = place.run(&["admin", "board", "show", "osbox", "101"]).await.succeed();
    assert!(shown.contains("a1") && shown.contains("State     active"), "{shown}");
    let start = place.run(&["admin", "board", "show", "osbox", "101", "--ply", "0"]).await.succeed();
    assert!(start.contains("Position  ..../..../..../.... 1 0-0"), "{start}");
    server.stop().await;
}

#[tokio::test]
async fn a_command_line_is_carried_out_with_and_without_a_server() {
    let place = Place::new().migrated().await;
    let said = place.run(&["command", "signup ann ann-secret ann@example.org"]).await.succeed();
    assert!(said.contains("Subject: ") && !said.contains("ann-secret"), "{said}");
    let server = place.start().await;
    place.run(&["command", "signup bob bob-secret bob@example.org"]).await.succeed();
    let said = place
        .run_with(&["command", "osbox challenge ann bob", "--body", "-"], b"Have fun!\n")
        .await
        .succeed();
    assert!(said.contains("101"), "{said}");
    let said = place.run(&["command", "osbox move 101 ann ann-secret a1"]).await.succeed();
    assert!(said.contains("Board 101") && said.contains("It is bob's turn."), "{said}");
    assert_eq!(server.moves(101).await, ["a1"]);
    place.wait_until_idle().await;
    let told = super::letters::letters(&place.maildir());
    assert!(told.iter().any(|mail| mail.text.contains("Have fun!")), "a running server mails it");

    let ended = place.run(&["command", "osbox move 101 ann ann-secret a1"]).await;
    assert_eq!(ended.code(), 65, "{ended:?}");
    let ended = place.run(&["command", "osbox move 101 bob guessed a9"]).await;
    assert_eq!(ended.code(), 65, "the operator needs a player's password like everybody: {ended:?}");
    let ended = place.run(&["command", "help", "--body", "absent.txt"]).await;
    assert_eq!(ended.code(), 1, "{ended:?}");
    assert!(ended.stderr.contains("absent.txt"), "{ended:?}");
    server.stop().await;
}

#[tokio::test]
async fn stored_boards_replay_and_a_changed_one_is_reported() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
    server.ask("osbo challenge ann bob").await;
    let told = place.run(&["admin", "replay", "--all"]).await.succeed();
    assert!(told.contains("2 boards replayed, 0 differences."), "{told}");
    server.stop().await;

    place.alter("UPDATE boards SET position = 'o.../..../..../.... 2 0-0' WHERE game = 'osbox'");
    let ended = place.run(&["admin", "replay", "--all"]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stdout.contains("osbox 101: stored as o.../"), "{ended:?}");
}
