//! No table and no column of the schema is forgotten when a server moves, when a user asks what is held about them, or
//! when they leave.

use std::collections::BTreeSet;

use knotpost_model::UserKey;
use knotpost_storage::{Cell, Deletion, Driver, Kind, ReadTx, SCHEMA, StoreError, Table, Transfer};

use super::Ground;

/// Tables with their columns and kinds, as the database itself tells.
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

pub(super) async fn every_table_and_column_is_described(ground: &Ground) {
    let mut tx = ground.store.read().await.unwrap();
    let mut schema = schema(&mut tx).await;
    schema.retain(|(table, _, _)| table != "_sqlx_migrations");
    let stored: BTreeSet<(&str, &str)> =
        schema.iter().map(|(table, column, _)| (table.as_str(), column.as_str())).collect();
    let columns = || SCHEMA.iter().flat_map(|table| table.columns.iter().map(move |column| (table, column)));
    let described: BTreeSet<(&str, &str)> =
        columns().map(|(table, column)| (table.name, column.name)).collect();
    let missing: Vec<_> = stored.difference(&described).collect();
    assert!(missing.is_empty(), "knotpost-storage/schema.rs does not describe {missing:?}");
    let gone: Vec<_> = described.difference(&stored).collect();
    assert!(gone.is_empty(), "knotpost-storage/schema.rs describes what is not there: {gone:?}");
    assert_eq!(described.len(), columns().count(), "none is described twice");
    for (table, column) in columns() {
        let is = schema.iter().find(|row| row.0 == table.name && row.1 == column.name).unwrap();
        assert!(fits(column.kind, &is.2), "{}.{} is {}", table.name, column.name, is.2);
    }
    for table in SCHEMA {
        assert_eq!(keys(&mut tx, table.name).await, table.key, "the key of {}", table.name);
    }
    let files: BTreeSet<&str> = Table::personal().map(|(_, personal)| personal.file).collect();
    assert_eq!(files.len(), Table::personal().count(), "each has a file of its own");
}

/// A row of made-up values that fits the rows of the other tables with the same `number`.
pub(crate) fn made_up(table: &Table, number: i64) -> Vec<Cell> {
    let cell = |(name, kind): (&str, Kind)| match kind {
        Kind::Int if name == "id" || name.ends_with("_id") || name == "rematch_of" => Cell::Int(number),
        Kind::Int if number == 2 => Cell::Int(i64::MIN + 1),
        Kind::Int => Cell::Int(number),
        Kind::Flag => Cell::Flag(number == 1),
        Kind::Real => Cell::Real(if number == 1 { 0.1 + 0.2 } else { -1.0 / 3.0e-300 }),
        Kind::Text if number == 1 => Cell::Text(format!("{name}: Z\u{301}\"\\\r\n\t\u{7f}\u{2028}🎲")),
        // Sorts differently by bytes and by any language.
        Kind::Text => Cell::Text(format!("ä_{number}{name}")),
        Kind::Bytes => Cell::Bytes((0..=255).collect()),
    };
    table.columns.iter().map(|column| cell((column.name, column.kind))).collect()
}

/// The user's rows of each table that the archive shows: their number there, and all rows of the table.
async fn personal_rows(ground: &Ground, user: UserKey) -> Vec<(&'static str, u32, u64)> {
    let mut tx = ground.store.read().await.unwrap();
    let mut found = Vec::new();
    for (table, personal) in Table::personal() {
        let mut shown = 0;
        let each = tx.each_personal(table, &personal, user, |cells| {
            assert_eq!(cells.len(), table.fields().count());
            shown += 1;
            Ok::<(), StoreError>(())
        });
        each.await.unwrap();
        found.push((table.name, shown, tx.count_rows(table).await.unwrap()));
    }
    found
}

pub(super) async fn rows_of_a_user_go_or_stay_as_their_table_says(ground: &Ground) {
    let filled = ground.store.write(async |tx| {
        tx.empty_tables().await?;
        for table in SCHEMA.iter().filter(|table| table.transfer == Transfer::Moves || table.personal.is_ok())
        {
            let rows: Vec<_> = (1..=3).map(|number| made_up(table, number)).collect();
            tx.insert_rows(table, &rows).await?;
        }
        Ok::<_, StoreError>(())
    });
    filled.await.unwrap();
    let user = UserKey(1);
    // The made-up addresses and names in these are no user's.
    let of_nobody = ["do_not_mail", "inbox", "audit"];
    for (table, shown, rows) in personal_rows(ground, user).await {
        assert_eq!((shown, rows), (u32::from(!of_nobody.contains(&table)), 3), "{table}");
    }
    let left = ground.store.write(async move |tx| {
        tx.remove_remarks(user).await?;
        tx.forget_user(user).await
    });
    left.await.unwrap();
    let found = personal_rows(ground, user).await;
    for ((table, shown, rows), (_, personal)) in found.into_iter().zip(Table::personal()) {
        match personal.deletion {
            Deletion::Deletes(_) => assert_eq!((shown, rows), (0, 2), "{table}"),
            _ => assert_eq!(rows, 3, "{table}"),
        }
    }
    let mut tx = ground.store.read().await.unwrap();
    for name in ["remarks", "broadcasts"] {
        let table = SCHEMA.iter().find(|table| table.name == name).unwrap();
        let mut removed = Vec::new();
        let each = tx.each_row(table, |cells| {
            removed.push(cells.contains(&Cell::Text("[removed]".to_owned())));
            Ok::<(), StoreError>(())
        });
        each.await.unwrap();
        assert_eq!(removed, [true, false, false], "{name}");
    }
}
