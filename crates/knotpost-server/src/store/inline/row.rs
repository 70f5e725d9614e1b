//! What comes back.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx_core::column::ColumnIndex;
use sqlx_core::error::Error;

use super::InlineSqlite;
use super::values::{Seen, StorageClass, Values};

/// A column of what comes back. SQLite's have no type; each value has one.
#[derive(Clone, Debug)]
pub struct Column {
    ordinal: usize,
    name: String,
}

impl sqlx_core::column::Column for Column {
    type Database = InlineSqlite;

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

/// The columns of a statement.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) list: Vec<Column>,
    by_name: HashMap<String, usize, foldhash::fast::RandomState>,
    /// So many bytes the texts and blobs of the last row had, which the next will be much like.
    bytes: AtomicUsize,
}

/// Room for more bytes is made only when they come.
const MOST_FORESEEN: usize = 1024;

impl Columns {
    pub(super) fn of(statement: &rusqlite::Statement<'_>) -> Self {
        let named = statement.column_names().into_iter().enumerate();
        let list: Vec<Column> =
            named.map(|(ordinal, name)| Column { ordinal, name: name.to_owned() }).collect();
        let by_name = list.iter().map(|column| (column.name.clone(), column.ordinal)).collect();
        Self { list, by_name, bytes: AtomicUsize::new(0) }
    }
}

/// A row, its values copied.
#[derive(Debug)]
pub struct Row {
    columns: Arc<Columns>,
    values: Values,
    /// The column behind the one that was asked for last: most structs have theirs in the order of the question.
    next: AtomicUsize,
}

impl Row {
    pub(super) fn copy(row: &rusqlite::Row<'_>, columns: &Arc<Columns>) -> rusqlite::Result<Self> {
        let foreseen = columns.bytes.load(Ordering::Relaxed);
        let mut values = Values::with_capacity(columns.list.len(), foreseen);
        for index in 0..columns.list.len() {
            values.push(row.get_ref(index)?);
        }
        columns.bytes.store(values.count_bytes().min(MOST_FORESEEN), Ordering::Relaxed);
        Ok(Self { columns: Arc::clone(columns), values, next: AtomicUsize::new(0) })
    }
}

impl sqlx_core::row::Row for Row {
    type Database = InlineSqlite;

    fn columns(&self) -> &[Column] {
        &self.columns.list
    }

    fn try_get_raw<I: ColumnIndex<Self>>(&self, index: I) -> Result<Seen<'_>, Error> {
        Ok(self.values.get(index.index(self)?))
    }
}

impl ColumnIndex<Row> for &str {
    fn index(&self, row: &Row) -> Result<usize, Error> {
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
