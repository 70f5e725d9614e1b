//! Values as both databases store them: arguments of statements, and columns of rows.

use rusqlite::types::FromSql;
use sqlx::error::{BoxDynError, UnexpectedNullError};
use sqlx::{Decode, Row as _, Type};
use sqlx_postgres::{PgRow, Postgres};

use knotpost_model::{
    BoardKey, BoardState, BounceKind, InboxKey, LeaveReason, Millis, MoveKind, OutboxKey, PlayerState,
    ProposalKind, Relation, RemarkKey, RemarkKind, SeatState, TournamentAction, TournamentForm,
    TournamentName, TournamentState, UserKey,
};

use super::sqlite::SqliteRow;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    Flag,
    Real,
    Text,
    Bytes,
}

/// Value of an argument, as the drivers take it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    /// PostgreSQL wants to know the type.
    Null(Kind),
    Int(i64),
    /// For PostgreSQL's functions that count characters.
    Short(i32),
    Flag(bool),
    Real(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// An argument of a statement.
pub(crate) trait Argument: Sync {
    fn value(&self) -> Value<'_>;
}

/// An argument whose type tells that of its column, so that it may be missing.
pub(crate) trait Nullable: Argument {
    const KIND: Kind;
}

#[derive(Debug)]
pub(crate) enum Row<'r> {
    Sqlite(SqliteRow<'r>),
    Postgres(PgRow),
}

/// Position of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    Name(&'static str),
    Place(usize),
}

impl Row<'_> {
    /// Reads a value of the drivers; `None`: NULL.
    fn get<T>(&self, at: At) -> Result<Option<T>, sqlx::Error>
    where
        T: FromSql + for<'r> Decode<'r, Postgres> + Type<Postgres>,
    {
        match self {
            Self::Sqlite(row) => row.get(at).map_err(|error| undecodable(at, error)),
            Self::Postgres(row) => match at {
                At::Name(name) => row.try_get(name),
                At::Place(place) => row.try_get(place),
            },
        }
    }

    /// Reads what the statement returns.
    pub(crate) fn decode<T: FromRow>(&self) -> Result<T, sqlx::Error> {
        T::from_row(self, At::Place(0))
    }

    /// Reads the column of this name.
    pub(crate) fn read<T: FromRow>(&self, name: &'static str) -> Result<T, sqlx::Error> {
        T::from_row(self, At::Name(name))
    }
}

/// A value of one column.
pub(crate) trait Column: Sized + Send {
    /// `None`: NULL.
    fn read(row: &Row, at: At) -> Result<Option<Self>, sqlx::Error>;
}

/// Result of a statement, read from a row: a value, several in a tuple, or a struct declared by `row!`.
pub(crate) trait FromRow: Sized + Send {
    /// Tuples begin with the first column, and structs name theirs, whatever `at` says.
    fn from_row(row: &Row, at: At) -> Result<Self, sqlx::Error>;
}

impl<T: Column> FromRow for T {
    fn from_row(row: &Row, at: At) -> Result<Self, sqlx::Error> {
        T::read(row, at)?.ok_or_else(|| undecodable(at, UnexpectedNullError))
    }
}

impl<T: Column> FromRow for Option<T> {
    fn from_row(row: &Row, at: At) -> Result<Self, sqlx::Error> {
        T::read(row, at)
    }
}

/// Leaves the row unread.
impl FromRow for () {
    fn from_row(_: &Row, _: At) -> Result<Self, sqlx::Error> {
        Ok(())
    }
}

macro_rules! tuples {
    ($($($place:literal $column:ident),+;)+) => {$(
        impl<$($column: FromRow),+> FromRow for ($($column),+) {
            fn from_row(row: &Row, _: At) -> Result<Self, sqlx::Error> {
                Ok(($($column::from_row(row, At::Place($place))?),+))
            }
        }
    )+};
}
tuples! {
    0 A, 1 B;
    0 A, 1 B, 2 C;
    0 A, 1 B, 2 C, 3 D;
    0 A, 1 B, 2 C, 3 D, 4 E;
}

/// Declares a struct that is read from rows: each field from the column of its name, or the one behind `as`. A field that
/// is such a struct itself is read from the same row.
macro_rules! row {
    ($(#[$of_struct:meta])* $visibility:vis struct $name:ident {
        $($(#[$of_field:meta])* $field_visibility:vis $field:ident: $type:ty $(as $column:literal)?),+ $(,)?
    }) => {
        $(#[$of_struct])*
        $visibility struct $name {
            $($(#[$of_field])* $field_visibility $field: $type),+
        }

        impl crate::connection::FromRow for $name {
            fn from_row(
                row: &crate::connection::Row,
                _: crate::connection::At,
            ) -> Result<Self, sqlx::Error> {
                Ok(Self { $($field: row.read(crate::connection::row!(@ $field $($column)?))?),+ })
            }
        }
    };
    (@ $field:ident) => { stringify!($field) };
    (@ $field:ident $column:literal) => { $column };
}
pub(crate) use row;

pub(crate) fn undecodable(at: At, source: impl Into<BoxDynError>) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: format!("{at:?}"), source: source.into() }
}

macro_rules! arguments {
    ($($type:ty: $kind:ident |$value:ident| $as:expr;)+) => {$(
        impl Nullable for $type {
            const KIND: Kind = Kind::$kind;
        }

        impl Argument for $type {
            fn value(&self) -> Value<'_> {
                let $value = self;
                $as
            }
        }
    )+};
}
arguments! {
    i64: Int |value| Value::Int(*value);
    u32: Int |value| Value::Int(i64::from(*value));
    i32: Int |value| Value::Short(*value);
    bool: Flag |value| Value::Flag(*value);
    f64: Real |value| Value::Real(*value);
    String: Text |value| Value::Text(value);
    &str: Text |value| Value::Text(value);
    Vec<u8>: Bytes |value| Value::Bytes(value);
    &[u8]: Bytes |value| Value::Bytes(value);
    [u8; 32]: Bytes |value| Value::Bytes(value);
    BounceKind: Text |value| Value::Text(value.as_str());
}

impl<T: Nullable> Argument for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null(T::KIND), T::value)
    }
}

macro_rules! columns {
    ($($type:ty),+) => {$(
        impl Column for $type {
            fn read(row: &Row, at: At) -> Result<Option<Self>, sqlx::Error> {
                row.get(at)
            }
        }
    )+};
}
columns!(i64, bool, f64, String, Vec<u8>);

impl Column for u32 {
    fn read(row: &Row, at: At) -> Result<Option<Self>, sqlx::Error> {
        let number = i64::read(row, at)?.map(Self::try_from);
        number.transpose().map_err(|error| undecodable(at, error))
    }
}

macro_rules! numbers {
    ($($number:ident),+) => {$(
        arguments! { $number: Int |value| Value::Int(value.0); }

        impl Column for $number {
            fn read(row: &Row, at: At) -> Result<Option<Self>, sqlx::Error> {
                Ok(i64::read(row, at)?.map(Self))
            }
        }
    )+};
}
numbers!(UserKey, BoardKey, RemarkKey, InboxKey, OutboxKey, TournamentName, Millis);

/// Has an enum stored as the word that its `as_str` gives.
macro_rules! words {
    ($($word:ident),+) => {$(
        impl crate::connection::Nullable for $word {
            const KIND: crate::connection::Kind = crate::connection::Kind::Text;
        }

        impl crate::connection::Argument for $word {
            fn value(&self) -> crate::connection::Value<'_> {
                crate::connection::Value::Text(self.as_str())
            }
        }

        impl crate::connection::Column for $word {
            fn read(
                row: &crate::connection::Row,
                at: crate::connection::At,
            ) -> Result<Option<Self>, sqlx::Error> {
                let word = <String as crate::connection::Column>::read(row, at)?.map(Self::try_from);
                word.transpose().map_err(|error| crate::connection::undecodable(at, error))
            }
        }
    )+};
}
pub(crate) use words;
words!(BoardState, SeatState, MoveKind, RemarkKind, ProposalKind, Relation);
words!(TournamentForm, TournamentState, TournamentAction, PlayerState, LeaveReason);
