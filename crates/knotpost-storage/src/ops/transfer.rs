//! Generic export and import of all tables, to transfer a server to another database.

mod tables;

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Row as _};

use crate::connection::{Driver, StoreError, on};
use crate::transaction::{ReadTx, WriteTx};

pub use tables::{Column, Kind, STAYING, Staying, TABLES, Table};

/// Parameters per statement; SQLite takes 32,766, PostgreSQL 65,535.
const MOST_PARAMETERS: usize = 8_000;

#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    Flag(bool),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

macro_rules! cell {
    ($row:expr, $index:expr, $kind:expr) => {
        match $kind {
            Kind::Int => $row.try_get::<Option<i64>, _>($index).map(|value| value.map(Cell::Int)),
            Kind::Flag => $row.try_get::<Option<bool>, _>($index).map(|value| value.map(Cell::Flag)),
            Kind::Real => $row.try_get::<Option<f64>, _>($index).map(|value| value.map(Cell::Real)),
            Kind::Text => $row.try_get::<Option<String>, _>($index).map(|value| value.map(Cell::Text)),
            Kind::Bytes => $row.try_get::<Option<Vec<u8>>, _>($index).map(|value| value.map(Cell::Bytes)),
        }
        .map(|value| value.unwrap_or(Cell::Null))
    };
}

/// Binds one value; NULL gets the type of its column.
macro_rules! bind {
    ($query:expr, $kind:expr, $cell:expr) => {
        match ($kind, $cell) {
            (_, Cell::Int(value)) => $query.bind(*value),
            (_, Cell::Flag(value)) => $query.bind(*value),
            (_, Cell::Real(value)) => $query.bind(*value),
            (_, Cell::Text(value)) => $query.bind(value.as_str()),
            (_, Cell::Bytes(value)) => $query.bind(value.as_slice()),
            (Kind::Int, Cell::Null) => $query.bind(None::<i64>),
            (Kind::Flag, Cell::Null) => $query.bind(None::<bool>),
            (Kind::Real, Cell::Null) => $query.bind(None::<f64>),
            (Kind::Text, Cell::Null) => $query.bind(None::<&str>),
            (Kind::Bytes, Cell::Null) => $query.bind(None::<&[u8]>),
        }
    };
}

impl ReadTx {
    /// Streams every row of a table to `each`, by key. Its errors end the reading.
    pub async fn each_row<E: From<StoreError>>(
        &mut self,
        table: &Table,
        mut each: impl FnMut(&[Cell]) -> Result<(), E>,
    ) -> Result<(), E> {
        let kinds: Vec<Kind> = table.columns.iter().map(|column| column.kind).collect();
        let sql = select_text(table, self.is_postgres());
        self.each_row_of(sql, &kinds, &mut each).await
    }

    pub(super) async fn each_row_of<E: From<StoreError>>(
        &mut self,
        sql: String,
        kinds: &[Kind],
        each: &mut impl FnMut(&[Cell]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut cells = Vec::with_capacity(kinds.len());
        let mut hand_over = |read: &dyn Fn(usize, Kind) -> Result<Cell, sqlx::Error>| {
            cells.clear();
            for (index, kind) in kinds.iter().enumerate() {
                cells.push(read(index, *kind).map_err(StoreError::from)?);
            }
            each(&cells)
        };
        on!(self, c => {
            let mut rows = sqlx::query(AssertSqlSafe(sql)).persistent(false).fetch(c);
            while let Some(row) = rows.try_next().await.map_err(StoreError::from)? {
                hand_over(&|index, kind| cell!(row, index, kind))?;
            }
        });
        Ok(())
    }

    pub async fn count_rows(&mut self, table: &Table) -> Result<u64, StoreError> {
        let sql = format!("SELECT COUNT(*) FROM {}{}", table.name, only(table));
        let rows: i64 = on!(self, c => sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(c).await)?;
        Ok(rows.unsigned_abs())
    }

    pub async fn has_rows(&mut self, table: &str) -> Result<bool, StoreError> {
        let sql = format!("SELECT CAST(1 AS BIGINT) FROM {table} LIMIT 1");
        let row: Option<i64> =
            on!(self, c => sqlx::query_scalar(AssertSqlSafe(sql)).fetch_optional(c).await)?;
        Ok(row.is_some())
    }

    /// Computer players do not count: they exist from the first start.
    pub async fn has_people(&mut self) -> Result<bool, StoreError> {
        let sql = "SELECT CAST(1 AS BIGINT) FROM users WHERE role <> 'bot' LIMIT 1";
        let row: Option<i64> = on!(self, c => sqlx::query_scalar(sql).fetch_optional(c).await)?;
        Ok(row.is_some())
    }

    pub async fn schema_version(&mut self) -> Result<i64, StoreError> {
        let sql = "SELECT MAX(version) FROM _sqlx_migrations WHERE success";
        let version: Option<i64> = on!(self, c => sqlx::query_scalar(sql).fetch_one(c).await)?;
        version.ok_or_else(|| StoreError::Corrupt("the database has no schema".to_owned()))
    }
}

impl WriteTx {
    /// Inserts rows with their keys, in the column order of the table.
    pub async fn insert_rows(&mut self, table: &Table, rows: &[Vec<Cell>]) -> Result<(), StoreError> {
        // SQLite searches all parameters for a numbered one.
        let numbered = self.is_postgres();
        let full = (MOST_PARAMETERS / table.columns.len().max(1)).max(1);
        for chunk in rows.chunks(full) {
            let sql =
                insert_text(
                    table,
                    chunk.len(),
                    |number| if numbered { format!("${number}") } else { "?".to_owned() },
                );
            on!(self.writing(), c => {
                let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(chunk.len() == full);
                for row in chunk {
                    for (column, cell) in table.columns.iter().zip(row) {
                        query = bind!(query, column.kind, cell);
                    }
                }
                query.execute(c).await.map(drop)
            })?;
        }
        Ok(())
    }

    /// Empties all tables, those not transferred included.
    pub async fn empty_tables(&mut self) -> Result<(), StoreError> {
        let staying = STAYING.iter().map(|table| table.name).filter(|name| *name != "_sqlx_migrations");
        let names = staying.chain(TABLES.iter().rev().map(|table| table.name));
        if let Driver::Postgres(connection) = self.writing().driver() {
            // It looks for the rows that refer to each deleted one, and not every reference has an index: of large tables
            // that takes days. Together they may be truncated, as nothing else refers to them.
            let sql = format!("TRUNCATE {}", names.collect::<Vec<_>>().join(", "));
            sqlx::query(AssertSqlSafe(sql)).persistent(false).execute(&mut *connection).await?;
            return Ok(());
        }
        for name in names {
            let sql = format!("DELETE FROM {name}");
            on!(self.writing(), c => sqlx::query(AssertSqlSafe(sql)).persistent(false).execute(c).await.map(drop))?;
        }
        Ok(())
    }

    /// Resets sequences beyond the highest keys and updates statistics after an import. SQLite needs neither.
    pub async fn finish_transfer(&mut self) -> Result<(), StoreError> {
        let Driver::Postgres(connection) = self.writing().driver() else { return Ok(()) };
        for table in TABLES.iter().filter(|table| table.key == ["id"]) {
            let name = table.name;
            let sql = format!(
                "SELECT setval(pg_get_serial_sequence('{name}', 'id'), COALESCE(MAX(id), 0) + 1, false) FROM {name}"
            );
            sqlx::query(AssertSqlSafe(sql)).execute(&mut *connection).await?;
        }
        for table in TABLES {
            let sql = format!("ANALYZE {}", table.name);
            sqlx::query(AssertSqlSafe(sql)).execute(&mut *connection).await?;
        }
        Ok(())
    }
}

/// Excludes the import's own progress record, which belongs to its database.
fn only(table: &Table) -> &'static str {
    if table.name == "server_facts" { " WHERE name <> 'import'" } else { "" }
}

fn names(table: &Table) -> String {
    let quoted: Vec<String> = table.columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
    quoted.join(", ")
}

/// Sorts text by bytes on both databases, whatever the collation of the cluster.
fn select_text(table: &Table, is_postgres: bool) -> String {
    let is_text =
        |name: &str| table.columns.iter().any(|column| column.name == name && column.kind == Kind::Text);
    let order: Vec<String> = table
        .key
        .iter()
        .map(|name| {
            let collation = if is_postgres && is_text(name) { " COLLATE \"C\"" } else { "" };
            format!("\"{name}\"{collation}")
        })
        .collect();
    format!("SELECT {} FROM {}{} ORDER BY {}", names(table), table.name, only(table), order.join(", "))
}

fn insert_text(table: &Table, rows: usize, parameter: impl Fn(usize) -> String) -> String {
    let mut sql = format!("INSERT INTO {} ({}) VALUES ", table.name, names(table));
    let mut number = 0;
    for row in 0..rows {
        sql.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..table.columns.len() {
            number += 1;
            sql.push_str(if column == 0 { "" } else { ", " });
            sql.push_str(&parameter(number));
        }
        sql.push(')');
    }
    sql
}
