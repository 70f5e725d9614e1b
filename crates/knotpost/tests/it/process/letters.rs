//! What a server has mailed, and what its database says about mail: read from outside, also while
//! no server runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr as _;

use sqlx::{Connection, FromRow};
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};

use super::running::{Place, wait_for};

/// A mail in the folder of outgoing mail.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    pub(crate) text: String,
}

impl Letter {
    /// A header field, unfolded.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let head =
            self.text.split("\n\n").next().unwrap_or_default().replace("\n ", " ").replace("\n\t", " ");
        head.lines().find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }

    pub(crate) fn message_id(&self) -> String {
        self.header("Message-ID").unwrap_or_else(|| panic!("a mail without an id:\n{}", self.text))
    }
}

/// All mails in a Maildir.
pub(crate) fn letters(maildir: &Path) -> Vec<Letter> {
    let Ok(folder) = std::fs::read_dir(maildir.join("new")) else { return Vec::new() };
    folder.map(|file| Letter { text: std::fs::read_to_string(file.unwrap().path()).unwrap() }).collect()
}

/// How often each Message-ID lies in a Maildir.
pub(crate) fn copies(maildir: &Path) -> BTreeMap<String, usize> {
    let mut copies = BTreeMap::new();
    for letter in letters(maildir) {
        *copies.entry(letter.message_id()).or_default() += 1;
    }
    copies
}

/// A row of received mail.
#[derive(Clone, Debug, FromRow)]
pub(crate) struct Received {
    pub(crate) message_id: Option<String>,
    pub(crate) state: String,
    pub(crate) reason: Option<String>,
}

/// A row of outgoing mail.
#[derive(Clone, Debug, FromRow)]
pub(crate) struct Outgoing {
    pub(crate) kind: String,
    pub(crate) recipient: String,
    pub(crate) board_id: Option<i64>,
    pub(crate) ply: Option<i64>,
    pub(crate) facts: Option<String>,
    pub(crate) message_id: String,
    pub(crate) state: String,
}

/// A stored move.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub(crate) struct Made {
    pub(crate) board: i64,
    pub(crate) number: i64,
    pub(crate) text: String,
}

impl Place {
    pub(crate) async fn open_database(&self) -> SqliteConnection {
        let file = self.data().join("knotpost.db");
        let options = SqliteConnectOptions::from_str(file.to_str().unwrap()).unwrap();
        SqliteConnection::connect_with(&options).await.unwrap()
    }

    /// Runs statements on its database, as somebody does beside the program, and makes the file when there is none.
    pub(crate) fn alter(&self, sql: &str) {
        let connection = rusqlite::Connection::open(self.data().join("knotpost.db")).unwrap();
        connection.execute_batch(sql).unwrap();
    }

    pub(crate) async fn received(&self) -> Vec<Received> {
        let mut database = self.open_database().await;
        let rows = sqlx::query_as("SELECT message_id, state, reason FROM inbox ORDER BY id");
        rows.fetch_all(&mut database).await.unwrap()
    }

    pub(crate) async fn outgoing(&self) -> Vec<Outgoing> {
        let mut database = self.open_database().await;
        let rows = sqlx::query_as(
            "SELECT kind, recipient, board_id, ply, facts, message_id, state FROM outbox ORDER BY id",
        );
        rows.fetch_all(&mut database).await.unwrap()
    }

    /// All moves by board number and number of the move.
    pub(crate) async fn made(&self) -> Vec<Made> {
        let mut database = self.open_database().await;
        let rows = sqlx::query_as(
            "SELECT boards.number AS board, moves.number, moves.text FROM moves \
             JOIN boards ON boards.id = moves.board_id ORDER BY boards.number, moves.number",
        );
        rows.fetch_all(&mut database).await.unwrap()
    }

    /// Waits until every mail, in and out, has its outcome.
    pub(crate) async fn wait_until_idle(&self) {
        let mut database = self.open_database().await;
        wait_for("every mail's outcome", async || {
            let waiting: i64 = sqlx::query_scalar(
                "SELECT (SELECT COUNT(*) FROM inbox WHERE state = 'new') + \
                 (SELECT COUNT(*) FROM outbox WHERE state = 'queued')",
            )
            .fetch_one(&mut database)
            .await
            .unwrap();
            (waiting == 0).then_some(())
        })
        .await;
    }
}
