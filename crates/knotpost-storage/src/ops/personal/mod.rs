//! What the tables hold about one user, read for the archive that the user or an operator asks for.

mod tables;

use super::transfer::{Cell, Kind};
use crate::connection::StoreError;
use crate::transaction::ReadTx;
use knotpost_model::UserKey;

pub use tables::{HELD, Held, NOT_HELD, Shown};

impl Shown {
    /// How a value of this sort is stored.
    pub fn kind(self) -> Kind {
        match self {
            Self::Number | Self::Time => Kind::Int,
            Self::Flag => Kind::Flag,
            Self::Real => Kind::Real,
            Self::Text | Self::Host | Self::Masked => Kind::Text,
            Self::Mail => Kind::Bytes,
        }
    }
}

impl ReadTx {
    /// Hands what a table holds about a user to `each`, row by row, without collecting the rows. Each has the cells of
    /// [`Held::columns`].
    ///
    /// # Errors
    /// Those of `each`, which end the reading, and those of the database.
    pub async fn each_held<E: From<StoreError>>(
        &mut self,
        held: &Held,
        user: UserKey,
        mut each: impl FnMut(&[Cell]) -> Result<(), E>,
    ) -> Result<(), E> {
        let kinds: Vec<Kind> = held.columns.iter().map(|(_, shown)| shown.kind()).collect();
        // A number: there is nothing to quote.
        let sql = held.sql.replace("$1", &user.0.to_string());
        self.each_row_of(sql, &kinds, &mut each).await
    }
}
