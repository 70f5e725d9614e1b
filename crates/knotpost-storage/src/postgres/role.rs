//! Roles of a PostgreSQL server, as it tells them.

use sqlx::Row as _;
use sqlx_postgres::PgConnection;

/// Settings of every connection, and what the server is.
///
/// A statement that is cancelled while its commit waits for a standby is reported as a success with a warning, so none
/// may be cancelled for the time it takes.
const GREETING: &str = "SET statement_timeout = 0; \
     SELECT pg_is_in_recovery(), CAST(current_setting('transaction_read_only') AS BOOLEAN)";
/// The second half alone.
const ROLE: &str = "SELECT pg_is_in_recovery(), CAST(current_setting('transaction_read_only') AS BOOLEAN)";

/// Role of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It takes writes.
    Writes,
    /// It is set to only read.
    ReadOnly,
    /// It follows another server.
    Standby,
}

impl Role {
    /// Prepares a new connection, and asks what it leads to.
    pub(super) async fn greet(connection: &mut PgConnection) -> Result<Self, sqlx::Error> {
        Self::ask(connection, GREETING).await
    }

    /// Asks what the server at the other end is now.
    pub(super) async fn of(connection: &mut PgConnection) -> Result<Self, sqlx::Error> {
        Self::ask(connection, ROLE).await
    }

    async fn ask(connection: &mut PgConnection, sql: &'static str) -> Result<Self, sqlx::Error> {
        let row = sqlx::raw_sql(sql).fetch_one(connection).await?;
        Ok(match (row.try_get(0)?, row.try_get(1)?) {
            (true, _) => Self::Standby,
            (false, true) => Self::ReadOnly,
            (false, false) => Self::Writes,
        })
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Writes => "it works",
            Self::ReadOnly => "it takes no writes",
            Self::Standby => "it is a standby",
        }
    }
}
