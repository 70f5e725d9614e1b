//! Between a server and PostgreSQL: hands every message on, and stops one transaction where a test wants it to stop.
//!
//! A message of the frontend is a letter, a length and a payload (PostgreSQL's documentation, "Message Formats"); only
//! `Query`, `Parse` and `Bind` are read here, for the statements `BEGIN` and `COMMIT`.

use std::collections::HashMap;
use std::sync::Arc;

use sqlx_postgres::PgConnectOptions;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::postgres::dial;

/// Where a transaction that writes is stopped. The numbers count such transactions from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// Before it begins: what was looked at before may be out of date.
    Begin(u32),
    /// Before it is committed: it has read and written, and nobody else sees what.
    Commit(u32),
}

#[derive(Clone, Debug, Default)]
struct State {
    /// Where to stop.
    wanted: Option<Point>,
    /// How many transactions that write were begun and committed.
    begun: u32,
    committed: u32,
    /// Whether one is stopped.
    is_held: bool,
}

/// A place to connect to instead of the database.
pub(super) struct Gate {
    folder: TempDir,
    port: u16,
    state: Arc<watch::Sender<State>>,
    listening: AbortHandle,
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Gate {
    /// In front of the database of that URL.
    pub(super) fn before(url: &str) -> Self {
        let options: PgConnectOptions = url.parse().expect("a PostgreSQL URL");
        let folder = tempfile::tempdir().expect("a folder");
        let port = options.get_port();
        let listener = UnixListener::bind(folder.path().join(format!(".s.PGSQL.{port}"))).expect("a socket");
        let state = Arc::new(watch::Sender::new(State::default()));
        let shared = Arc::clone(&state);
        let listening = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connect(client, options.clone(), Arc::clone(&shared)));
            }
        });
        Self { folder, port, state, listening: listening.abort_handle() }
    }

    /// The same URL, but through here.
    pub(super) fn url_of(&self, url: &str) -> String {
        let options: PgConnectOptions = url.parse().expect("a PostgreSQL URL");
        let (user, database) = (options.get_username(), options.get_database().expect("a database"));
        let folder = self.folder.path().display();
        format!("postgres://{user}@localhost:{}/{database}?host={folder}&sslmode=disable", self.port)
    }

    /// Counts anew, and stops the transaction at that point if there is one.
    pub(super) fn arm(&self, wanted: Option<Point>) {
        self.state.send_replace(State { wanted, ..State::default() });
    }

    /// Returns as soon as a transaction is stopped.
    pub(super) async fn held(&self) {
        let mut watching = self.state.subscribe();
        watching.wait_for(|state| state.is_held).await.expect("the gate is there");
    }

    /// Lets the transaction go on, and all others.
    pub(super) fn open(&self) {
        self.state.send_modify(|state| (state.wanted, state.is_held) = (None, false));
    }

    /// How many transactions that write were committed since it was armed.
    pub(super) fn committed(&self) -> u32 {
        self.state.borrow().committed
    }
}

async fn connect(client: UnixStream, options: PgConnectOptions, state: Arc<watch::Sender<State>>) {
    let ((read, write), (from, to)) = (client.into_split(), split(dial(&options).await));
    pass(read, write, from, to, state).await;
}

/// Passes on in both directions until one side ends.
async fn pass(
    client: impl AsyncRead + Unpin,
    mut to_client: impl AsyncWrite + Unpin,
    mut server: impl AsyncRead + Unpin,
    to_server: impl AsyncWrite + Unpin,
    state: Arc<watch::Sender<State>>,
) {
    let back = async {
        // An end of either side is the end of both, and no fault of a test.
        let _ = tokio::io::copy(&mut server, &mut to_client).await;
    };
    tokio::select! {
        () = back => {}
        _ = forward(client, to_server, &state) => {}
    }
}

async fn forward(
    mut client: impl AsyncRead + Unpin,
    mut server: impl AsyncWrite + Unpin,
    state: &watch::Sender<State>,
) -> std::io::Result<()> {
    let mut session = Session::default();
    // The first message has no letter.
    let first = read_message(&mut client, None).await?;
    server.write_all(&first).await?;
    loop {
        let letter = client.read_u8().await?;
        let message = read_message(&mut client, Some(letter)).await?;
        if let Some(step) = session.step(letter, &message[5..]) {
            stop_where_wanted(state, step).await;
        }
        server.write_all(&message).await?;
    }
}

async fn read_message(client: &mut (impl AsyncRead + Unpin), letter: Option<u8>) -> std::io::Result<Vec<u8>> {
    let length = client.read_u32().await?;
    let mut message: Vec<u8> = letter.into_iter().chain(length.to_be_bytes()).collect();
    let start = message.len();
    message.resize(start + length as usize - 4, 0);
    client.read_exact(&mut message[start..]).await?;
    Ok(message)
}

async fn stop_where_wanted(state: &watch::Sender<State>, step: Step) {
    let mut watching = state.subscribe();
    state.send_modify(|state| {
        let here = match step {
            Step::Begin => {
                state.begun += 1;
                Point::Begin(state.begun)
            }
            Step::Commit => {
                state.committed += 1;
                Point::Commit(state.committed)
            }
        };
        if state.wanted == Some(here) {
            (state.wanted, state.is_held) = (None, true);
        }
    });
    // Another transaction of the same server goes on; only one is stopped, and the rest of a test waits for it.
    if state.borrow().is_held {
        watching.wait_for(|state| !state.is_held).await.expect("the gate is there");
    }
}

/// What is counted of a connection.
#[derive(Clone, Copy, Debug)]
enum Step {
    Begin,
    Commit,
}

/// The state of a connection.
#[derive(Default)]
struct Session {
    /// The statements that were prepared, by name.
    prepared: HashMap<Vec<u8>, String>,
    /// Whether a transaction that writes is open.
    writes: bool,
}

impl Session {
    /// Whether the message begins or commits a transaction that writes.
    fn step(&mut self, letter: u8, payload: &[u8]) -> Option<Step> {
        let mut words = payload.split(|byte| *byte == 0);
        let mut word = || words.next().unwrap_or_default().to_vec();
        let statement = match letter {
            b'Q' => String::from_utf8_lossy(&word()).into_owned(),
            b'P' => {
                let (name, text) = (word(), word());
                self.prepared.insert(name, String::from_utf8_lossy(&text).into_owned());
                return None;
            }
            b'B' => {
                let (_portal, name) = (word(), word());
                self.prepared.get(&name)?.clone()
            }
            _ => return None,
        };
        if statement.starts_with("BEGIN") {
            self.writes = !statement.contains("READ ONLY");
            return self.writes.then_some(Step::Begin);
        }
        (statement.starts_with("COMMIT") && self.writes).then_some(Step::Commit)
    }
}
