//! Servers on PostgreSQL: one, and two that share a database and a key.

use sqlx::{Connection, FromRow};
use sqlx_postgres::PgConnection;

use super::letters::{copies, letters};
use super::running::{Place, wait_for};
use super::wire::{command, letter};
use crate::postgres::{TestDatabase, database};

fn place_on(database: &TestDatabase) -> Place {
    Place::new().with("KNOTPOST_DATABASE__URL", database.url()).with("KNOTPOST_SECRETS__KEY", "a7".repeat(32))
}

async fn wait_until_idle(database: &TestDatabase) {
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    wait_for("every mail's outcome", async || {
        let waiting: i64 = sqlx::query_scalar(
            "SELECT (SELECT COUNT(*) FROM inbox WHERE state = 'new') + \
             (SELECT COUNT(*) FROM outbox WHERE state = 'queued')",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap();
        (waiting == 0).then_some(())
    })
    .await;
    connection.close().await.unwrap();
}

#[derive(Debug, FromRow)]
struct Told {
    message_id: String,
    state: String,
}

async fn outgoing(database: &TestDatabase) -> Vec<Told> {
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    let rows =
        sqlx::query_as("SELECT message_id, state FROM outbox").fetch_all(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    rows
}

#[tokio::test]
async fn a_whole_game_is_played_on_postgres_by_mail_and_http() {
    let Some(database) = database().await else { return };
    let place = place_on(&database);
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge -size=2 ann bob").await;
    // A board mail that waits gives way to a newer one; here each is to be sent.
    wait_until_idle(&database).await;
    // Four crossings fill the board: nobody has closed anything.
    for (ply, (user, text)) in
        [("ann", "o1"), ("bob", "o6"), ("ann", "o2"), ("bob", "o6")].into_iter().enumerate()
    {
        let line = format!("osbox move 101 {user} {user}-secret {text}#{}", ply + 1);
        if ply % 2 == 0 {
            let from = format!("{user}@example.org");
            server.post(&from, &letter(&from, &line, &format!("{ply}@example.org"))).await;
            wait_until_idle(&database).await;
        } else {
            server.ask(&line).await;
            wait_until_idle(&database).await;
        }
    }
    let board = server.get("/api/v1/boards/osbox/101").await.json();
    assert_eq!(board["state"], "over", "{board}");
    assert_eq!(server.moves(101).await.len(), 4);
    wait_until_idle(&database).await;
    server.stop().await;
    let mails = letters(&place.maildir());
    assert_eq!(mails.iter().filter(|mail| mail.text.contains("Osbox Board 101")).count(), 10);

    // What was stored is there for the next process, and a backup is somebody else's business.
    let server = place.start().await;
    assert_eq!(server.moves(101).await.len(), 4);
    let metrics = server.get("/metrics").await.body;
    assert!(metrics.contains("\nknotpost_users 2\n"), "{metrics}");
    let refused = place.run(&["backup", "copy.db"]).await;
    assert_eq!(refused.code(), 1, "{refused:?}");
    assert!(refused.stderr.contains("pg_dump"), "{refused:?}");
    assert!(!place.root().join("copy.db").exists());
    server.stop().await;
    let said = place.run(&["doctor"]).await.succeed();
    assert!(said.ends_with("othing is wrong: a server can run here.\n"), "{said}");
}

#[tokio::test]
async fn two_servers_on_one_postgres_lose_nothing_and_double_nothing() {
    const MOVES: u32 = 12;
    let Some(database) = database().await else { return };
    let places = [place_on(&database), place_on(&database)];
    // Both at once on an empty database: one migrates, the other waits.
    let (one, two) = tokio::join!(places[0].start(), places[1].start());
    one.sign_up_two().await;
    let boards = [101, 102, 103];
    for _ in boards {
        one.ask("osbox challenge -size=8 ann bob").await;
    }
    wait_until_idle(&database).await;
    let servers = [&one, &two];
    for ply in 1..=MOVES {
        let (user, entry) = if ply % 2 == 1 { ("ann", ply.div_ceil(2)) } else { ("bob", 16 + ply / 2) };
        let from = format!("{user}@example.org");
        for (index, board) in boards.into_iter().enumerate() {
            let line = format!("osbox move {board} {user} {user}-secret o{entry}#{ply}");
            let message = letter(&from, &line, &format!("{board}-{ply}@example.org"));
            match (ply as usize + index) % 3 {
                0 => {
                    servers[index % 2].ask(&line).await;
                }
                1 => servers[(index + 1) % 2].post(&from, &message).await,
                // The same mail at both servers, as after a lost acknowledgement.
                _ => {
                    tokio::join!(one.post(&from, &message), two.post(&from, &message));
                }
            }
        }
        wait_until_idle(&database).await;
    }
    let expected: Vec<String> = (1..=MOVES)
        .map(|ply| if ply % 2 == 1 { format!("o{}", ply.div_ceil(2)) } else { format!("o{}", 16 + ply / 2) })
        .collect();
    for server in servers {
        for board in boards {
            assert_eq!(server.moves(board).await, expected);
        }
    }
    one.stop().await;
    two.stop().await;

    let mut copies = copies(&places[0].maildir());
    for (id, count) in super::letters::copies(&places[1].maildir()) {
        *copies.entry(id).or_default() += count;
    }
    for told in outgoing(&database).await {
        assert_eq!(told.state, "sent", "{told:?}");
        assert_eq!(copies.remove(&format!("<{}>", told.message_id)), Some(1), "{told:?}");
    }
    assert!(copies.is_empty(), "{copies:?}");
}

#[tokio::test]
async fn a_server_with_another_key_is_not_let_in_on_postgres() {
    let Some(database) = database().await else { return };
    let place = place_on(&database);
    place.start().await.stop().await;
    let stranger = place_on(&database).with("KNOTPOST_SECRETS__KEY", "b8".repeat(32));
    let Err(refused) = stranger.try_start().await else { panic!("a stranger was let in") };
    assert!(refused.stderr.contains("knotpost migrate --new-key"), "{refused:?}");
    // Whoever has lost the key says so.
    stranger.run(&["migrate", "--new-key"]).await.succeed();
    stranger.start().await.stop().await;
    assert!(place.try_start().await.is_err());
}

#[tokio::test]
async fn a_command_that_only_looks_makes_no_schema_on_postgres() {
    let Some(database) = database().await else { return };
    let place = place_on(&database);
    for (arguments, code) in
        [(&["admin", "user", "list"][..], 78), (&["export", "--all"], 78), (&["deliver"], 75)]
    {
        let ended = place.run_with(arguments, b"From: ann@example.org\nSubject: help\n\n").await;
        assert_eq!(ended.code(), code, "{ended:?}");
        assert!(ended.stderr.contains("there is no server in the database"), "{ended:?}");
    }
    assert!(!place.data().exists());
    place.run(&["migrate"]).await.succeed();
    assert_eq!(place.run(&["admin", "user", "list"]).await.succeed(), "");
}

#[tokio::test]
async fn servers_that_share_a_key_file_need_no_setting_on_postgres() {
    let Some(database) = database().await else { return };
    let shared = Place::new();
    let file = shared.root().join("shared.key");
    let place = || {
        place_on(&database)
            .with("KNOTPOST_SECRETS__KEY", "")
            .with("KNOTPOST_SECRETS__KEY_FILE", file.to_str().unwrap())
    };
    let places = [place(), place()];
    let (one, two) = tokio::join!(places[0].start(), places[1].start());
    one.sign_up_two().await;
    two.ask("osbox challenge -size=4 ann bob").await;
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn wrong_passwords_count_for_all_servers_on_postgres() {
    let Some(database) = database().await else { return };
    let limited = || {
        place_on(&database)
            .with("KNOTPOST_LIMITS__ENABLED", "true")
            .with("KNOTPOST_LIMITS__PASSWORD_TRIES", "4")
    };
    let places = [limited(), limited()];
    let (one, two) = tokio::join!(places[0].start(), places[1].start());
    one.sign_up_two().await;
    one.ask("osbox challenge -size=4 ann bob").await;
    let mut round = 0;
    let refused = wait_for("the other server's refusal", async || {
        // Somebody new each time: on the other server it is the first try.
        round += 1;
        let wrong = format!("osbox move 101 ghost{round} wrong-password f1");
        for _ in 0..4 {
            assert_eq!(command(one.http(), &wrong).await.unwrap().status, 401);
        }
        // The servers tell each other within moments, and this host has tries for a few rounds only.
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        (command(two.http(), &wrong).await.unwrap().status == 429).then_some(())
    });
    refused.await;
    one.stop().await;
    two.stop().await;
}

/// As a server that was made a standby: whoever is connected to it may read, until they connect anew.
#[tokio::test]
async fn a_postgres_that_only_reads_is_an_outage_that_ends_by_itself() {
    let Some(database) = database().await else { return };
    let place = place_on(&database);
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge -size=4 ann bob").await;
    wait_until_idle(&database).await;
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    let name: String =
        sqlx::query_scalar("SELECT current_database()::text").fetch_one(&mut connection).await.unwrap();
    let cut = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let switch = async |connection: &mut PgConnection, sql: String| {
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(connection).await.unwrap();
    };
    switch(&mut connection, format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
    switch(&mut connection, cut.to_owned()).await;
    wait_for("a server that says so", async || {
        let ready = server.get("/readyz").await;
        (ready.status == 503 && ready.body.contains("takes no writes")).then_some(())
    })
    .await;
    for _ in 0..20 {
        let refused = command(server.http(), "osbox move 101 ann ann-secret f1").await.unwrap();
        assert_eq!(refused.status, 503, "{refused:?}");
    }
    assert_eq!(server.get("/api/v1/boards/osbox/101").await.status, 200, "it can be read");
    let said = place.run(&["doctor"]).await;
    assert!(said.stdout.contains("the server of the database takes no writes"), "{said:?}");
    // Nobody cuts the connections that were made meanwhile: they read on for ever.
    switch(&mut connection, format!("ALTER DATABASE {name} RESET default_transaction_read_only")).await;
    wait_for("moves", async || {
        let moved = command(server.http(), "osbox move 101 ann ann-secret f1").await.unwrap();
        (moved.status == 200).then_some(())
    })
    .await;
    wait_for("readiness", async || (server.get("/readyz").await.status == 200).then_some(())).await;
    let ended = server.stop().await;
    assert!(!ended.stderr.contains("ERROR"), "{ended:?}");
    assert!(ended.stderr.matches("WARN").count() < 12, "{ended:?}");
}

/// Who keeps the clock of the boards.
async fn clock_holder(database: &TestDatabase) -> Option<String> {
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    let holder = sqlx::query_scalar("SELECT holder FROM duties WHERE name = 'clock' AND until_at > alive_at")
        .fetch_optional(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    holder
}

#[tokio::test]
async fn a_server_that_was_killed_takes_its_own_clock_over_at_once_and_nobody_elses_on_postgres() {
    let Some(database) = database().await else { return };
    let [one, two] = [place_on(&database), place_on(&database)];
    let name = |place: &Place| std::fs::read_to_string(place.data().join("server.run")).unwrap();
    let server = one.start().await;
    wait_for("a holder", async || clock_holder(&database).await).await;
    let first = name(&one);
    assert_eq!(clock_holder(&database).await.as_ref(), Some(&first));
    let other = two.start().await;
    server.kill().await;
    // Another folder does not know whether the holder is gone.
    let other = {
        other.kill().await;
        two.start().await
    };
    assert_eq!(clock_holder(&database).await.as_ref(), Some(&first));
    other.stop().await;
    assert_eq!(clock_holder(&database).await.as_ref(), Some(&first), "a clean stop gives back its own alone");
    let server = one.start().await;
    let second = name(&one);
    assert_ne!(first, second);
    // Its lease goes on for a minute and a half.
    wait_for("its successor", async || {
        (clock_holder(&database).await.as_ref() == Some(&second)).then_some(())
    })
    .await;
    server.stop().await;
    // A folder whose file was cut short is one that nobody was in.
    std::fs::write(one.data().join("server.run"), "abc").unwrap();
    one.start().await.stop().await;
    assert_eq!(name(&one).len(), first.len());
}

/// As after a reboot, when the database starts later.
#[tokio::test]
async fn a_postgres_that_is_not_there_yet_is_waited_for() {
    let Some(database) = database().await else { return };
    // Where the cluster has no socket, there is no path that could appear later.
    let Some((before, socket)) = database.url().split_once("?host=/") else { return };
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("socket");
    let url = format!("{before}?host={}", link.display());
    let place =
        Place::new().with("KNOTPOST_DATABASE__URL", &url).with("KNOTPOST_SECRETS__KEY", "a7".repeat(32));
    let socket = std::path::PathBuf::from(format!("/{}", socket.split('&').next().unwrap()));
    let appears = async {
        tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
        std::os::unix::fs::symlink(&socket, &link).unwrap();
    };
    let (server, ()) = tokio::join!(place.start(), appears);
    assert_eq!(server.get("/readyz").await.status, 200);
    let ended = server.stop().await;
    assert_eq!(ended.stderr.matches("waiting for the database").count(), 1, "{ended:?}");
    assert!(
        ended.stderr.contains("No such file or directory") && !ended.stderr.contains("ERROR"),
        "{ended:?}"
    );
}
