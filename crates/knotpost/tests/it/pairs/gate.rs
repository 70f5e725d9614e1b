//! Between a server and PostgreSQL: hands every message on, and stops one transaction where a test wants it to stop.
//!
//! A message of the frontend is a letter, a length and a payload (PostgreSQL's documentation, "Message Formats"); only
//! `Query`, `Parse` and `Bind` are read here, for the statements `BEGIN` and `COMMIT`.

use std::collections::{BTreeSet, HashMap};
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
    /// The points that were passed, each with the number of statements before it.
    points: Vec<(Point, usize)>,
    /// Whether one is stopped.
    is_held: bool,
    /// The statements that were run.
    statements: Vec<String>,
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

impl Point {
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Begin(number) | Self::Commit(number) => number,
        }
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

    /// The points that were passed since it was armed, and which of these tables were used before each; a table into
    /// which rows are only inserted is not used.
    pub(super) fn points(&self, tables: &[String]) -> Vec<(Point, BTreeSet<String>)> {
        let state = self.state.borrow();
        let used = |count: &usize| used(&state.statements[..*count], tables);
        state.points.iter().map(|(point, count)| (*point, used(count))).collect()
    }

    /// Those of these tables that were used since it was armed.
    pub(super) fn used(&self, tables: &[String]) -> BTreeSet<String> {
        used(&self.state.borrow().statements, tables)
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
        if let Some(statement) = session.statement(letter, &message[5..]) {
            let step = session.step(&statement);
            state.send_modify(|state| state.statements.push(statement));
            if let Some(step) = step {
                stop_where_wanted(state, step).await;
            }
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
        state.points.push((here, state.statements.len()));
        if state.wanted == Some(here) {
            (state.wanted, state.is_held) = (None, true);
        }
    });
    // Another transaction of the same server goes on; only one is stopped, and the rest of a test waits for it.
    if state.borrow().is_held {
        watching.wait_for(|state| !state.is_held).await.expect("the gate is there");
    }
}

fn used(statements: &[String], tables: &[String]) -> BTreeSet<String> {
    let words: BTreeSet<&str> = statements.iter().flat_map(|sql| used_words(sql)).collect();
    tables.iter().filter(|table| words.contains(table.as_str())).cloned().collect()
}

/// The words of a statement, without the table into which it only inserts.
fn used_words(sql: &str) -> impl Iterator<Item = &str> {
    let only_inserts = !sql.contains("ON CONFLICT");
    let mut before = ["", ""];
    sql.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .filter(move |word| {
            let is_target = only_inserts && before == ["INSERT", "INTO"];
            before = [before[1], word];
            !is_target
        })
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
    /// The statement that the message runs.
    fn statement(&mut self, letter: u8, payload: &[u8]) -> Option<String> {
        let mut words = payload.split(|byte| *byte == 0);
        let mut word = || words.next().unwrap_or_default().to_vec();
        match letter {
            b'Q' => Some(String::from_utf8_lossy(&word()).into_owned()),
            b'P' => {
                let (name, text) = (word(), word());
                self.prepared.insert(name, String::from_utf8_lossy(&text).into_owned());
                None
            }
            b'B' => {
                let (_portal, name) = (word(), word());
                self.prepared.get(&name).cloned()
            }
            _ => None,
        }
    }

    /// Returns the step if the statement begins or commits a transaction that writes.
    fn step(&mut self, statement: &str) -> Option<Step> {
        if statement.starts_with("BEGIN") {
            self.writes = !statement.contains("READ ONLY");
            return self.writes.then_some(Step::Begin);
        }
        (statement.starts_with("COMMIT") && self.writes).then_some(Step::Commit)
    }
}

#[test]
fn a_table_that_is_inserted_into_alone_is_not_used() {
    let is_used = |sql: &str| used_words(sql).any(|word| word == "outbox");
    assert!(!is_used("INSERT INTO outbox (user_id) SELECT id FROM users"));
    for sql in [
        "INSERT INTO outbox (id) VALUES ($1) ON CONFLICT DO NOTHING",
        "INSERT INTO hints SELECT id FROM outbox",
        "UPDATE outbox SET state = $1",
        "WITH gone AS (DELETE FROM outbox RETURNING id) INSERT INTO inbox SELECT id FROM gone",
    ] {
        assert!(is_used(sql), "{sql}");
    }
}
