//! Connecting to the first server that is good enough.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use sqlx_postgres::{PgConnectOptions, PgConnection};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::address::{Address, Host, Target};
use crate::connection::StoreError;

/// How long one server is waited for before the next one is tried beside it.
const HEAD_START: Duration = Duration::from_millis(300);

/// How long a server that refused is left alone while another one still says nothing.
const AGAIN: Duration = Duration::from_millis(400);

/// Settings of every connection, and what the server is.
///
/// A statement that is cancelled while its commit waits for a standby is reported as a success with a warning, so none
/// may be cancelled for the time it takes.
const GREETING: &str = "SET statement_timeout = 0; \
     SELECT pg_is_in_recovery(), CAST(current_setting('transaction_read_only') AS BOOLEAN)";
/// The second half alone.
const ROLE: &str = "SELECT pg_is_in_recovery(), CAST(current_setting('transaction_read_only') AS BOOLEAN)";

/// How often each server is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Persistence {
    Once,
    /// Until no time is left: a standby may be promoted meanwhile.
    Again,
}

/// What a server does.
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

    fn words(self) -> &'static str {
        match self {
            Self::Writes => "it works",
            Self::ReadOnly => "it takes no writes",
            Self::Standby => "it is a standby",
        }
    }
}

/// An open connection that is good enough.
#[derive(Debug)]
pub(crate) struct Reached {
    pub(crate) connection: PgConnection,
    pub(super) host: usize,
    pub(super) role: Role,
}

/// The servers of a database, in the order in which they are tried.
#[derive(Clone, Debug)]
pub(crate) struct Hosts(Arc<Address>);

impl Hosts {
    /// # Errors
    /// When the address is not understood.
    pub(crate) fn parse(url: &str) -> Result<Self, StoreError> {
        Ok(Self(Arc::new(Address::parse(url)?)))
    }

    /// Whether a server in this role may be worked with.
    pub(super) fn accepts(&self, role: Role) -> bool {
        match self.0.target {
            Target::Any => true,
            Target::Primary => role != Role::Standby,
            Target::ReadWrite => role == Role::Writes,
        }
    }

    /// Whether another server may take over from one that takes no writes.
    pub(super) fn wants_writes(&self) -> bool {
        self.0.target != Target::Any
    }

    pub(super) fn options(&self, host: usize) -> Option<&PgConnectOptions> {
        self.0.hosts.get(host).map(|host| &host.options)
    }

    pub(super) fn name(&self, host: usize) -> &str {
        self.0.hosts.get(host).map_or("", |host| &host.name)
    }

    /// Connects to the first server in the list that is good enough, once.
    ///
    /// # Errors
    /// When there is none: what each of them said.
    pub(crate) async fn connect(&self) -> Result<Reached, StoreError> {
        self.connect_from(0, Persistence::Once).await
    }

    /// As [`Hosts::connect`], beginning with this one.
    pub(super) async fn connect_from(
        &self,
        first: usize,
        persistence: Persistence,
    ) -> Result<Reached, StoreError> {
        let count = self.0.hosts.len();
        let deadline = Instant::now() + self.0.timeout;
        let order = (0..count).map(|step| (first + step) % count.max(1));
        let mut tries: FuturesUnordered<_> = (0u32..)
            .zip(order)
            .map(|(step, host)| async move {
                sleep(HEAD_START * step).await;
                loop {
                    let outcome = self.try_host(host).await;
                    let next = Instant::now() + AGAIN;
                    if outcome.is_ok() || persistence == Persistence::Once || next >= deadline {
                        return (host, outcome);
                    }
                    sleep_until(next).await;
                }
            })
            .collect();
        let mut failures = Vec::new();
        while let Some((host, outcome)) = tries.next().await {
            match outcome {
                Ok(reached) => return Ok(reached),
                Err(error) => failures.push((host, error)),
            }
        }
        Err(self.explain(failures))
    }

    async fn try_host(&self, host: usize) -> Result<Reached, StoreError> {
        let Some(Host { options, .. }) = self.0.hosts.get(host) else { return Err(StoreError::Closed) };
        let connecting = async {
            let mut connection = options.connect().await?;
            let role = Role::greet(&mut connection).await?;
            Ok::<_, StoreError>((connection, role))
        };
        let Ok(connected) = timeout(self.0.timeout, connecting).await else {
            return Err(StoreError::NoServer("no answer in time".to_owned()));
        };
        let (connection, role) = connected?;
        if self.accepts(role) {
            return Ok(Reached { connection, host, role });
        }
        let _ = timeout(self.0.timeout, connection.close()).await;
        Err(StoreError::NoServer(role.words().to_owned()))
    }

    /// One error for all servers. Whoever can be waited for is more important than one that will never let us in.
    fn explain(&self, mut failures: Vec<(usize, StoreError)>) -> StoreError {
        failures.sort_by_key(|(host, _)| *host);
        if let [(_, _)] = &failures[..]
            && let Some((host, error)) = failures.pop()
        {
            return match error {
                StoreError::NoServer(why) => StoreError::NoServer(format!("{}: {why}", self.name(host))),
                error => error,
            };
        }
        if failures.is_empty() || failures.iter().any(|(_, error)| error.is_away()) {
            let said = failures.iter().map(|(host, error)| {
                let why = match error {
                    StoreError::NoServer(why) => why.clone(),
                    error => error.with_causes(),
                };
                format!("{}: {why}", self.name(*host))
            });
            return StoreError::NoServer(said.collect::<Vec<_>>().join("; "));
        }
        failures.swap_remove(0).1
    }
}
