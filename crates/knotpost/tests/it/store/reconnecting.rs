//! A PostgreSQL server that goes away and comes back, that only reads, or is not what the address asks for. What happens
//! when another one takes its place is tried by `knotpost-load failover`.

use std::time::Duration;

use knotpost_storage::{Driver, Notification, Readiness, Settings, Store, StoreError};
use sqlx::{AssertSqlSafe, Connection};
use sqlx_postgres::{PgConnectOptions, PgConnection};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::settings;
use crate::postgres::{TestDatabase, database, dial};

fn with(url: &str, parameter: &str) -> String {
    format!("{url}{}{parameter}", if url.contains('?') { '&' } else { '?' })
}

/// Changes a setting of the database, for connections that are opened from now on.
async fn alter(database: &TestDatabase, change: &str) {
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    let name: String =
        sqlx::query_scalar("SELECT current_database()::text").fetch_one(&mut connection).await.unwrap();
    sqlx::query("SET default_transaction_read_only = off").execute(&mut connection).await.unwrap();
    let sql = format!("ALTER DATABASE {name} {change}");
    sqlx::query(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

fn place(url: &str) -> (tempfile::TempDir, Settings) {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(url, folder.path());
    (folder, settings)
}

async fn write(store: &Store) -> Result<(), StoreError> {
    store.write(async move |tx| tx.save_server_metadata("trial", "written").await).await
}

async fn wait_until_ready(store: &Store) {
    let ready = async {
        while !matches!(store.readiness().await, Ok(Readiness::Ready)) {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(20), ready).await.expect("it gets ready");
}

#[tokio::test]
async fn a_postgres_that_only_reads_is_read_and_found_again_when_it_writes() {
    let Some(database) = database().await else { return };
    let (_folder, settings) = place(database.url());
    Store::migrate(&settings).await.unwrap();
    alter(&database, "SET default_transaction_read_only = on").await;
    let store = Store::open(&settings).await.unwrap();
    assert!(!store.is_working());
    assert_eq!(store.readiness().await.unwrap(), Readiness::ReadOnly);
    store.ping().await.unwrap();
    let begun = Instant::now();
    let refused = write(&store).await.unwrap_err();
    assert!(refused.is_read_only() && refused.is_transient(), "{refused:?}");
    assert!(begun.elapsed() < Duration::from_secs(5), "nobody waits for another server");
    assert!(!store.is_working());
    // Connections that were opened meanwhile would go on reading for ever.
    alter(&database, "RESET default_transaction_read_only").await;
    wait_until_ready(&store).await;
    write(&store).await.unwrap();
    assert!(store.is_working());
    store.close().await;
}

#[tokio::test]
async fn a_postgres_that_only_reads_is_not_worked_with_where_the_address_says_so() {
    let Some(database) = database().await else { return };
    let (_folder, settings) = place(database.url());
    Store::migrate(&settings).await.unwrap();
    let (_other, wanted) = place(&with(database.url(), "target_session_attrs=read-write"));
    let store = Store::open(&wanted).await.unwrap();
    alter(&database, "SET default_transaction_read_only = on").await;
    let refused = Store::open(&wanted).await.unwrap_err();
    assert!(refused.is_transient() && refused.with_causes().contains("it takes no writes"), "{refused:?}");
    // It is no standby.
    let (_third, primary) = place(&with(database.url(), "target_session_attrs=primary"));
    Store::open(&primary).await.unwrap().close().await;
    // A server that was connected to before meets it with its next connection, and work waits.
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    sqlx::query(cut).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    let turned = async {
        sleep(Duration::from_secs(2)).await;
        assert!(!store.is_working());
        alter(&database, "RESET default_transaction_read_only").await;
    };
    let (read, written, ()) = tokio::join!(store.ping(), write(&store), turned);
    read.unwrap();
    written.unwrap();
    wait_until_ready(&store).await;
    store.close().await;
}

#[tokio::test]
async fn statements_of_a_postgres_have_no_time_limit_whatever_the_database_says() {
    let Some(database) = database().await else { return };
    let (_folder, settings) = place(database.url());
    Store::migrate(&settings).await.unwrap();
    alter(&database, "SET statement_timeout = '5s'").await;
    let store = Store::open(&settings).await.unwrap();
    let limit = store.write(async move |tx| {
        let Driver::Postgres(connection) = tx.driver_for_tests() else { panic!("no") };
        Ok::<_, StoreError>(
            sqlx::query_scalar::<_, String>("SHOW statement_timeout").fetch_one(connection).await?,
        )
    });
    assert_eq!(limit.await.unwrap(), "0");
    store.close().await;
}

/// A way to the server that can be closed, which cuts whoever is on it, and its address.
async fn way(url: &str) -> (String, watch::Sender<bool>) {
    let options: PgConnectOptions = url.parse().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (user, name) = (options.get_username(), options.get_database().unwrap());
    let through = format!("postgres://{user}@{}/{name}", listener.local_addr().unwrap());
    let (opens, open) = watch::channel(true);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(join(client, options.clone(), open.clone()));
        }
    });
    (through, opens)
}

async fn join(mut client: TcpStream, options: PgConnectOptions, mut open: watch::Receiver<bool>) {
    if !*open.borrow() {
        return;
    }
    let mut server = dial(&options).await;
    tokio::select! {
        _ = tokio::io::copy_bidirectional(&mut client, &mut server) => {}
        _ = open.wait_for(|open| !open) => {}
    }
}

#[tokio::test]
async fn a_postgres_that_comes_back_is_worked_with_and_listened_to_again() {
    let Some(database) = database().await else { return };
    let (through, opens) = way(database.url()).await;
    let (_folder, settings) = place(&through);
    Store::migrate(&settings).await.unwrap();
    let store = Store::open(&settings).await.unwrap();
    let mut listener = store.listen().await.unwrap().unwrap();
    assert_eq!(store.readiness().await.unwrap(), Readiness::Ready);
    write(&store).await.unwrap();

    opens.send_replace(false);
    let away = timeout(Duration::from_secs(5), store.readiness()).await.expect("it says so soon");
    assert!(away.as_ref().is_err_and(StoreError::is_away), "{away:?}");
    assert!(!store.is_working());
    // Work that waits meanwhile is done then.
    let back = async {
        sleep(Duration::from_secs(1)).await;
        opens.send_replace(true);
    };
    let heard = timeout(Duration::from_secs(20), listener.next());
    let (written, read, heard, ()) = tokio::join!(write(&store), store.ping(), heard, back);
    written.unwrap();
    read.unwrap();
    assert_eq!(heard.unwrap().unwrap(), Notification::Gap);
    assert!(store.is_working());
    wait_until_ready(&store).await;
    store.notify("heard").await.unwrap();
    let heard = timeout(Duration::from_secs(20), listener.next()).await.unwrap().unwrap();
    assert_eq!(heard, Notification::Notice("heard".to_owned()));
    drop(listener);
    store.close().await;
}
