//! An entire server moves with two commands, even when the power fails in between.

use std::os::unix::fs::PermissionsExt as _;

use super::keys::{board_mail, reply};
use super::running::{Place, users};

/// Rows enough for many batches.
const MANY: usize = 30_000;

async fn with_many() -> Place {
    let place = Place::new().migrated().await;
    for name in ["ann", "bob"] {
        place
            .run(&["command", &format!("signup {name} {name}-secret {name}@{name}.example")])
            .await
            .succeed();
    }
    place.run(&["command", "osbox challenge ann bob"]).await.succeed();
    let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) \
                INSERT INTO confirmations SELECT 'a' || i || '@example.org', i FROM n";
    place.open_database().execute(rows, [MANY as i64]).unwrap();
    place
}

/// An empty folder with the key of the other one.
fn new_home(old: &Place) -> Place {
    let place = Place::new();
    std::fs::create_dir(place.data()).unwrap();
    std::fs::copy(old.data().join("secret.key"), place.data().join("secret.key")).unwrap();
    place
}

#[tokio::test]
async fn a_server_moves_and_an_import_that_was_killed_goes_on() {
    let old = with_many().await;
    let running = old.start().await;
    let told = old.run(&["export", "--all", "server.jsonl"]).await;
    assert!(told.stdout.contains("10 users, 1 boards, 0 moves"), "{told:?}");
    assert!(told.stderr.contains("writing: ") && !told.stderr.contains('\r'), "{told:?}");
    old.wait_until_idle().await;
    let asked = board_mail(&old, "ann@ann.example");
    running.stop().await;
    let file = old.root().join("server.jsonl");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let again = old.run(&["export", "--all", "server.jsonl"]).await;
    assert_eq!(again.code(), 1, "a file that is there is not overwritten: {again:?}");
    old.run(&["export", "--all", "--output", "still.jsonl"]).await.succeed();
    let bytes = std::fs::read(old.root().join("still.jsonl")).unwrap();
    let file = old.root().join("still.jsonl");
    let path = file.to_str().unwrap();

    let new = new_home(&old);
    let killed = new.run_until(&["import", path], "storing: ").await;
    assert!(!killed.status.success(), "{killed:?}");
    let refused = new.try_start().await.err().expect("nobody serves half a server");
    assert!(refused.stderr.contains("interrupted here"), "{refused:?}");
    assert_eq!(new.run_with(&["deliver", "--to", "x@y.example"], b"Subject: help\n\n").await.code(), 75);

    let told = new.run(&["import", path]).await.succeed();
    assert!(told.contains("were here from an import that was interrupted"), "{told}");
    assert!(told.contains("compared with the file and the same"), "{told}");
    new.run(&["export", "--all", "copy.jsonl"]).await.succeed();
    assert!(std::fs::read(new.root().join("copy.jsonl")).unwrap() == bytes, "byte by byte");
    assert!(
        new.run(&["admin", "replay", "--all"]).await.succeed().contains("1 boards replayed, 0 differences")
    );
    let server = new.start().await;
    assert_eq!(users(&new).await, ["ann", "bob"]);
    let taken = new.run(&["import", path]).await;
    assert!(taken.code() == 1 && taken.stderr.contains("another server is running"), "{taken:?}");
    // What was mailed before is answered here.
    reply(&server, &new, "ann@ann.example", &asked, "a1").await;
    assert_eq!(server.moves(101).await, ["a1"]);
    server.stop().await;
    let taken = new.run(&["import", path]).await;
    assert!(taken.code() == 65 && taken.stderr.contains("has users already"), "{taken:?}");
}

#[tokio::test]
async fn what_is_no_whole_server_is_refused_on_the_command_line() {
    let place = Place::new().migrated().await;
    place.run(&["export", "--all", "empty.jsonl"]).await.succeed();
    let whole = std::fs::read(place.root().join("empty.jsonl")).unwrap();
    let file = place.write("half.jsonl", &whole[..whole.len() / 2]);
    let refused = place.run(&["import", file.to_str().unwrap()]).await;
    assert!(refused.code() == 65 && refused.stderr.contains("breaks off here"), "{refused:?}");
    let refused = place.run_with(&["import", "-"], &whole).await;
    assert!(refused.code() == 65 && refused.stderr.contains("give it as a file"), "{refused:?}");
    assert_eq!(place.run(&["export", "--all", "--board", "osbox/101"]).await.code(), 2);
    let other = Place::new();
    let file = place.root().join("empty.jsonl");
    let refused = other.run(&["import", file.to_str().unwrap()]).await;
    assert!(refused.code() == 65 && refused.stderr.contains("another secret key"), "{refused:?}");
    let told = other.run(&["import", "--new-key", file.to_str().unwrap()]).await.succeed();
    assert!(told.contains("The server was taken in"), "{told}");
    let printed = place.run(&["export", "--all"]).await.succeed();
    assert_eq!(printed.as_bytes(), whole);
}
