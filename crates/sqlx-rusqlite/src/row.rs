//! Result rows and their columns.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx_core::column::ColumnIndex;
use sqlx_core::error::Error;

use crate::{Rusqlite, RusqliteValueRef, StorageClass, ValueBuffer};

/// A result column: its name and position. It has no type of its own; SQLite types values, not columns.
#[derive(Clone, Debug)]
pub struct RusqliteColumn {
    ordinal: usize,
    name: String,
}

impl sqlx_core::column::Column for RusqliteColumn {
    type Database = Rusqlite;

    fn ordinal(&self) -> usize {
        self.ordinal
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn type_info(&self) -> &StorageClass {
        &StorageClass::Null
    }
}

/// The upper bound of [`Columns::row_bytes_hint`], so that one large row does not make every later row reserve as much.
const MAX_ROW_BYTES_HINT: usize = 1024;

/// The result columns of a statement, shared by its rows.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    pub(crate) list: Vec<RusqliteColumn>,
    by_name: HashMap<String, usize, foldhash::fast::RandomState>,
    /// The bytes of text and blobs in the last row: the size to reserve for the next one.
    row_bytes_hint: AtomicUsize,
}

impl Columns {
    pub(crate) fn of(statement: &rusqlite::Statement<'_>) -> Self {
        let names = statement.column_names().into_iter().enumerate();
        let list: Vec<RusqliteColumn> =
            names.map(|(ordinal, name)| RusqliteColumn { ordinal, name: name.to_owned() }).collect();
        let by_name = list.iter().map(|column| (column.name.clone(), column.ordinal)).collect();
        Self { list, by_name, row_bytes_hint: AtomicUsize::new(0) }
    }
}

/// A result row. It owns its values: it outlives the statement and may cross threads.
#[derive(Debug)]
pub struct RusqliteRow {
    columns: Arc<Columns>,
    values: ValueBuffer,
    /// The column after the one last read by name. Most callers read columns in the order of the statement, so this one
    /// is compared first, which saves the hash lookup.
    next: AtomicUsize,
}

impl RusqliteRow {
    /// Copies the current row of a statement.
    pub(crate) fn copy(row: &rusqlite::Row<'_>, columns: &Arc<Columns>) -> rusqlite::Result<Self> {
        let bytes = columns.row_bytes_hint.load(Ordering::Relaxed);
        let mut values = ValueBuffer::with_capacity(columns.list.len(), bytes);
        for index in 0..columns.list.len() {
            values.push(row.get_ref(index)?);
        }
        columns.row_bytes_hint.store(values.byte_len().min(MAX_ROW_BYTES_HINT), Ordering::Relaxed);
        Ok(Self { columns: Arc::clone(columns), values, next: AtomicUsize::new(0) })
    }
}

impl sqlx_core::row::Row for RusqliteRow {
    type Database = Rusqlite;

    fn columns(&self) -> &[RusqliteColumn] {
        &self.columns.list
    }

    fn try_get_raw<I: ColumnIndex<Self>>(&self, index: I) -> Result<RusqliteValueRef<'_>, Error> {
        Ok(self.values.get(index.index(self)?))
    }
}

impl ColumnIndex<RusqliteRow> for &str {
    fn index(&self, row: &RusqliteRow) -> Result<usize, Error> {
        let next = row.next.load(Ordering::Relaxed);
        let index = match row.columns.list.get(next).filter(|column| column.name == *self) {
            Some(_) => next,
            None => {
                *row.columns.by_name.get(*self).ok_or_else(|| Error::ColumnNotFound((*self).to_owned()))?
            }
        };
        row.next.store(index + 1, Ordering::Relaxed);
        Ok(index)
    }
}
