//! The bound parameters of a statement.

use rusqlite::types::ValueRef;
use sqlx_core::encode::Encode;
use sqlx_core::error::BoxDynError;
use sqlx_core::types::Type;

use crate::{Rusqlite, ValueBuffer};

/// The bound parameters of a statement, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct RusqliteArguments(pub(crate) ValueBuffer);

impl sqlx_core::arguments::Arguments for RusqliteArguments {
    type Database = Rusqlite;

    fn reserve(&mut self, additional: usize, _size: usize) {
        self.0.reserve(additional);
    }

    fn add<'t, T>(&mut self, value: T) -> Result<(), BoxDynError>
    where
        T: Encode<'t, Rusqlite> + Type<Rusqlite>,
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
