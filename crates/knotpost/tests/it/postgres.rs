//! A database of its own for every test that needs PostgreSQL.
//!
//! The cluster belongs to whoever runs the tests: `./test` starts a private
//! one and names it in [`CLUSTER`]. This module creates and drops databases in
//! it; it knows nothing of processes, folders or the server's own tables.
//!
//! Tests that call [`database`] carry `postgres` in their name, so that the
//! runner can leave them out, and count them as skipped, where there is none.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use sqlx_postgres::{PgConnectOptions, PgConnection};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

use crate::process::running::leave_out;

/// The variable that holds the URL of the cluster's maintenance database,
/// opened as a superuser: databases are created, and rows put back without their triggers.
const CLUSTER: &str = "KNOTPOST_TEST_POSTGRES";

/// An empty database that disappears with this value.
pub(crate) struct TestDatabase {
    cluster: PgConnectOptions,
    name: String,
    url: String,
}

impl TestDatabase {
    /// The URL by which the server opens this database.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for TestDatabase {
    /// Drops the database even while connections are still open, from a
    /// thread of its own because the test's runtime may be shutting down.
    fn drop(&mut self) {
        let cluster = self.cluster.clone();
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let dropped = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(sqlx::Error::Io)?
                .block_on(execute(&cluster, statement))
        })
        .join();
        if !matches!(dropped, Ok(Ok(()))) {
            eprintln!("the test database {} was left behind: {dropped:?}", self.name);
        }
    }
}

/// A new, empty database, or `None` where no PostgreSQL was provided; the
/// reason is then printed and the caller returns.
///
/// # Panics
/// When the cluster does not answer, and in continuous integration also when
/// it is absent: there nothing may be left out.
pub(crate) async fn database() -> Option<TestDatabase> {
    #[expect(clippy::disallowed_methods, reason = "the runner hands over the cluster by environment")]
    let (cluster, ci) = (std::env::var(CLUSTER).ok(), std::env::var("CI").ok());
    let Some(url) = cluster.filter(|url| !url.is_empty()) else {
        assert!(ci.as_deref() != Some("true"), "{CLUSTER} must name a PostgreSQL cluster when CI is true");
        leave_out("tests on PostgreSQL, as KNOTPOST_TEST_POSTGRES names no cluster");
        return None;
    };
    Some(create_database(&url).await)
}

/// A connection to a PostgreSQL server of which only bytes are known.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<W: AsyncRead + AsyncWrite + Send + Unpin> Wire for W {}

/// Connects as sqlx would, for what stands between it and the server.
pub(crate) async fn dial(options: &PgConnectOptions) -> Box<dyn Wire> {
    let port = options.get_port();
    // As sqlx reads it: a host that is a path is a folder with a socket.
    let socket = options
        .get_socket()
        .cloned()
        .or_else(|| Some(options.get_host()).filter(|host| host.starts_with('/')).map(PathBuf::from));
    if let Some(folder) = socket {
        let file = folder.join(format!(".s.PGSQL.{port}"));
        return Box::new(UnixStream::connect(file).await.expect("PostgreSQL"));
    }
    Box::new(TcpStream::connect((options.get_host(), port)).await.expect("PostgreSQL"))
}

async fn create_database(cluster_url: &str) -> TestDatabase {
    let cluster: PgConnectOptions = cluster_url.parse().expect("the cluster has a PostgreSQL URL");
    let name = fresh_name();
    execute(&cluster, format!("CREATE DATABASE {name} TEMPLATE template0"))
        .await
        .expect("a database can be created in the cluster");
    let url = replace_database(cluster_url, &name);
    TestDatabase { cluster, name, url }
}

async fn execute(cluster: &PgConnectOptions, statement: String) -> Result<(), sqlx::Error> {
    let mut connection: PgConnection = cluster.connect().await?;
    sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await?;
    connection.close().await
}

/// A name no other test uses: the process tells test processes apart, the
/// counter the tests inside one.
fn fresh_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("knotpost_test_{}_{count}", std::process::id())
}

/// `postgres://who@where/old?more` with another database in the place of `old`.
fn replace_database(url: &str, name: &str) -> String {
    let (base, query) = url.split_once('?').map_or((url, None), |(base, query)| (base, Some(query)));
    let authority_at = base.find("://").map_or(0, |at| at + 3);
    let path_at = base[authority_at..].find('/').map_or(base.len(), |at| authority_at + at);
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    format!("{}/{name}{query}", &base[..path_at])
}

#[test]
fn the_database_is_replaced_in_urls_of_every_shape() {
    for (given, expected) in [
        ("postgres://u@localhost/postgres?host=/tmp/x", "postgres://u@localhost/new?host=/tmp/x"),
        ("postgres://u:p@127.0.0.1:5433/postgres", "postgres://u:p@127.0.0.1:5433/new"),
        ("postgres://localhost", "postgres://localhost/new"),
    ] {
        assert_eq!(replace_database(given, "new"), expected);
    }
}

#[tokio::test]
async fn a_postgres_database_is_empty_and_gone_afterwards() {
    let Some(database) = database().await else { return };
    let options: PgConnectOptions = database.url().parse().unwrap();
    let mut connection: PgConnection = options.connect().await.unwrap();
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'")
            .fetch_one(&mut connection)
            .await
            .unwrap();
    assert_eq!(tables, 0);

    // The connection stays open: dropping does not wait for it.
    let (cluster, name) = (database.cluster.clone(), database.name.clone());
    drop(database);
    let mut maintenance: PgConnection = cluster.connect().await.unwrap();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM pg_database WHERE datname = $1")
        .bind(name)
        .fetch_one(&mut maintenance)
        .await
        .unwrap();
    assert_eq!(left, 0);
}
