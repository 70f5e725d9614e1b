//! SQL that differs between SQLite and PostgreSQL; every other statement is written once.

/// A claim of one row out of a queue: `$before` SELECT … `$after`. On PostgreSQL rows that another process is claiming are
/// skipped instead of waited for; SQLite has one writer anyway.
macro_rules! claim {
    ($tx:expr, $before:literal, $after:literal) => {
        if $tx.is_postgres() {
            concat!($before, " FOR UPDATE SKIP LOCKED", $after)
        } else {
            concat!($before, $after)
        }
    };
}
pub(crate) use claim;

/// A statement about rows whose column, the last word of `$before`, is among the keys in its first parameter, a JSON array.
/// PostgreSQL looks the keys of an array up one by one, and parses this one once; for a subquery it may scan the entire
/// table.
macro_rules! among {
    ($tx:expr, $before:expr, $after:expr) => {
        if $tx.is_postgres() {
            concat!(
                $before,
                " = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST($1 AS json))))",
                $after
            )
        } else {
            concat!($before, " IN (SELECT value FROM json_each($1))", $after)
        }
    };
}
pub(crate) use among;

/// Keys as both databases read a list of them.
pub(crate) fn key_list<K: Copy + Into<i64>>(keys: &[K]) -> String {
    let keys: Vec<String> = keys.iter().map(|key| (*key).into().to_string()).collect();
    format!("[{}]", keys.join(","))
}

/// Rows of parameters, as they stand behind `VALUES`. SQLite would search all parameters for a numbered one.
pub(crate) fn values(rows: usize, columns: usize, is_postgres: bool) -> String {
    let parameter = |number| if is_postgres { format!("${number}") } else { "?".to_owned() };
    let row = |row| {
        let parameters: Vec<String> = (1..=columns).map(|column| parameter(row * columns + column)).collect();
        format!("({})", parameters.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}
