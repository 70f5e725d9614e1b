//! Generic export and import of all tables, to transfer a server to another database.

use sqlx::AssertSqlSafe;

use crate::connection::{Argument, At, Column as _, Kind, Result, Row, Sql, StoreError, Value, values};
use crate::schema::{SCHEMA, Table};
use crate::transaction::{ReadTx, Statements, WriteTx};

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

/// A cell, with the type of its column.
impl Argument for (Kind, &Cell) {
    fn value(&self) -> Value<'_> {
        match self.1 {
            Cell::Null => Value::Null(self.0),
            Cell::Int(value) => Value::Int(*value),
            Cell::Flag(value) => Value::Flag(*value),
            Cell::Real(value) => Value::Real(*value),
            Cell::Text(value) => Value::Text(value),
            Cell::Bytes(value) => Value::Bytes(value),
        }
    }
}

fn cell(row: &Row, at: At, kind: Kind) -> Result<Cell, sqlx::Error> {
    let cell = match kind {
        Kind::Int => i64::read(row, at)?.map(Cell::Int),
        Kind::Flag => bool::read(row, at)?.map(Cell::Flag),
        Kind::Real => f64::read(row, at)?.map(Cell::Real),
        Kind::Text => String::read(row, at)?.map(Cell::Text),
        Kind::Bytes => Vec::read(row, at)?.map(Cell::Bytes),
    };
    Ok(cell.unwrap_or(Cell::Null))
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
        let sql = Sql::once(sql);
        let mut cells = Vec::with_capacity(kinds.len());
        let rows = self.admit(&sql)?.for_each(sql, &[], |row| {
            cells.clear();
            for (place, kind) in kinds.iter().enumerate() {
                cells.push(cell(row, At::Place(place), *kind).map_err(StoreError::from)?);
            }
            each(&cells)
        });
        rows.await
    }

    pub async fn count_rows(&mut self, table: &Table) -> Result<u64> {
        let sql = format!("SELECT COUNT(*) FROM {}{}", table.name, only(table));
        let rows: i64 = self.fetch_one(AssertSqlSafe(sql), &[]).await?;
        Ok(rows.unsigned_abs())
    }

    pub async fn has_rows(&mut self, table: &str) -> Result<bool> {
        let sql = format!("SELECT CAST(1 AS BIGINT) FROM {table} LIMIT 1");
        self.any(AssertSqlSafe(sql), &[]).await
    }

    /// Computer players do not count: they exist from the first start.
    pub async fn has_people(&mut self) -> Result<bool> {
        self.any("SELECT CAST(1 AS BIGINT) FROM users WHERE role <> 'bot' LIMIT 1", &[]).await
    }

    pub async fn schema_version(&mut self) -> Result<i64> {
        let sql = "SELECT MAX(version) FROM _sqlx_migrations WHERE success";
        let version: Option<i64> = self.fetch_one(sql, &[]).await?;
        version.ok_or_else(|| StoreError::Corrupt("the database has no schema".to_owned()))
    }
}

impl WriteTx {
    /// Inserts rows with their keys, in the column order of the table.
    pub async fn insert_rows(&mut self, table: &Table, rows: &[Vec<Cell>]) -> Result<()> {
        let full = (MOST_PARAMETERS / table.columns.len().max(1)).max(1);
        for chunk in rows.chunks(full) {
            let values = values(chunk.len(), table.columns.len(), self.is_postgres());
            let sql = format!("INSERT INTO {} ({}) VALUES {values}", table.name, names(table));
            let sql = if chunk.len() == full { AssertSqlSafe(sql).into() } else { Sql::once(sql) };
            let kinds = table.columns.iter().map(|column| column.kind).cycle();
            let cells: Vec<(Kind, &Cell)> = kinds.zip(chunk.iter().flatten()).collect();
            let arguments: Vec<&dyn Argument> = cells.iter().map(|cell| cell as &dyn Argument).collect();
            self.exec(sql, &arguments).await?;
        }
        Ok(())
    }

    /// Empties all tables, those not transferred included.
    pub async fn empty_tables(&mut self) -> Result<()> {
        let names = SCHEMA.iter().rev().map(|table| table.name);
        if self.is_postgres() {
            // It looks for the rows that refer to each deleted one, and not every reference has an index: of large tables
            // that takes days. Together they may be truncated, as nothing else refers to them.
            let sql = format!("TRUNCATE {}", names.collect::<Vec<_>>().join(", "));
            return self.exec(Sql::once(sql), &[]).await;
        }
        for name in names {
            self.exec(Sql::once(format!("DELETE FROM {name}")), &[]).await?;
        }
        Ok(())
    }

    /// Resets sequences beyond the highest keys and updates statistics after an import. SQLite needs neither.
    pub async fn finish_transfer(&mut self) -> Result<()> {
        if !self.is_postgres() {
            return Ok(());
        }
        for table in Table::moving().filter(|table| table.key == ["id"]) {
            let name = table.name;
            let sql = format!(
                "SELECT setval(pg_get_serial_sequence('{name}', 'id'), COALESCE(MAX(id), 0) + 1, false) FROM {name}"
            );
            self.exec(AssertSqlSafe(sql), &[]).await?;
        }
        for table in Table::moving() {
            let sql = format!("ANALYZE {}", table.name);
            self.exec(AssertSqlSafe(sql), &[]).await?;
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
