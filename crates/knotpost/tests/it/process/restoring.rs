//! What is held about a user, written by the shell; backups proved and put back.

use std::time::Duration;

use super::keys::{board_mail, reply};
use super::running::{Ended, Place};
use super::wire::request;

fn expect_refusal(ended: &Ended, code: i32, words: &[&str]) {
    assert_eq!(ended.code(), code, "{ended:?}");
    for word in words {
        assert!(ended.stderr.contains(word), "{word}: {ended:?}");
    }
}

#[tokio::test]
async fn a_backup_is_proved_and_restored_into_an_empty_place() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
    place.run(&["backup", "copy.db"]).await.succeed();
    expect_refusal(&place.run(&["restore", "--same", "copy.db"]).await, 1, &["is there already"]);
    let said = place.run(&["restore", "copy.db", "--verify"]).await.succeed();
    for words in
        ["structure is sound", "1 rows in boards", "1 boards replayed, 0 differences", "is the one it was"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    server.stop().await;
    let left = |folder: &std::path::Path| -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.contains("verify") || name.contains("restoring")).collect()
    };
    assert_eq!(left(&place.data()), [""; 0]);

    let copy = place.root().join("copy.db");
    let name = copy.to_str().unwrap();
    let restored = Place::new();
    expect_refusal(&restored.run(&["restore", name]).await, 2, &["--copy", "--same"]);
    expect_refusal(&restored.run(&["restore", name, "--copy", "--same"]).await, 2, &["--copy", "--same"]);
    let keyless = restored.run(&["restore", name, "--verify"]).await;
    assert!(keyless.code() == 1 && keyless.stdout.contains("--no-key"), "{keyless:?}");
    restored.run(&["restore", name, "--verify", "--no-key"]).await.succeed();
    // A key that is another server's is none.
    let stranger = Place::new();
    stranger.start().await.stop().await;
    for line in [&["restore", name, "--verify"][..], &["restore", name, "--verify", "--no-key"]] {
        let wrong = stranger.run(line).await;
        assert!(wrong.code() == 1 && wrong.stdout.contains("not the one"), "{wrong:?}");
    }
    // A run that was killed left its copy.
    std::fs::create_dir_all(restored.data()).unwrap();
    restored.write("data/knotpost.db.restoring", "half a copy");
    restored.run(&["restore", "--same", name]).await.succeed();
    std::fs::copy(place.data().join("secret.key"), restored.data().join("secret.key")).unwrap();
    assert_eq!(left(&restored.data()), [""; 0]);
    restored.run(&["admin", "user", "grant", "ann"]).await.succeed();
    let server = restored.start().await;
    assert_eq!(server.moves(101).await, ["a1"]);
    // The server that made the backup is not one of this database.
    let basic = data_encoding::BASE64.encode(b"ann:ann-secret");
    let asked = format!("GET /api/v1/admin HTTP/1.1\r\nAuthorization: Basic {basic}");
    // It reports itself a moment after its start.
    for _ in 0..10 {
        let overview = request(server.http(), &asked, "").await.unwrap().json();
        assert!(overview["servers"].as_array().unwrap().len() <= 1, "{overview}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    server.stop().await;

    // What is no backup, and what is damaged.
    let bad = restored.write("bad.db", "hello");
    expect_refusal(
        &Place::new().run(&["restore", "--same", bad.to_str().unwrap()]).await,
        65,
        &["no SQLite database"],
    );
    let mut bytes = std::fs::read(&copy).unwrap();
    let middle = bytes.len() / 2;
    let end = (middle + 40_000).min(bytes.len());
    bytes[middle..end].fill(0x5a);
    let damaged = restored.root().join("damaged.db");
    std::fs::write(&damaged, bytes).unwrap();
    let empty = Place::new();
    for line in [
        &["restore", "--same", damaged.to_str().unwrap()][..],
        &["restore", "--verify", damaged.to_str().unwrap()],
    ] {
        expect_refusal(&empty.run(line).await, 65, &["damaged.db"]);
    }
    assert!(!empty.data().join("knotpost.db").exists());
}

#[tokio::test]
async fn a_reply_to_a_mail_that_a_restored_backup_does_not_know_moves_nothing() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
    place.wait_until_idle().await;
    let known = board_mail(&place, "bob@example.org");
    place.run(&["backup", "copy.db"]).await.succeed();
    server.ask("osbox move 101 bob bob-secret a9").await;
    place.wait_until_idle().await;
    let lost = board_mail(&place, "ann@example.org");
    server.stop().await;

    let restored = Place::new();
    let copy = place.root().join("copy.db");
    restored.run(&["restore", "--same", copy.to_str().unwrap()]).await.succeed();
    std::fs::copy(place.data().join("secret.key"), restored.data().join("secret.key")).unwrap();
    let server = restored.start().await;
    reply(&server, &restored, "ann@example.org", &lost, "a2").await;
    assert_eq!(server.moves(101).await, ["a1"]);
    reply(&server, &restored, "bob@example.org", &known, "a9").await;
    assert_eq!(server.moves(101).await, ["a1", "a9"]);
    // By now other mails to ann have numbers of those that were lost.
    reply(&server, &restored, "ann@example.org", &lost, "resign").await;
    assert_eq!(server.moves(101).await, ["a1", "a9"]);
    server.stop().await;
}

#[tokio::test]
async fn a_copy_is_on_hold_until_it_is_let_go() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.stop().await;
    place.run(&["backup", "copy.db"]).await.succeed();
    let file = place.root().join("copy.db");
    let copy = Place::new();
    let said = copy.run(&["restore", "--copy", file.to_str().unwrap()]).await.succeed();
    assert!(said.contains("on hold"), "{said}");
    std::fs::copy(place.data().join("secret.key"), copy.data().join("secret.key")).unwrap();
    // The mark is in the file of the database alone, so that it holds with any configuration.
    let doctor = copy.run(&["doctor"]).await;
    assert!(format!("{doctor:?}").contains("on hold"), "{doctor:?}");
    let server = copy.start().await;
    server.ask("osbox challenge ann bob").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
    assert_eq!(server.moves(101).await, ["a1"]);
    let ready = request(server.http(), "GET /readyz HTTP/1.1", "").await.unwrap();
    assert!(ready.body.starts_with("ready\nwarning: this server is on hold"), "{ready:?}");
    let sent = || std::fs::read_dir(copy.data().join("mail/out/new")).unwrap().count();
    assert_eq!(sent(), 0);
    server.stop().await;
    assert_eq!(sent(), 0);
    assert!(copy.run(&["admin", "hold"]).await.succeed().starts_with("on: "));
    assert!(copy.run(&["admin", "hold", "off"]).await.succeed().starts_with("off"));
    let server = copy.start().await;
    for _ in 0..100 {
        if sent() >= 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(sent() >= 2, "what waited leaves");
    server.stop().await;
}

#[tokio::test]
async fn the_shell_writes_what_is_held_about_a_user() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    place.run(&["export", "--user", "ANN", "ann.zip"]).await.succeed();
    let file = place.root().join("ann.zip");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let mut zip = zip::ZipArchive::new(std::fs::File::open(&file).unwrap()).unwrap();
    assert!(zip.by_name("README.txt").is_ok() && zip.by_name("boards/osbox-101.txt").is_ok());
    expect_refusal(&place.run(&["export", "--user", "ann", "ann.zip"]).await, 1, &["ann.zip"]);
    expect_refusal(
        &place.run(&["export", "--user", "nobody", "x.zip"]).await,
        65,
        &["there is no user `nobody`"],
    );
    assert!(!place.root().join("x.zip").exists());
    place.run(&["admin", "user", "delete", "ann", "--with-remarks"]).await.succeed();
    server.stop().await;
}
