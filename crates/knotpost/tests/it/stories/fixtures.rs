//! Databases as older builds left them, with games in them: each is brought up to date, replayed, and played on.
//! `tests/fixtures/schema/make.py` makes them; `docs/database.md` says when.

use std::path::PathBuf;

use knotpost_core::boards::{Replayed, replay_next};
use knotpost_core::config::Config;
use sqlx::{AssertSqlSafe, Connection};
use sqlx_postgres::PgConnection;
use sqlx_sqlite::SqliteConnection;

use crate::harness::{DAY, Place, TestApp};
use crate::postgres::database;

fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schema").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// With the key under which the fixtures were made.
fn settings(url: String) -> impl FnOnce(&mut Config) {
    move |config| {
        config.database.url.0 = url;
        config.secrets.key = "a7".repeat(32).into();
    }
}

async fn replay(app: &TestApp) {
    let mut replayed = Replayed::default();
    while replay_next(&app.app, &mut replayed).await.unwrap() {}
    assert_eq!((replayed.boards, replayed.differences.len()), (10, 0), "{replayed:?}");
}

async fn replay_and_play_on(app: TestApp) {
    // The fixtures are younger than the clock of the tests.
    app.clock.advance(10 * DAY);
    replay(&app).await;
    app.tick().await;
    assert!(!app.letters().is_empty(), "mails that waited have left");
    for game in ["osbox", "osbo", "obsidio", "boxilies"] {
        let over = app.get(&format!("/api/v1/boards/{game}/101")).await.json();
        assert_eq!(over["state"], "over", "{over}");
        app.play_on(game, 102, 2).await;
    }
    app.play_on("osbox", 103, 3).await;
    assert!(app.letters().iter().any(|letter| letter.subject.contains("Osbox Board 103")));
    replay(&app).await;
}

#[tokio::test]
async fn a_sqlite_database_of_an_older_schema_is_played_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("old.db");
    let url = format!("sqlite:{}", file.display());
    let mut connection = SqliteConnection::connect(&format!("{url}?mode=rwc")).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(fixture("0019.sqlite.sql"))).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    replay_and_play_on(TestApp::start_with(Place::Sqlite, settings(url)).await).await;
}

#[tokio::test]
async fn a_postgres_database_of_an_older_schema_is_played_on() {
    let Some(database) = database().await else { return };
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(fixture("0019.postgres.sql"))).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    let settings = settings(database.url().to_owned());
    replay_and_play_on(TestApp::start_with(Place::Postgres(Box::new(database)), settings).await).await;
}
