//! Personal data of a user, read for the archive.

mod tables;

use super::transfer::Cell;
use crate::connection::{Kind, StoreError};
use crate::transaction::ReadTx;
use knotpost_model::UserKey;

pub use tables::{HELD, Held, NOT_HELD, Shown};

impl Shown {
    pub fn kind(self) -> Kind {
        match self {
            Self::Number | Self::Time => Kind::Int,
            Self::Flag => Kind::Flag,
            Self::Real => Kind::Real,
            Self::Text | Self::Host | Self::Masked | Self::Letter => Kind::Text,
        }
    }
}

impl ReadTx {
    /// Streams the rows of a table about a user to `each`, with the cells of [`Held::columns`]. Its errors
    /// end the reading.
    pub async fn each_held<E: From<StoreError>>(
        &mut self,
        held: &Held,
        user: UserKey,
        mut each: impl FnMut(&[Cell]) -> Result<(), E>,
    ) -> Result<(), E> {
        let kinds: Vec<Kind> = held.columns.iter().map(|(_, shown)| shown.kind()).collect();
        // A number needs no quoting.
        let sql = held.sql.replace("$1", &user.0.to_string());
        self.each_row_of(sql, &kinds, &mut each).await
    }
}
