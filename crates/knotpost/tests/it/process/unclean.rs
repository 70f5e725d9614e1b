//! What the next start makes of a stop that was not a clean one.

use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::letters::letters;
use super::running::{Ended, Place, Running, wait_for};
use super::wire::command;

const CHECKED: &str = "the last stop was not a clean one";
const SOUND: &str = "the database file is sound";

fn file(place: &Place) -> PathBuf {
    place.data().join("knotpost.db")
}

fn is_marked(place: &Place) -> bool {
    place.data().join("knotpost.db-running").is_file()
}

/// A place whose server worked and was killed.
async fn killed(place: &Place) -> Ended {
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge -size=4 ann bob").await;
    assert!(is_marked(place), "a server works on it");
    server.kill().await
}

/// Overwrites the first page of a table.
fn damage(place: &Place, table: &str) {
    // What is still in the log would be read instead of the file.
    let _: i64 = place.ask("PRAGMA wal_checkpoint(TRUNCATE)");
    let page: i64 = place.ask(&format!("SELECT rootpage FROM sqlite_master WHERE name = '{table}'"));
    let size: i64 = place.ask("PRAGMA page_size");
    let mut file = std::fs::OpenOptions::new().write(true).open(file(place)).unwrap();
    file.seek(SeekFrom::Start(((page - 1) * size) as u64)).unwrap();
    file.write_all(&vec![0xa5; size as usize]).unwrap();
}

fn expect_refusal(ended: &Ended) {
    assert_eq!(ended.code(), 1, "{ended:?}");
    for words in ["knotpost.db is damaged", "restore the last backup", "docs/operations/backup.md"] {
        assert!(ended.stderr.contains(words), "{words}: {ended:?}");
    }
}

async fn refuse(place: &Place) -> Ended {
    match place.try_start().await {
        Ok(_) => panic!("a server works on a damaged file"),
        Err(ended) => ended,
    }
}

async fn readiness(server: &Running) -> String {
    server.get("/readyz").await.body
}

#[tokio::test]
async fn a_clean_stop_leaves_nothing_to_be_checked_and_a_kill_does() {
    let place = Place::new();
    let said = killed(&place).await;
    assert!(!said.stderr.contains(CHECKED), "a new file needs no check: {said:?}");
    assert!(is_marked(&place));
    let said = place.start().await.stop().await;
    assert!(said.stderr.contains(CHECKED) && said.stderr.contains(SOUND), "{said:?}");
    assert!(!is_marked(&place));
    let said = place.start().await.stop().await;
    assert!(!said.stderr.contains(CHECKED), "{said:?}");
}

#[tokio::test]
async fn a_damaged_file_is_refused_with_what_to_do_until_it_is_replaced() {
    let place = Place::new();
    killed(&place).await;
    let copy = place.root().join("good.db");
    place.run(&["backup", copy.to_str().unwrap()]).await.succeed();
    damage(&place, "moves");
    for _ in 0..2 {
        expect_refusal(&refuse(&place).await);
    }
    std::fs::copy(&copy, file(&place)).unwrap();
    let said = place.start().await.stop().await;
    assert!(said.stderr.contains(SOUND), "{said:?}");
}

#[tokio::test]
async fn a_file_that_cannot_even_be_opened_is_called_damaged() {
    let place = Place::new();
    killed(&place).await;
    damage(&place, "_sqlx_migrations");
    let ended = refuse(&place).await;
    assert!(ended.stderr.contains("damaged") && ended.stderr.contains("backup"), "{ended:?}");
}

#[tokio::test]
async fn a_large_file_is_checked_while_the_server_works() {
    let place = Place::new().with("KNOTPOST_DATABASE__CHECK_FIRST_MIB", "0");
    killed(&place).await;
    let server = place.start().await;
    assert!(readiness(&server).await.contains("ready"));
    wait_for("the end of the check", async || {
        (!readiness(&server).await.contains("is being checked")).then_some(())
    })
    .await;
    let said = server.stop().await;
    assert!(said.stderr.contains("is checked while the server works") && said.stderr.contains(SOUND));
    assert!(!is_marked(&place));
    assert!(!letters(&place.maildir()).is_empty(), "it did work");
}

#[tokio::test]
async fn a_large_file_that_turns_out_damaged_ends_the_server_and_is_refused_from_then_on() {
    let place = Place::new().with("KNOTPOST_DATABASE__CHECK_FIRST_MIB", "0");
    killed(&place).await;
    damage(&place, "ratings");
    // The check may be over before the server listens.
    let ended = match place.try_start().await {
        Ok(server) => server.end().await,
        Err(ended) => ended,
    };
    expect_refusal(&ended);
    let ended = refuse(&place).await;
    assert!(!ended.stderr.contains("while the server works"), "{ended:?}");
    expect_refusal(&ended);
}

#[tokio::test]
async fn a_server_that_meets_damage_is_not_ready_and_the_file_is_checked_at_the_next_start() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge -size=4 ann bob").await;
    server.stop().await;
    // A clean stop: nothing is checked.
    damage(&place, "moves");
    let server = place.start().await;
    for _ in 0..3 {
        let ready = server.get("/readyz").await;
        assert!(ready.status == 503 && ready.body.contains("the database file is damaged"), "{ready:?}");
    }
    assert_eq!(server.get("/healthz").await.status, 200);
    server.stop().await;
    assert!(is_marked(&place));
    expect_refusal(&refuse(&place).await);
}

#[tokio::test]
async fn a_database_that_is_gone_takes_no_moves_and_is_not_begun_anew() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge -size=4 ann bob").await;
    std::fs::rename(file(&place), place.root().join("aside.db")).unwrap();
    let refused = command(server.http(), "osbox move 101 ann ann-secret f1").await.unwrap();
    assert_eq!(refused.status, 503, "{refused:?}");
    let ready = server.get("/readyz").await;
    assert!(ready.status == 503 && ready.body.contains("was deleted, replaced or emptied"), "{ready:?}");
    assert!(!file(&place).exists(), "nothing was made in its place");
    server.kill().await;
    let ended = refuse(&place).await;
    assert!(ended.stderr.contains("knotpost.db is missing or empty"), "{ended:?}");
    std::fs::write(file(&place), "").unwrap();
    let ended = refuse(&place).await;
    assert!(ended.stderr.contains("remove") && ended.stderr.contains("knotpost.db-running"), "{ended:?}");
    std::fs::rename(place.root().join("aside.db"), file(&place)).unwrap();
    let server = place.start().await;
    assert!(server.moves(101).await.is_empty());
    server.stop().await;
}

#[tokio::test]
async fn two_servers_on_one_file_are_refused_wherever_their_folders_are() {
    let place = Place::new();
    let server = place.start().await;
    let links = tempfile::tempdir().unwrap();
    let (soft, hard) = (links.path().join("soft.db"), links.path().join("hard.db"));
    std::os::unix::fs::symlink(file(&place), &soft).unwrap();
    // A link to the file itself where both are on one disk.
    let hard = std::fs::hard_link(file(&place), &hard).map(|()| hard);
    for path in [Some(file(&place)), Some(soft), hard.ok()].into_iter().flatten() {
        let other = Place::new().with("KNOTPOST_DATABASE__URL", format!("sqlite:{}", path.display()));
        std::fs::create_dir_all(other.data()).unwrap();
        std::fs::copy(place.data().join("secret.key"), other.data().join("secret.key")).unwrap();
        let ended = refuse(&other).await;
        assert!(
            ended.stderr.contains("another server is running on the database file"),
            "{path:?}: {ended:?}"
        );
    }
    place.run(&["admin", "user", "list"]).await.succeed();
    server.stop().await;
    place.start().await.stop().await;
}
