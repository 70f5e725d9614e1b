//! Transactions.

use std::ops::ControlFlow;

use sqlx_core::error::Error;
use sqlx_core::sql_str::SqlStr;
use sqlx_core::transaction::TransactionManager;

use crate::statement::BoundQuery;
use crate::{Rusqlite, RusqliteConnection, ValueBuffer};

/// Begins and ends transactions.
///
/// SQLite itself is asked for an open transaction, since it ends one on its own after some errors. Transactions do
/// not nest: `begin` inside a transaction is an error, and rolls the transaction back. Use `SAVEPOINT` statements there.
#[derive(Debug)]
pub struct RusqliteTransactionManager;

impl TransactionManager for RusqliteTransactionManager {
    type Database = Rusqlite;

    async fn begin(connection: &mut RusqliteConnection, statement: Option<SqlStr>) -> Result<(), Error> {
        match statement {
            Some(sql) => {
                let query = BoundQuery { sql, parameters: ValueBuffer::default(), is_persistent: true };
                connection.run(&query, |_| Ok(ControlFlow::Continue(()))).map(drop)
            }
            None => connection.run_static("BEGIN"),
        }
    }

    async fn commit(connection: &mut RusqliteConnection) -> Result<(), Error> {
        connection.run_static("COMMIT")
    }

    async fn rollback(connection: &mut RusqliteConnection) -> Result<(), Error> {
        match Self::get_transaction_depth(connection) {
            0 => Ok(()),
            _ => connection.run_static("ROLLBACK"),
        }
    }

    fn start_rollback(connection: &mut RusqliteConnection) {
        if Self::get_transaction_depth(connection) > 0 {
            // There is no caller to return an error to. The next `begin` on this connection fails if the transaction is
            // still open.
            let _ = connection.run_static("ROLLBACK");
        }
    }

    /// 1 in a transaction, 0 outside.
    fn get_transaction_depth(connection: &RusqliteConnection) -> usize {
        usize::from(!connection.is_autocommit())
    }
}
