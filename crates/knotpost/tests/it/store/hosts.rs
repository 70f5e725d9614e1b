//! A database whose address names several hosts. What happens when one takes over from another is tried by
//! `knotpost-load failover`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use knotpost_storage::{Driver, Readiness, Settings, Store, StoreError};
use sqlx::{AssertSqlSafe, Connection};
use sqlx_postgres::{PgConnectOptions, PgConnection};
use tokio::io::{AsyncReadExt, AsyncWriteExt, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use super::settings;
use crate::postgres::{TestDatabase, database, dial};

/// The address with a host before it where nobody listens.
fn behind_nobody(url: &str) -> String {
    if let Some((before, socket)) = url.split_once("?host=") {
        return format!("{before}?host=/nowhere,{socket}");
    }
    let (user, place) = url.rsplit_once('@').unwrap();
    format!("{user}@127.0.0.1:1,{place}")
}

fn with(url: &str, parameter: &str) -> String {
    format!("{url}{}{parameter}", if url.contains('?') { '&' } else { '?' })
}

async fn alter(database: &TestDatabase, setting: &str) {
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    let name: String =
        sqlx::query_scalar("SELECT current_database()::text").fetch_one(&mut connection).await.unwrap();
    let sql = format!("ALTER DATABASE {name} SET {setting}");
    sqlx::query(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

fn place(url: &str) -> (tempfile::TempDir, Settings) {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(url, folder.path());
    (folder, settings)
}

#[tokio::test]
async fn the_host_of_a_postgres_that_answers_is_found_among_several() {
    let Some(database) = database().await else { return };
    let (_folder, settings) = place(&behind_nobody(database.url()));
    assert!(!Store::has_schema(&settings).await.unwrap());
    Store::migrate(&settings).await.unwrap();
    assert!(Store::has_schema(&settings).await.unwrap());
    let store = Store::open(&settings).await.unwrap();
    store.check_schema().await.unwrap();
    assert_eq!(store.readiness().await.unwrap(), Readiness::Ready);
    assert!(store.is_working());
    let mut listener = store.listen().await.unwrap().unwrap();
    store.notify("heard").await.unwrap();
    let heard = timeout(Duration::from_secs(20), listener.next()).await.unwrap().unwrap();
    assert_eq!(heard, knotpost_storage::Notification::Notice("heard".to_owned()));
    drop(listener);
    store.close().await;
}

#[tokio::test]
async fn a_postgres_that_only_reads_is_no_host_to_write_on() {
    let Some(database) = database().await else { return };
    let (_folder, settings) = place(database.url());
    Store::migrate(&settings).await.unwrap();
    alter(&database, "default_transaction_read_only = on").await;
    let (_other, wanted) = place(&with(&behind_nobody(database.url()), "target_session_attrs=read-write"));
    let refused = Store::open(&wanted).await.unwrap_err();
    let StoreError::NoServer(why) = &refused else { panic!("{refused:?}") };
    assert!(why.contains("it takes no writes") && why.contains("; "), "{why}");
    assert!(refused.is_transient());
    // With one host, boards can be read meanwhile.
    let store = Store::open(&settings).await.unwrap();
    assert_eq!(store.readiness().await.unwrap(), Readiness::ReadOnly);
    store.ping().await.unwrap();
    assert!(!store.is_working());
    store.close().await;
}

#[tokio::test]
async fn statements_of_a_postgres_have_no_time_limit_whatever_the_database_says() {
    let Some(database) = database().await else { return };
    let (_folder, settings) = place(database.url());
    Store::migrate(&settings).await.unwrap();
    alter(&database, "statement_timeout = '5s'").await;
    let store = Store::open(&settings).await.unwrap();
    let limit = store.write(|tx| {
        Box::pin(async move {
            let Driver::Postgres(connection) = tx.driver_for_tests() else { panic!("no") };
            Ok(sqlx::query_scalar::<_, String>("SHOW statement_timeout").fetch_one(connection).await?)
        })
    });
    assert_eq!(limit.await.unwrap(), "0");
    store.close().await;
}

/// A way to the server on which answers can be held back, and its address.
async fn slow_way(url: &str) -> (String, watch::Sender<bool>) {
    let options: PgConnectOptions = url.parse().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (user, name) = (options.get_username(), options.get_database().unwrap());
    let through = format!("postgres://{user}@{}/{name}", listener.local_addr().unwrap());
    let (holds, held) = watch::channel(false);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(join(client, options.clone(), held.clone()));
        }
    });
    (through, holds)
}

async fn join(client: TcpStream, options: PgConnectOptions, mut held: watch::Receiver<bool>) {
    let server = dial(&options).await;
    let ((mut asking, mut told), (mut answering, mut asked)) = (client.into_split(), split(server));
    let answers = async {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(bytes @ 1..) = answering.read(&mut buffer).await {
            if held.wait_for(|held| !held).await.is_err() || told.write_all(&buffer[..bytes]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        _ = tokio::io::copy(&mut asking, &mut asked) => {}
        () = answers => {}
    }
}

#[tokio::test]
async fn work_on_a_postgres_that_is_only_slow_goes_on() {
    let Some(database) = database().await else { return };
    let (through, holds) = slow_way(database.url()).await;
    let (_folder, settings) = place(&through);
    Store::migrate(&settings).await.unwrap();
    let store = Store::open(&settings).await.unwrap();
    let (runs, begun) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let (counted, told) = (Arc::clone(&runs), Arc::clone(&begun));
    let writing = store.write(move |tx| {
        let (counted, told) = (Arc::clone(&counted), Arc::clone(&told));
        Box::pin(async move {
            counted.fetch_add(1, Ordering::Relaxed);
            told.notify_one();
            let Driver::Postgres(connection) = tx.driver_for_tests() else { panic!("no") };
            // Its answer comes after the server was found again.
            Ok(sqlx::query_scalar::<_, i32>("SELECT 1 FROM pg_sleep(7)").fetch_one(connection).await?)
        })
    });
    let slowness = async {
        begun.notified().await;
        holds.send_replace(true);
        // Longer than an answer may take, and shorter than what is given up without a server.
        sleep(Duration::from_secs(5)).await;
        holds.send_replace(false);
    };
    let (written, ()) =
        timeout(Duration::from_mins(1), async { tokio::join!(writing, slowness) }).await.unwrap();
    assert_eq!(written.unwrap(), 1);
    assert_eq!(runs.load(Ordering::Relaxed), 1);
    assert_eq!(store.readiness().await.unwrap(), Readiness::Ready);
    store.close().await;
}
