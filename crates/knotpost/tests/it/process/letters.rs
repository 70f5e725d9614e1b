//! What a server has mailed, and what its database says about mail: read from outside, also while
//! no server runs.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::FromSql;
use rusqlite::{Connection, Row};

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
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) message_id: Option<String>,
    pub(crate) state: String,
    pub(crate) reason: Option<String>,
}

/// A row of outgoing mail.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) board: i64,
    pub(crate) number: i64,
    pub(crate) text: String,
}

impl Place {
    /// Opens its database, as somebody does beside the program, and makes the file when there is none.
    pub(crate) fn open_database(&self) -> Connection {
        Connection::open(self.data().join("knotpost.db")).unwrap()
    }

    pub(crate) fn alter(&self, sql: &str) {
        self.open_database().execute_batch(sql).unwrap();
    }

    /// Reads the only value that a query returns.
    pub(crate) fn ask<T: FromSql>(&self, sql: &str) -> T {
        self.open_database().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    pub(crate) fn rows<T>(&self, sql: &str, read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
        let database = self.open_database();
        let mut statement = database.prepare(sql).unwrap();
        statement.query_map([], read).unwrap().map(Result::unwrap).collect()
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.rows("SELECT message_id, state, reason FROM inbox ORDER BY id", |row| {
            Ok(Received { message_id: row.get(0)?, state: row.get(1)?, reason: row.get(2)? })
        })
    }

    pub(crate) fn outgoing(&self) -> Vec<Outgoing> {
        self.rows("SELECT * FROM outbox ORDER BY id", |row| {
            Ok(Outgoing {
                kind: row.get("kind")?,
                recipient: row.get("recipient")?,
                board_id: row.get("board_id")?,
                ply: row.get("ply")?,
                facts: row.get("facts")?,
                message_id: row.get("message_id")?,
                state: row.get("state")?,
            })
        })
    }

    /// All moves by board number and number of the move.
    pub(crate) fn made(&self) -> Vec<Made> {
        let sql = "SELECT boards.number, moves.number, moves.text FROM moves \
                   JOIN boards ON boards.id = moves.board_id ORDER BY boards.number, moves.number";
        self.rows(sql, |row| Ok(Made { board: row.get(0)?, number: row.get(1)?, text: row.get(2)? }))
    }

    /// Waits until every mail, in and out, has its outcome.
    pub(crate) async fn wait_until_idle(&self) {
        let waiting = "SELECT (SELECT COUNT(*) FROM inbox WHERE state = 'new') + \
                       (SELECT COUNT(*) FROM outbox WHERE state = 'queued')";
        wait_for("every mail's outcome", async || (self.ask::<i64>(waiting) == 0).then_some(())).await;
    }
}
