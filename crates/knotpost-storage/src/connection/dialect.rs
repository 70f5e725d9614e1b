//! Where the SQL of SQLite and PostgreSQL differs; every other query is written once.

/// Runs one sqlx expression on whichever connection the transaction has. `$tx` is a transaction for a query, or what `WriteTx::writing` gives for a change.
///
/// Queries use `$n` parameters and concrete row types, so the same text serves both databases.
macro_rules! on {
    ($tx:expr, $connection:ident => $query:expr) => {
        match ($tx).driver() {
            crate::connection::Driver::Sqlite(connection) => {
                let $connection = connection;
                $query
            }
            crate::connection::Driver::Postgres(connection) => {
                let $connection = connection;
                $query
            }
        }
    };
}
pub(crate) use on;

/// Runs a claim of one row out of a queue: `$before` SELECT … `$after`. On PostgreSQL rows that
/// another process is claiming are skipped instead of waited for; SQLite has one writer anyway.
macro_rules! claim {
    ($tx:expr, $before:literal, $after:literal, $query:ident => $run:expr) => {
        match ($tx).driver() {
            crate::connection::Driver::Sqlite(connection) => {
                let $query = (concat!($before, $after), connection);
                $run
            }
            crate::connection::Driver::Postgres(connection) => {
                let $query = (concat!($before, " FOR UPDATE SKIP LOCKED", $after), connection);
                $run
            }
        }
    };
}
pub(crate) use claim;

/// Runs a statement about rows whose column, the last word of `$before`, is among the keys in its first parameter, a
/// JSON array. PostgreSQL looks the keys of an array up one by one, and parses this one once; for a subquery it may
/// scan the entire table.
macro_rules! among {
    ($tx:expr, $before:expr, $after:expr, $query:ident => $run:expr) => {
        match ($tx).driver() {
            crate::connection::Driver::Sqlite(connection) => {
                let $query = (concat!($before, " IN (SELECT value FROM json_each($1))", $after), connection);
                $run
            }
            crate::connection::Driver::Postgres(connection) => {
                let $query = (
                    concat!(
                        $before,
                        " = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST($1 AS json))))",
                        $after
                    ),
                    connection,
                );
                $run
            }
        }
    };
}
pub(crate) use among;

/// Keys as both databases read a list of them.
pub(crate) fn key_list<K: Copy + Into<i64>>(keys: &[K]) -> String {
    let keys: Vec<String> = keys.iter().map(|key| (*key).into().to_string()).collect();
    format!("[{}]", keys.join(","))
}
