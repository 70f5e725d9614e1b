//! `deliver`: what a pipe of a mail server does, and what its exit codes promise.

use super::letters::letters;
use super::running::{Place, users};
use super::wire::letter;

fn ann(subject: &str, id: &str) -> Vec<u8> {
    letter("ann@example.org", subject, id).into_bytes()
}

#[tokio::test]
async fn a_running_server_carries_out_what_is_delivered() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    let ended =
        place.run_with(&["deliver"], &ann("osbox move 101 ann ann-secret a1", "one@example.org")).await;
    assert_eq!(ended.code(), 0, "{ended:?}");
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    place.wait_until_idle().await;
    assert_eq!(server.moves(101).await, ["a1"]);

    // The same mail by another way is the same mail.
    server
        .post(
            "ann@example.org",
            &letter("ann@example.org", "osbox move 101 ann ann-secret a1", "one@example.org"),
        )
        .await;
    place.wait_until_idle().await;
    assert_eq!(server.moves(101).await, ["a1"]);
    let reasons: Vec<_> = place.received().into_iter().filter_map(|row| row.reason).collect();
    assert_eq!(reasons, ["executed", "duplicate"]);
    server.stop().await;
}

#[tokio::test]
async fn without_a_server_the_next_one_carries_it_out() {
    let place = Place::new().migrated().await;
    let ended = place.run_with(&["deliver"], &ann("signup ann ann-secret", "first@example.org")).await;
    assert_eq!(ended.code(), 0, "{ended:?}");
    let rows = place.received();
    assert_eq!(rows.iter().map(|row| row.state.as_str()).collect::<Vec<_>>(), ["new"]);
    let server = place.start().await;
    place.wait_until_idle().await;
    assert_eq!(users(&place).await, ["ann"]);
    server.stop().await;
    let welcome = letters(&place.maildir());
    assert_eq!(welcome.len(), 1);
    assert_eq!(welcome[0].header("Delivered-To").as_deref(), Some("ann@example.org"));
}

#[tokio::test]
async fn two_at_once_are_both_carried_out() {
    let place = Place::new().migrated().await;
    let (one, two) = (ann("help", "one@example.org"), ann("list", "two@example.org"));
    let (first, second) =
        tokio::join!(place.run_with(&["deliver"], &one), place.run_with(&["deliver"], &two));
    assert_eq!((first.code(), second.code()), (0, 0), "{first:?} {second:?}");
    let server = place.start().await;
    let (one, two) = (ann("help", "three@example.org"), ann("list", "four@example.org"));
    let (first, second) =
        tokio::join!(place.run_with(&["deliver"], &one), place.run_with(&["deliver"], &two));
    assert_eq!((first.code(), second.code()), (0, 0), "{first:?} {second:?}");
    place.wait_until_idle().await;
    server.stop().await;
    assert_eq!(place.received().len(), 4);
    assert_eq!(letters(&place.maildir()).len(), 4);
}

#[tokio::test]
async fn tagged_addresses_are_the_servers_and_others_are_not() {
    let place = Place::new();
    let server = place.start().await;
    for to in ["pbmserv@localhost", "PBMserv+osbox@LOCALHOST", "postmaster@localhost"] {
        let ended =
            place.run_with(&["deliver", "--to", to], &ann("help", &format!("{}@x.example", to.len()))).await;
        assert_eq!(ended.code(), 0, "{to}: {ended:?}");
    }
    for to in ["somebody@localhost", "pbmserv@elsewhere.example", "nonsense", "-x@localhost", "--to", ""] {
        let ended = place.run_with(&["deliver", "--to", to], &ann("help", "x@x.example")).await;
        assert_eq!(ended.code(), 65, "{to}: {ended:?}");
        assert!(ended.stderr.starts_with("knotpost: refused ("), "{ended:?}");
    }
    server.stop().await;
}

/// The same whether the server judges or `deliver` itself does.
#[tokio::test]
async fn what_can_never_be_taken_is_bad_data_with_and_without_a_server() {
    let place = Place::new().with("KNOTPOST_INBOUND__MAX_BYTES", "4096").migrated().await;
    let large = [ann("help", "large@example.org"), vec![b'x'; 4096]].concat();
    let several = b"From: ann@example.org, bob@example.org\nSubject: help\n\n".to_vec();
    let twice = b"From: ann@example.org\nFrom: bob@example.org\nSubject: help\n\n".to_vec();
    let cases = [
        ("nothing", Vec::new()),
        ("no mail", b"\0\x01\x02 this is not a mail".to_vec()),
        ("larger than allowed", large),
        ("several authors", several),
        ("several From fields", twice),
    ];
    for (what, message) in &cases {
        let ended = place.run_with(&["deliver"], message).await;
        assert_eq!(ended.code(), 65, "{what}: {ended:?}");
        assert!(ended.stderr.starts_with("knotpost: "), "{what}: {ended:?}");
    }
    let server = place.start().await;
    for (what, message) in &cases {
        let ended = place.run_with(&["deliver"], message).await;
        assert_eq!(ended.code(), 65, "{what}: {ended:?}");
    }
    server.stop().await;
    assert!(place.received().is_empty());
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_used_is_a_reason_to_try_again() {
    let place = Place::new();
    let file = place.write("not-a-folder", "");
    let place = place.with("KNOTPOST_SERVER__DATA", file.join("data").to_str().unwrap());
    let ended = place.run_with(&["deliver"], &ann("help", "x@example.org")).await;
    assert_eq!(ended.code(), 75, "{ended:?}");
    let database = file.join("data/knotpost.db");
    assert!(ended.stderr.contains(&format!("there is no database at {}", database.display())), "{ended:?}");
}

#[tokio::test]
async fn its_line_is_read_as_that_of_any_other_command() {
    let place = Place::new().migrated().await;
    let file = place.write("other.toml", "[inbound]\nmax_bytes = 4096\n");
    let file = file.to_str().unwrap();
    let large = [ann("help", "large@example.org"), vec![b'x'; 4096]].concat();
    for line in [["deliver", "--config", file], ["--config", file, "deliver"]] {
        let ended = place.run_with(&line, &large).await;
        assert_eq!(ended.code(), 65, "{line:?}: {ended:?}");
        assert!(ended.stderr.contains("larger than 4096 bytes"), "{line:?}: {ended:?}");
    }

    let help = place.run_with(&["deliver", "--help"], b"").await;
    assert_eq!(help.code(), 0, "{help:?}");
    assert_eq!(help.stdout, place.run_with(&["help", "deliver"], b"").await.stdout);
    assert!(help.stdout.contains("--to <ADDRESS>") && help.stdout.contains("--config <FILE>"), "{help:?}");

    // A slip does not send the mail back, and is told as it would be elsewhere.
    for slip in [&["deliver", "--nonsense"][..], &["deliver", "extra"], &["deliver", "--to"]] {
        let ended = place.run_with(slip, &ann("help", "x@example.org")).await;
        assert_eq!(ended.code(), 75, "{slip:?}: {ended:?}");
        assert!(
            ended.stderr.contains("Usage: knotpost deliver") || ended.stderr.contains("--help"),
            "{ended:?}"
        );
    }
    let ended = place.run_with(&["deliver"], &ann("help", "y@example.org")).await;
    assert_eq!(ended.code(), 0, "{ended:?}");
    assert_eq!(place.received().len(), 1, "what was not taken is not stored");
}

#[tokio::test]
async fn a_server_that_was_killed_does_not_stop_the_pipe() {
    let place = Place::new();
    place.start().await.kill().await;
    assert!(place.data().join("knotpost.sock").exists(), "left behind");
    let ended = place.run_with(&["deliver"], &ann("signup ann ann-secret", "x@example.org")).await;
    assert_eq!(ended.code(), 0, "{ended:?}");
    let server = place.start().await;
    place.wait_until_idle().await;
    assert_eq!(users(&place).await, ["ann"]);
    server.stop().await;
}
