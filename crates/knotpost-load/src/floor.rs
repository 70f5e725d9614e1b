//! Floors to compare with: listeners that parse nothing and only store, durably, what the server must store for a move.
//! The difference is the server's own work.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use rusqlite::{Connection, params};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, oneshot};

/// How many waiting messages share a commit at most.
const GROUP: usize = 256;
/// Boards whose rows change.
const BOARDS: i64 = 500;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder for its database.
    folder: PathBuf,
}

/// A message, and the channel to the task that waits for its commit.
type Waiting = (Vec<u8>, oneshot::Sender<i64>);

/// Serves until it is ended; prints where it listens: SMTP (and LMTP alike), then HTTP.
pub(crate) async fn serve(args: Args) -> anyhow::Result<bool> {
    let (orders, inbox) = mpsc::channel(1024);
    let database = open(&args.folder)?;
    std::thread::spawn(move || {
        if let Err(error) = write(&database, inbox) {
            eprintln!("floor: {error:#}");
        }
    });
    let smtp = TcpListener::bind("127.0.0.1:0").await?;
    let http = TcpListener::bind("127.0.0.1:0").await?;
    println!("{} {}", smtp.local_addr()?, http.local_addr()?);
    let app = Router::new()
        .route("/hello", get(async || "hello\n"))
        .route("/commands", post(take))
        .with_state(orders.clone());
    tokio::spawn(async move {
        while let Ok((stream, _)) = smtp.accept().await {
            tokio::spawn(talk(stream, orders.clone()));
        }
    });
    axum::serve(http, app).await?;
    Ok(true)
}

fn open(folder: &Path) -> anyhow::Result<Connection> {
    let database = Connection::open(folder.join("floor.db"))?;
    database.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
         CREATE TABLE boards (id INTEGER PRIMARY KEY, ply INTEGER, position BLOB);
         CREATE TABLE moves (board INTEGER, number INTEGER, text TEXT, PRIMARY KEY (board, number)) WITHOUT ROWID;
         CREATE TABLE inbox (id INTEGER PRIMARY KEY, message_id TEXT UNIQUE, raw BLOB);
         CREATE TABLE outbox (id INTEGER PRIMARY KEY, recipient TEXT, board INTEGER, number INTEGER);",
    )?;
    for board in 0..BOARDS {
        database.execute("INSERT INTO boards VALUES (?1, 0, zeroblob(200))", [board])?;
    }
    Ok(database)
}

/// Commits the waiting messages together, then answers them.
fn write(database: &Connection, mut inbox: mpsc::Receiver<Waiting>) -> anyhow::Result<()> {
    let mut mail = database.prepare("INSERT INTO inbox (message_id, raw) VALUES (?1, ?2)")?;
    let mut made = database.prepare("INSERT INTO moves VALUES (?1, ?2, 'o7')")?;
    let mut board = database.prepare("UPDATE boards SET ply = ?2, position = ?3 WHERE id = ?1")?;
    let mut out = database.prepare("INSERT INTO outbox (recipient, board, number) VALUES (?1, ?2, ?3)")?;
    let position = vec![1_u8; 200];
    let mut count = 0_i64;
    let mut group: Vec<Waiting> = Vec::with_capacity(GROUP);
    while inbox.blocking_recv_many(&mut group, GROUP) > 0 {
        database.execute_batch("BEGIN IMMEDIATE")?;
        let first = count;
        for (raw, _) in &group {
            count += 1;
            let (at, number) = (count % BOARDS, count / BOARDS);
            mail.execute(params![format!("{count}@floor"), raw])?;
            made.execute([at, number])?;
            board.execute(params![at, number, position])?;
            for recipient in ["ann@example.org", "bob@example.org"] {
                out.execute(params![recipient, at, number])?;
            }
        }
        database.execute_batch("COMMIT")?;
        for ((_, caller), number) in group.drain(..).zip(first + 1..) {
            // A client that has gone needs no answer.
            let _ = caller.send(number);
        }
    }
    Ok(())
}

/// Returns once the message is committed; `None`: the writer is gone.
async fn store(orders: &mpsc::Sender<Waiting>, message: Vec<u8>) -> Option<i64> {
    let (caller, committed) = oneshot::channel();
    orders.send((message, caller)).await.ok()?;
    committed.await.ok()
}

async fn take(
    State(orders): State<mpsc::Sender<Waiting>>,
    body: axum::body::Bytes,
) -> Result<String, StatusCode> {
    let number = store(&orders, body.to_vec()).await.ok_or(StatusCode::SERVICE_UNAVAILABLE)?;
    Ok(format!("{number}\n"))
}

async fn talk(stream: TcpStream, orders: mpsc::Sender<Waiting>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 floor ESMTP\r\n").await?;
    let mut line = Vec::with_capacity(256);
    loop {
        line.clear();
        if stream.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        match line.get(..4).unwrap_or_default() {
            b"DATA" => {
                stream.write_all(b"354 go on\r\n").await?;
                let mut message = Vec::with_capacity(1024);
                while !message.ends_with(b"\r\n.\r\n") {
                    if stream.read_until(b'\n', &mut message).await? == 0 {
                        return Ok(());
                    }
                }
                let Some(number) = store(&orders, message).await else { return Ok(()) };
                stream.write_all(format!("250 2.0.0 stored {number}\r\n").as_bytes()).await?;
            }
            b"QUIT" => return stream.write_all(b"221 bye\r\n").await,
            b"EHLO" | b"LHLO" => stream.write_all(b"250-floor\r\n250-PIPELINING\r\n250 8BITMIME\r\n").await?,
            _ => stream.write_all(b"250 fine\r\n").await?,
        }
    }
}

/// A floor in a process of its own.
#[derive(Debug)]
pub(crate) struct Floor {
    /// Ended when this is dropped.
    _child: Child,
    pub(crate) smtp: SocketAddr,
    pub(crate) http: SocketAddr,
}

impl Floor {
    /// Starts this program once more, as a floor with an empty database in `folder`.
    pub(crate) async fn start(folder: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("floor-server").arg(folder).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("no standard output")?;
        BufReader::new(stdout).read_line(&mut line).await?;
        let addresses: Vec<&str> = line.split_whitespace().collect();
        ensure!(addresses.len() == 2, "the floor did not start");
        let [smtp, http] = [0, 1].map(|index| addresses.get(index).map_or("", |address| *address).parse());
        Ok(Self { _child: child, smtp: smtp?, http: http? })
    }
}
