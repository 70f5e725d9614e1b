//! Rust types that can be bound and read, and their storage classes.
//!
//! Decoding is strict: a value of another storage class is an error, never converted. A `bool` reads as
//! `number != 0`.

use rusqlite::types::ValueRef;
use sqlx_core::decode::Decode;
use sqlx_core::encode::{Encode, IsNull};
use sqlx_core::error::BoxDynError;
use sqlx_core::types::Type;

use crate::{Rusqlite, RusqliteValueRef, StorageClass, ValueBuffer};

/// Implements [`Type`], [`Encode`] and [`Decode`]: `Rust type, storage class, value => encoded, pattern => decoded`.
macro_rules! impl_type {
    ($type:ty, $class:ident, $value:ident => $encoded:expr, $stored:pat => $decoded:expr) => {
        impl Type<Rusqlite> for $type {
            fn type_info() -> StorageClass {
                StorageClass::$class
            }
        }

        impl Encode<'_, Rusqlite> for $type {
            fn encode_by_ref(&self, buffer: &mut ValueBuffer) -> Result<IsNull, BoxDynError> {
                let $value = self;
                buffer.push($encoded);
                Ok(IsNull::No)
            }
        }

        impl Decode<'_, Rusqlite> for $type {
            fn decode(value: RusqliteValueRef<'_>) -> Result<Self, BoxDynError> {
                match value.0 {
                    $stored => Ok($decoded),
                    _ => Err(value.mismatch(stringify!($type))),
                }
            }
        }
    };
}

impl_type!(i64, Integer, number => ValueRef::Integer(*number), ValueRef::Integer(number) => number);
impl_type!(i32, Integer, number => ValueRef::Integer(i64::from(*number)), ValueRef::Integer(number) => number.try_into()?);
impl_type!(bool, Integer, flag => ValueRef::Integer(i64::from(*flag)), ValueRef::Integer(number) => number != 0);
impl_type!(f64, Real, number => ValueRef::Real(*number), ValueRef::Real(number) => number);
impl_type!(String, Text, text => ValueRef::Text(text.as_bytes()), ValueRef::Text(text) => std::str::from_utf8(text)?.to_owned());
impl_type!(Vec<u8>, Blob, blob => ValueRef::Blob(blob), ValueRef::Blob(blob) => blob.to_vec());

impl Type<Rusqlite> for str {
    fn type_info() -> StorageClass {
        StorageClass::Text
    }
}

impl<'q> Encode<'q, Rusqlite> for &'q str {
    fn encode_by_ref(&self, buffer: &mut ValueBuffer) -> Result<IsNull, BoxDynError> {
        buffer.push(ValueRef::Text(self.as_bytes()));
        Ok(IsNull::No)
    }
}

impl Type<Rusqlite> for [u8] {
    fn type_info() -> StorageClass {
        StorageClass::Blob
    }
}

impl<'q> Encode<'q, Rusqlite> for &'q [u8] {
    fn encode_by_ref(&self, buffer: &mut ValueBuffer) -> Result<IsNull, BoxDynError> {
        buffer.push(ValueRef::Blob(self));
        Ok(IsNull::No)
    }
}
