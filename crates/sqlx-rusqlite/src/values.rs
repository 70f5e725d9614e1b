//! SQLite values in memory: bound parameters, rows, and single values.

use std::borrow::Cow;
use std::fmt;

use rusqlite::types::ValueRef;
use sqlx_core::error::BoxDynError;

use crate::Rusqlite;

/// SQLite's storage classes: the type of a value. Columns have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageClass {
    /// The `NULL` value.
    Null,
    /// A signed 64-bit integer; booleans are stored as 0 and 1.
    Integer,
    /// A 64-bit IEEE floating-point number.
    Real,
    /// Text in UTF-8.
    Text,
    /// Bytes, stored as they were bound.
    Blob,
}

impl fmt::Display for StorageClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(sqlx_core::type_info::TypeInfo::name(self))
    }
}

impl sqlx_core::type_info::TypeInfo for StorageClass {
    fn is_null(&self) -> bool {
        *self == Self::Null
    }

    fn name(&self) -> &str {
        match self {
            Self::Null => "NULL",
            Self::Integer => "INTEGER",
            Self::Real => "REAL",
            Self::Text => "TEXT",
            Self::Blob => "BLOB",
        }
    }
}

/// One value of a [`ValueBuffer`]. Text and blobs are a range of the buffer's bytes.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Null,
    Integer(i64),
    Real(f64),
    Text { start: usize, end: usize },
    Blob { start: usize, end: usize },
}

/// A list of values in two allocations, whatever its length: the parameters of a statement, or one row.
#[derive(Clone, Debug, Default)]
pub struct ValueBuffer {
    slots: Vec<Slot>,
    bytes: Vec<u8>,
}

impl ValueBuffer {
    /// A buffer with space for `values` values whose texts and blobs take `bytes` bytes in total.
    pub(crate) fn with_capacity(values: usize, bytes: usize) -> Self {
        Self { slots: Vec::with_capacity(values), bytes: Vec::with_capacity(bytes) }
    }

    pub(crate) fn reserve(&mut self, values: usize) {
        self.slots.reserve(values);
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The total size of all texts and blobs in bytes.
    pub(crate) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// The value at `index`, counted from 0. A value beyond the end is `NULL`.
    pub(crate) fn get(&self, index: usize) -> RusqliteValueRef<'_> {
        RusqliteValueRef(match self.slots.get(index) {
            None | Some(Slot::Null) => ValueRef::Null,
            Some(Slot::Integer(number)) => ValueRef::Integer(*number),
            Some(Slot::Real(number)) => ValueRef::Real(*number),
            Some(Slot::Text { start, end }) => ValueRef::Text(&self.bytes[*start..*end]),
            Some(Slot::Blob { start, end }) => ValueRef::Blob(&self.bytes[*start..*end]),
        })
    }

    /// Appends a copy of `value`.
    pub(crate) fn push(&mut self, value: ValueRef<'_>) {
        let slot = match value {
            ValueRef::Null => Slot::Null,
            ValueRef::Integer(number) => Slot::Integer(number),
            ValueRef::Real(number) => Slot::Real(number),
            ValueRef::Text(text) => {
                let (start, end) = self.append_bytes(text);
                Slot::Text { start, end }
            }
            ValueRef::Blob(blob) => {
                let (start, end) = self.append_bytes(blob);
                Slot::Blob { start, end }
            }
        };
        self.slots.push(slot);
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> (usize, usize) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        (start, self.bytes.len())
    }
}

/// A borrowed value of a row.
#[derive(Clone, Copy, Debug)]
pub struct RusqliteValueRef<'r>(pub(crate) ValueRef<'r>);

impl RusqliteValueRef<'_> {
    fn class(self) -> StorageClass {
        match self.0 {
            ValueRef::Null => StorageClass::Null,
            ValueRef::Integer(_) => StorageClass::Integer,
            ValueRef::Real(_) => StorageClass::Real,
            ValueRef::Text(_) => StorageClass::Text,
            ValueRef::Blob(_) => StorageClass::Blob,
        }
    }

    /// The error of decoding this value as `expected`, a type of another storage class.
    pub(crate) fn mismatch(self, expected: &str) -> BoxDynError {
        format!("{} where {expected} was expected", self.class()).into()
    }
}

impl<'r> sqlx_core::value::ValueRef<'r> for RusqliteValueRef<'r> {
    type Database = Rusqlite;

    fn to_owned(&self) -> RusqliteValue {
        let mut values = ValueBuffer::with_capacity(1, 0);
        values.push(self.0);
        RusqliteValue(values)
    }

    fn type_info(&self) -> Cow<'_, StorageClass> {
        Cow::Owned(self.class())
    }

    fn is_null(&self) -> bool {
        self.class() == StorageClass::Null
    }
}

/// An owned value, independent of the row it was copied from.
#[derive(Clone, Debug)]
pub struct RusqliteValue(ValueBuffer);

impl sqlx_core::value::Value for RusqliteValue {
    type Database = Rusqlite;

    fn as_ref(&self) -> RusqliteValueRef<'_> {
        self.0.get(0)
    }

    fn type_info(&self) -> Cow<'_, StorageClass> {
        Cow::Owned(self.0.get(0).class())
    }

    fn is_null(&self) -> bool {
        self.0.get(0).class() == StorageClass::Null
    }
}
