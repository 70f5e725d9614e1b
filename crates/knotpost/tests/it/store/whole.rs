//! No table and no column of the schema is forgotten when a server moves, or when a user asks what is held about them.

use std::collections::BTreeSet;

use knotpost_storage::{Driver, HELD, Kind, NOT_HELD, ReadTx, STAYING, StoreError, TABLES};

use super::Ground;

/// Tables with their columns, kinds and key columns, as the database itself tells.
async fn schema(tx: &mut ReadTx) -> Vec<(String, String, String)> {
    match tx.driver_for_tests() {
        Driver::Sqlite(connection) => {
            let sql = "SELECT t.name, c.name, c.type FROM sqlite_master AS t, pragma_table_info(t.name) AS c \
                       WHERE t.type = 'table'";
            let mut asked = connection.prepare(sql).unwrap();
            let rows = asked.query_map([], |row| row.try_into()).unwrap();
            rows.map(Result::unwrap).collect()
        }
        Driver::Postgres(tx) => {
            let sql = "SELECT table_name::text, column_name::text, data_type::text \
                       FROM information_schema.columns WHERE table_schema = 'public'";
            sqlx::query_as(sql).fetch_all(tx).await.unwrap()
        }
    }
}

/// The same, key columns in their order.
async fn keys(tx: &mut ReadTx, table: &str) -> Vec<String> {
    match tx.driver_for_tests() {
        Driver::Sqlite(connection) => {
            let sql = "SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk";
            let mut asked = connection.prepare(sql).unwrap();
            let rows = asked.query_map([table], |row| row.get(0)).unwrap();
            rows.map(Result::unwrap).collect()
        }
        Driver::Postgres(tx) => {
            let sql = "SELECT a.attname::text FROM pg_index AS i, unnest(i.indkey) WITH ORDINALITY AS k (n, place), \
                       pg_attribute AS a WHERE i.indrelid = $1::regclass AND i.indisprimary \
                       AND a.attrelid = i.indrelid AND a.attnum = k.n ORDER BY k.place";
            sqlx::query_scalar(sql).bind(table).fetch_all(tx).await.unwrap()
        }
    }
}

fn fits(kind: Kind, stored: &str) -> bool {
    match kind {
        Kind::Int => matches!(stored, "INTEGER" | "bigint"),
        Kind::Flag => matches!(stored, "INTEGER" | "boolean"),
        Kind::Real => matches!(stored, "REAL" | "double precision"),
        Kind::Text => matches!(stored, "TEXT" | "text"),
        Kind::Bytes => matches!(stored, "BLOB" | "bytea"),
    }
}

pub(super) async fn every_table_moves_or_says_why_it_stays(ground: &Ground) {
    let mut tx = ground.store.read().await.unwrap();
    let schema = schema(&mut tx).await;
    let tables: BTreeSet<&str> = schema.iter().map(|(table, _, _)| table.as_str()).collect();
    let known: Vec<&str> =
        TABLES.iter().map(|table| table.name).chain(STAYING.iter().map(|table| table.name)).collect();
    let named: BTreeSet<&str> = known.iter().copied().collect();
    assert_eq!(named.len(), known.len(), "no table is named twice");
    assert_eq!(named, tables, "src/store/whole/tables.rs names every table, to move or to stay");
    for table in TABLES {
        let stored: BTreeSet<&str> = schema
            .iter()
            .filter(|(name, _, _)| name == table.name)
            .map(|(_, column, _)| column.as_str())
            .collect();
        let moving: BTreeSet<&str> = table.columns.iter().map(|column| column.name).collect();
        assert_eq!(moving, stored, "the columns of {}", table.name);
        for column in table.columns {
            let is = schema.iter().find(|row| row.0 == table.name && row.1 == column.name).unwrap();
            assert!(fits(column.kind, &is.2), "{}.{} is {}", table.name, column.name, is.2);
        }
        assert_eq!(keys(&mut tx, table.name).await, table.key, "the key of {}", table.name);
    }
}

pub(super) async fn every_table_is_in_the_archive_of_a_user_or_says_why_not(ground: &Ground) {
    let ann = ground.user("ann").await;
    let mut tx = ground.store.read().await.unwrap();
    let schema = schema(&mut tx).await;
    let tables: BTreeSet<&str> = schema.iter().map(|(table, _, _)| table.as_str()).collect();
    let known: Vec<&str> =
        HELD.iter().map(|held| held.table).chain(NOT_HELD.iter().map(|table| table.table)).collect();
    let named: BTreeSet<&str> = known.iter().copied().collect();
    assert_eq!(named.len(), known.len(), "no table is named twice");
    assert_eq!(
        named, tables,
        "ops/personal/tables.rs names every table: what is held about a user, or why nothing"
    );
    let files: BTreeSet<&str> = HELD.iter().map(|held| held.file).collect();
    assert_eq!(files.len(), HELD.len(), "each has a file of its own");
    for held in HELD {
        let words: BTreeSet<&str> =
            held.sql.split(|sign: char| !sign.is_alphanumeric() && sign != '_').collect();
        for (_, column, _) in schema.iter().filter(|(table, _, _)| table == held.table) {
            // An alias that is called as a column does not hide one that was left out: those are few and read in a review.
            let is_read = words.contains(column.as_str());
            let is_left_out = held.without.contains(&column.as_str());
            assert!(is_read || is_left_out, "{}.{column} is neither read nor left out", held.table);
        }
        for column in held.without {
            let is_there = schema.iter().any(|(table, name, _)| table == held.table && name == column);
            assert!(is_there, "{} has no column {column}", held.table);
        }
        let mut count = 0;
        tx.each_held(held, ann, |cells| {
            count += 1;
            assert_eq!(cells.len(), held.columns.len());
            Ok::<(), StoreError>(())
        })
        .await
        .unwrap();
        assert!(held.table != "users" || count == 1, "the account itself");
    }
}
