//! Databases as older builds left them, with games in them: each is brought up to date, replayed, and played on.
//! `tests/fixtures/schema/make.py` makes them; `docs/database.md` says when.

use std::os::unix::fs::PermissionsExt as _;
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

/// Rows of these are there in every fixture, and a new schema leaves them all in place.
const KEPT: &[&str] = &[
    "addresses",
    "api_tokens",
    "boards",
    "moves",
    "notifications",
    "outbox",
    "preferences",
    "queued_moves",
    "rating_changes",
    "ratings",
    "remarks",
    "seats",
    "seeks",
    "submissions",
    "subscribers",
    "users",
    "vacations",
    "web_sessions",
    "webhooks",
];

/// The number of rows in each of these tables.
macro_rules! count_rows {
    ($connection:expr) => {{
        let mut counts = Vec::new();
        for table in KEPT {
            let sql = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
            let count: i64 = sqlx::query_scalar(sql).fetch_one(&mut *$connection).await.unwrap();
            assert!(count > 0, "{table}");
            counts.push((*table, count));
        }
        counts
    }};
}

/// The schemas that have a fixture.
fn schemas() -> Vec<i64> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schema");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let mut schemas: Vec<i64> =
        names.filter_map(|name| name.strip_suffix(".sqlite.sql")?.parse().ok()).collect();
    schemas.sort_unstable();
    schemas
}

#[tokio::test]
async fn a_sqlite_database_of_an_older_schema_is_played_on() {
    for schema in schemas() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("old.db");
        let url = format!("sqlite:{}", file.display());
        let mut connection = SqliteConnection::connect(&format!("{url}?mode=rwc")).await.unwrap();
        let sql = fixture(&format!("{schema:04}.sqlite.sql"));
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        let before = count_rows!(&mut connection);
        let asked = "SELECT MAX(version) FROM _sqlx_migrations";
        let version: i64 = sqlx::query_scalar(asked).fetch_one(&mut connection).await.unwrap();
        assert_eq!(version, schema, "the fixture's name");
        connection.close().await.unwrap();

        let app = TestApp::start_with(Place::Sqlite, settings(url.clone())).await;
        let mut connection = SqliteConnection::connect(&url).await.unwrap();
        assert_eq!(count_rows!(&mut connection), before, "{schema}");
        let now: i64 = sqlx::query_scalar(asked).fetch_one(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        replay_and_play_on(app).await;

        // What was there before is kept, for the owner alone, if there was anything to change.
        let copy = folder.path().join(format!("old.schema-{schema:04}.db"));
        assert_eq!(copy.exists(), now > schema, "{schema}");
        if now > schema {
            assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
            let mut copy = SqliteConnection::connect(&format!("sqlite:{}", copy.display())).await.unwrap();
            let version: i64 = sqlx::query_scalar(asked).fetch_one(&mut copy).await.unwrap();
            assert_eq!((version, count_rows!(&mut copy)), (schema, before));
        }
        assert!(!folder.path().join("old.schema.part").exists());
    }
}

#[tokio::test]
async fn a_postgres_database_of_an_older_schema_is_played_on() {
    for schema in schemas() {
        let Some(database) = database().await else { return };
        let mut connection = PgConnection::connect(database.url()).await.unwrap();
        let sql = fixture(&format!("{schema:04}.postgres.sql"));
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        let before = count_rows!(&mut connection);
        let settings = settings(database.url().to_owned());
        let app = TestApp::start_with(Place::Postgres(Box::new(database)), settings).await;
        assert_eq!(count_rows!(&mut connection), before, "{schema}");
        connection.close().await.unwrap();
        replay_and_play_on(app).await;
    }
}
