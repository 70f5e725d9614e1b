//! Where SQLite and PostgreSQL truly differ; every other query is written once.

/// Runs one sqlx expression on whichever connection the transaction holds.
///
/// Queries use `$n` parameters and concrete row types, so the same text serves both databases.
macro_rules! on {
    ($tx:expr, $connection:ident => $query:expr) => {
        match &mut ($tx).connection {
            crate::store::tx::Connection::Sqlite(transaction) => {
                let $connection = &mut **transaction;
                $query
            }
            crate::store::tx::Connection::Postgres(transaction) => {
                let $connection = &mut **transaction;
                $query
            }
        }
    };
}
pub(super) use on;

/// Runs a claim of one row out of a queue: `$before` SELECT … `$after`. On PostgreSQL rows that
/// another process is claiming are skipped instead of waited for; SQLite has one writer anyway.
macro_rules! claim {
    ($tx:expr, $before:literal, $after:literal, $query:ident => $run:expr) => {
        match &mut ($tx).connection {
            crate::store::tx::Connection::Sqlite(transaction) => {
                let $query = (concat!($before, $after), &mut **transaction);
                $run
            }
            crate::store::tx::Connection::Postgres(transaction) => {
                let $query = (concat!($before, " FOR UPDATE SKIP LOCKED", $after), &mut **transaction);
                $run
            }
        }
    };
}
pub(super) use claim;

/// Runs a query about rows whose column, the last word of `$before`, is among the keys in its first parameter, a
/// JSON array.
macro_rules! among {
    ($tx:expr, $before:literal, $after:literal, $query:ident => $run:expr) => {
        match &mut ($tx).connection {
            crate::store::tx::Connection::Sqlite(transaction) => {
                let $query =
                    (concat!($before, " IN (SELECT value FROM json_each($1))", $after), &mut **transaction);
                $run
            }
            crate::store::tx::Connection::Postgres(transaction) => {
                let $query = (
                    concat!(
                        $before,
                        " IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST($1 AS json)))",
                        $after
                    ),
                    &mut **transaction,
                );
                $run
            }
        }
    };
}
pub(super) use among;
