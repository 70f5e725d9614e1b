//! Queries told from other statements.
//!
//! On SQLite and in PostgreSQL's read-only transactions the database refuses changes by itself. Inside a transaction that
//! changes rows it cannot, and there a change by a method of `ReadTx` would survive a command that is refused later.

/// Tells whether a statement is a query. The first word tells nearly all statements apart at no cost; changes inside a
/// `WITH` and locks taken by a `SELECT` are searched for in debug builds only, which the tests use. That no `WITH` of a
/// table changes rows is checked by a test over all sources.
pub(crate) fn is_query(sql: &str) -> bool {
    let asks = sql.starts_with("SELECT ") || sql.starts_with("WITH ");
    asks && !(cfg!(debug_assertions) && changes_rows(sql))
}

/// True if the text has words of a statement that changes, locks or numbers rows.
fn changes_rows(sql: &str) -> bool {
    ["INSERT INTO", "UPDATE ", "DELETE FROM", "FOR UPDATE", "FOR SHARE", "nextval(", "setval("]
        .iter()
        .any(|word| sql.contains(word))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{changes_rows, is_query};

    #[test]
    fn queries_pass() {
        assert!(is_query("SELECT id FROM users"));
        assert!(is_query("WITH r AS (SELECT 1) SELECT updated_at FROM r"));
    }

    #[test]
    fn statements_that_change_or_lock_something_are_none() {
        for sql in [
            "UPDATE users SET role = role",
            "INSERT INTO users VALUES (1) RETURNING id",
            "DELETE FROM users",
            "TRUNCATE users",
            "WITH gone AS (DELETE FROM users RETURNING id) SELECT COUNT(*) FROM gone",
            "SELECT id FROM users FOR UPDATE SKIP LOCKED",
            "SELECT id FROM users FOR UPDATE OF users",
            "SELECT nextval('users_id_seq')",
            "LOCK TABLE users",
        ] {
            assert!(!is_query(sql), "{sql}");
        }
    }

    /// Release builds let every `WITH` pass.
    #[test]
    fn every_with_of_the_tables_is_a_query() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut queries = 0;
        for folder in ["boards", "mail", "ops", "ratings", "store", "users", "writer"] {
            for entry in fs::read_dir(sources.join(folder)).unwrap().map(Result::unwrap) {
                let place = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() {
                    continue;
                }
                let text = fs::read_to_string(entry.path()).unwrap();
                let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
                if code.contains("WITH ") {
                    assert!(!changes_rows(&code), "{place}");
                    queries += 1;
                }
            }
        }
        assert!(queries > 0, "a query with a WITH is found");
    }
}
