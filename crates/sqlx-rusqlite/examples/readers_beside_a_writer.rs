//! Four readers take snapshots while one writer moves money between two accounts. No snapshot sees half of a transfer.
//!
//! `cargo run -p sqlx-rusqlite --example readers_beside_a_writer`

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::{ConnectOptions as _, Connection as _};
use sqlx_rusqlite::{ReaderPool, RusqliteConnectOptions, RusqliteConnection};

const TRANSFERS: u32 = 1_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let options = RusqliteConnectOptions::new(folder.path().join("bank.db"));
    let usage = options.usage_counter();

    let mut writer = options.connect().await?;
    sqlx::query("CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL) STRICT")
        .execute(&mut writer)
        .await?;
    sqlx::query("INSERT INTO accounts (balance) VALUES (500), (500)").execute(&mut writer).await?;

    let pool = ReaderPool::new(options, 4);
    let is_done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let (pool, is_done) = (pool.clone(), Arc::clone(&is_done));
            tokio::spawn(async move { read_until(&pool, &is_done).await })
        })
        .collect();

    // A commit waits for the disk, so the writer gets a thread of its own.
    let runtime = tokio::runtime::Handle::current();
    let writing = tokio::task::spawn_blocking(move || runtime.block_on(transfer(&mut writer)));
    writing.await??;
    is_done.store(true, Ordering::Relaxed);

    let mut snapshots = 0;
    for reader in readers {
        snapshots += reader.await??;
    }
    pool.close().await?;
    println!("{TRANSFERS} transfers, {snapshots} consistent snapshots, {:?}", usage.read());
    Ok(())
}

/// Moves one unit at a time between the accounts, each in a transaction of its own.
async fn transfer(writer: &mut RusqliteConnection) -> Result<(), sqlx::Error> {
    for number in 0..TRANSFERS {
        let (from, to) = if number % 2 == 0 { (1, 2) } else { (2, 1) };
        let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await?;
        for (account, amount) in [(from, -1), (to, 1)] {
            sqlx::query("UPDATE accounts SET balance = balance + $1 WHERE id = $2")
                .bind(amount)
                .bind(account)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
    }
    Ok(())
}

/// Takes snapshots until the writer is done, and returns how many.
async fn read_until(pool: &ReaderPool, is_done: &AtomicBool) -> Result<u32, sqlx::Error> {
    let mut snapshots = 0;
    while !is_done.load(Ordering::Relaxed) {
        let mut snapshot = pool.snapshot().await?;
        let mut total = 0;
        for account in 1..=2 {
            total += sqlx::query_scalar::<_, i64>("SELECT balance FROM accounts WHERE id = $1")
                .bind(account)
                .fetch_one(&mut *snapshot)
                .await?;
        }
        assert_eq!(total, 1_000, "a snapshot saw half of a transfer");
        snapshots += 1;
    }
    Ok(snapshots)
}
