//! Watching the server that is worked with: whether it answers, and whether it still takes writes.

use std::sync::Weak;
use std::time::Duration;

use sqlx_postgres::PgConnection;
use tokio::time::{Instant, sleep, timeout};

use super::hosts::{Persistence, Reached, Role};
use super::primary::{Shared, State};
use crate::connection::StoreError;

/// How often the server is asked while nothing fails.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long it may take to answer before others are tried.
const ANSWER: Duration = Duration::from_secs(2);
/// How often connections are renewed at most while the server answers, and how often others are tried while none does.
const PAUSE: Duration = Duration::from_millis(250);

/// Watches until the database is closed.
pub(super) async fn watch(shared: Weak<Shared>, connection: PgConnection) {
    let mut probe = Some(connection);
    let mut renewed = Instant::now();
    loop {
        let Some(held) = shared.upgrade() else { return };
        let is_suspected = tokio::select! {
            () = held.closed.cancelled() => return,
            () = held.suspicion.notified() => true,
            () = sleep(INTERVAL) => false,
        };
        let role = ask(&mut probe).await;
        match role {
            Some(role) if held.hosts.accepts(role) => {
                held.set_state(State::of(role));
                // The server is well, but a connection to it was not, or leads elsewhere.
                if is_suspected
                    && renewed.elapsed() >= INTERVAL
                    && let Ok(reached) = held.hosts.connect_from(held.current().host, Persistence::Once).await
                {
                    renewed = Instant::now();
                    held.renew(&reached);
                    held.set_state(State::of(reached.role));
                    probe = Some(reached.connection);
                }
            }
            _ => {
                tokio::select! {
                    () = held.closed.cancelled() => return,
                    reached = search(&held) => probe = reached,
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

/// What the server says that it is; `None`: it does not answer.
async fn ask(probe: &mut Option<PgConnection>) -> Option<Role> {
    timeout(ANSWER, Role::of(probe.as_mut()?)).await.ok()?.ok()
}

/// Looks for a server that works, once, the one that worked before first.
async fn search(shared: &Shared) -> Option<PgConnection> {
    match shared.hosts.connect_from(shared.current().host, Persistence::Again).await {
        Ok(reached) => {
            shared.take_over(&reached);
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
