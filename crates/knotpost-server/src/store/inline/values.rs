//! Values on their way in and out, and which types of ours they are.

use std::borrow::Cow;
use std::fmt;

use rusqlite::types::ValueRef;
use sqlx_core::decode::Decode;
use sqlx_core::encode::{Encode, IsNull};
use sqlx_core::error::BoxDynError;
use sqlx_core::types::Type;

use super::InlineSqlite;

/// What SQLite stores a value as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageClass {
    /// Nothing.
    Null,
    /// A whole number of 64 bits.
    Integer,
    /// A number of 64 bits with a point that floats.
    Real,
    /// Text, in UTF-8.
    Text,
    /// Bytes.
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

/// One of several values; text and blobs are so many of the bytes kept for all of them.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Null,
    Integer(i64),
    Real(f64),
    Text(usize, usize),
    Blob(usize, usize),
}

/// Several values in two pieces of memory: parameters, or a row.
#[derive(Clone, Debug, Default)]
pub struct Values {
    slots: Vec<Slot>,
    bytes: Vec<u8>,
}

impl Values {
    /// Room for so many values, whose texts and blobs have so many bytes altogether.
    pub(super) fn with_capacity(values: usize, bytes: usize) -> Self {
        Self { slots: Vec::with_capacity(values), bytes: Vec::with_capacity(bytes) }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// How many bytes the texts and blobs have altogether.
    pub(super) fn count_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// One of them; one that is not there is `NULL`.
    pub(super) fn get(&self, index: usize) -> Seen<'_> {
        Seen(match self.slots.get(index) {
            None | Some(Slot::Null) => ValueRef::Null,
            Some(Slot::Integer(number)) => ValueRef::Integer(*number),
            Some(Slot::Real(number)) => ValueRef::Real(*number),
            Some(Slot::Text(begin, end)) => ValueRef::Text(&self.bytes[*begin..*end]),
            Some(Slot::Blob(begin, end)) => ValueRef::Blob(&self.bytes[*begin..*end]),
        })
    }

    pub(super) fn push(&mut self, value: ValueRef<'_>) {
        let slot = match value {
            ValueRef::Null => Slot::Null,
            ValueRef::Integer(number) => Slot::Integer(number),
            ValueRef::Real(number) => Slot::Real(number),
            ValueRef::Text(text) => {
                let (begin, end) = self.keep(text);
                Slot::Text(begin, end)
            }
            ValueRef::Blob(blob) => {
                let (begin, end) = self.keep(blob);
                Slot::Blob(begin, end)
            }
        };
        self.slots.push(slot);
    }

    fn keep(&mut self, bytes: &[u8]) -> (usize, usize) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        (begin, self.bytes.len())
    }
}

/// A value where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'r>(pub(super) ValueRef<'r>);

impl Seen<'_> {
    fn class(self) -> StorageClass {
        match self.0 {
            ValueRef::Null => StorageClass::Null,
            ValueRef::Integer(_) => StorageClass::Integer,
            ValueRef::Real(_) => StorageClass::Real,
            ValueRef::Text(_) => StorageClass::Text,
            ValueRef::Blob(_) => StorageClass::Blob,
        }
    }

    fn is_no(self, wanted: &str) -> BoxDynError {
        format!("{} where {wanted} was expected", self.class()).into()
    }
}

impl<'r> sqlx_core::value::ValueRef<'r> for Seen<'r> {
    type Database = InlineSqlite;

    fn to_owned(&self) -> Stored {
        let mut alone = Values::with_capacity(1, 0);
        alone.push(self.0);
        Stored(alone)
    }

    fn type_info(&self) -> Cow<'_, StorageClass> {
        Cow::Owned(self.class())
    }

    fn is_null(&self) -> bool {
        self.class() == StorageClass::Null
    }
}

/// A value by itself.
#[derive(Clone, Debug)]
pub struct Stored(Values);

impl sqlx_core::value::Value for Stored {
    type Database = InlineSqlite;

    fn as_ref(&self) -> Seen<'_> {
        self.0.get(0)
    }

    fn type_info(&self) -> Cow<'_, StorageClass> {
        Cow::Owned(self.0.get(0).class())
    }

    fn is_null(&self) -> bool {
        self.0.get(0).class() == StorageClass::Null
    }
}

/// The parameters of a statement.
#[derive(Clone, Debug, Default)]
pub struct Arguments(pub(super) Values);

impl sqlx_core::arguments::Arguments for Arguments {
    type Database = InlineSqlite;

    fn reserve(&mut self, additional: usize, _: usize) {
        self.0.slots.reserve(additional);
    }

    fn add<'t, T>(&mut self, value: T) -> Result<(), BoxDynError>
    where
        T: Encode<'t, InlineSqlite> + Type<InlineSqlite>,
    {
        if value.encode(&mut self.0)?.is_null() {
            self.0.push(ValueRef::Null);
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// A type of ours that SQLite stores as one of its own: how it goes in, as which, and how it comes out.
macro_rules! stored {
    ($type:ty, $class:ident, $value:ident => $inward:expr, $seen:pat => $outward:expr) => {
        impl Type<InlineSqlite> for $type {
            fn type_info() -> StorageClass {
                StorageClass::$class
            }
        }

        impl Encode<'_, InlineSqlite> for $type {
            fn encode_by_ref(&self, values: &mut Values) -> Result<IsNull, BoxDynError> {
                let $value = self;
                values.push($inward);
                Ok(IsNull::No)
            }
        }

        impl Decode<'_, InlineSqlite> for $type {
            fn decode(seen: Seen<'_>) -> Result<Self, BoxDynError> {
                match seen.0 {
                    $seen => Ok($outward),
                    _ => Err(seen.is_no(stringify!($type))),
                }
            }
        }
    };
}

stored!(i64, Integer, number => ValueRef::Integer(*number), ValueRef::Integer(number) => number);
stored!(i32, Integer, number => ValueRef::Integer(i64::from(*number)), ValueRef::Integer(number) => number.try_into()?);
stored!(bool, Integer, flag => ValueRef::Integer(i64::from(*flag)), ValueRef::Integer(number) => number != 0);
stored!(f64, Real, number => ValueRef::Real(*number), ValueRef::Real(number) => number);
stored!(String, Text, text => ValueRef::Text(text.as_bytes()), ValueRef::Text(text) => std::str::from_utf8(text)?.to_owned());
stored!(Vec<u8>, Blob, blob => ValueRef::Blob(blob), ValueRef::Blob(blob) => blob.to_vec());

impl Type<InlineSqlite> for str {
    fn type_info() -> StorageClass {
        StorageClass::Text
    }
}

impl<'q> Encode<'q, InlineSqlite> for &'q str {
    fn encode_by_ref(&self, values: &mut Values) -> Result<IsNull, BoxDynError> {
        values.push(ValueRef::Text(self.as_bytes()));
        Ok(IsNull::No)
    }
}

impl Type<InlineSqlite> for [u8] {
    fn type_info() -> StorageClass {
        StorageClass::Blob
    }
}

impl<'q> Encode<'q, InlineSqlite> for &'q [u8] {
    fn encode_by_ref(&self, values: &mut Values) -> Result<IsNull, BoxDynError> {
        values.push(ValueRef::Blob(self));
        Ok(IsNull::No)
    }
}
