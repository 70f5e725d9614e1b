//! Watching the server that is worked with: whether it answers, and whether it still takes writes.

use std::sync::Weak;
use std::time::Duration;

use sqlx_postgres::PgConnection;
use tokio::time::{Instant, sleep, timeout};

use super::hosts::{Persistence, Reached, Role};
use super::primary::{LATE, Shared, State};
use crate::connection::StoreError;

/// How often the server is asked while nothing fails.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long it may take to answer before others are tried.
const ANSWER: Duration = Duration::from_secs(2);
/// How often connections are renewed at most while the server answers, and how often others are tried while none does.
const PAUSE: Duration = Duration::from_millis(250);

/// What the server says to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reply {
    Role(Role),
    /// Nothing in time. It may be busy, or frozen.
    Silence,
    /// The connection is gone.
    Broken,
}

/// Watches until the database is closed.
pub(super) async fn watch(shared: Weak<Shared>, connection: PgConnection) {
    let mut probe = Some(connection);
    let mut renewed = Instant::now();
    let mut silent_since = None;
    loop {
        let Some(held) = shared.upgrade() else { return };
        let is_suspected = tokio::select! {
            () = held.closed.cancelled() => return,
            () = held.suspicion.notified() => true,
            () = sleep(INTERVAL) => false,
        };
        match ask(&mut probe).await {
            Reply::Role(role) if held.hosts.accepts(role) => {
                silent_since = None;
                held.set_state(State::of(role));
                // The server is well, but a connection to it was not, or leads elsewhere.
                if is_suspected
                    && renewed.elapsed() >= INTERVAL
                    && let Ok(reached) = held.hosts.connect_from(held.current().host, Persistence::Once).await
                {
                    renewed = Instant::now();
                    held.renew(reached.host);
                    held.set_state(State::of(reached.role));
                    probe = Some(reached.connection);
                }
            }
            reply => {
                if reply == Reply::Silence {
                    silent_since.get_or_insert_with(Instant::now);
                }
                tokio::select! {
                    () = held.closed.cancelled() => return,
                    reached = search(&held, silent_since.is_some()) => probe = reached,
                }
                if probe.is_some() {
                    silent_since = None;
                } else if silent_since.is_some_and(|since| since.elapsed() >= LATE) {
                    held.give_up();
                    silent_since = None;
                }
                renewed = Instant::now();
            }
        }
        drop(held);
        // Many may fail at once.
        if is_suspected {
            sleep(PAUSE).await;
        }
    }
}

/// Asks the server what it is. A connection whose answer is not waited for is not asked again.
async fn ask(probe: &mut Option<PgConnection>) -> Reply {
    let Some(mut connection) = probe.take() else { return Reply::Broken };
    match timeout(ANSWER, Role::of(&mut connection)).await {
        Ok(Ok(role)) => {
            *probe = Some(connection);
            Reply::Role(role)
        }
        Ok(Err(_)) => Reply::Broken,
        Err(_) => Reply::Silence,
    }
}

/// Looks for a server that works, once, the one that worked before first. When that was only silent and is found again,
/// the work on it goes on.
async fn search(shared: &Shared, was_silent: bool) -> Option<PgConnection> {
    match shared.hosts.connect_from(shared.current().host, Persistence::Again).await {
        Ok(reached) => {
            if was_silent && reached.host == shared.current().host {
                shared.renew_late(reached.host);
            } else {
                shared.take_over(reached.host);
            }
            let Reached { connection, role, .. } = reached;
            shared.set_state(State::of(role));
            Some(connection)
        }
        Err(error) => {
            tracing::debug!(error = error.with_causes(), "no server of the database can be worked with");
            shared.set_state(State::Away(match error {
                StoreError::NoServer(why) => why,
                error => error.with_causes(),
            }));
            None
        }
    }
}
