//! Import of an entire server into an empty database, in batches, so that it can be resumed.

use std::io::{BufRead, Seek, SeekFrom};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::check::Checked;
use super::export::digest_of;
use super::line::{Lines, read_row};
use super::{MoveError, OnProgress, Stage};
use crate::app::App;
use crate::clock::CLOCK_DUTY;
use crate::identity::server_key::save_agreed;
use knotpost_storage::{Cell, ReadTx, Store, StoreError, Table, WriteTx};

/// Key of the progress record of an unfinished import.
const PLACE_FACT: &str = "import";
const BATCH_ROWS: usize = 4_000;
/// Bytes after which a transaction ends.
const BATCH_BYTES: u64 = 4 << 20;
/// A server with people, or with rows in these tables, is in use.
const IN_USE: [(&str, &str); 3] =
    [("boards", "boards"), ("inbox", "received mail"), ("outbox", "outgoing mail")];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    file: String,
    rows: u64,
    bytes: u64,
}

/// Treatment of a database with another server key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignKey {
    Refuse,
    /// Adopt this server's key; data sealed with the other one is lost.
    Adopt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Began {
    Anew,
    After(u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    pub began: Began,
    pub rows: u64,
    /// Common digest of file and database, in hexadecimal.
    pub sha256: String,
}

pub async fn unfinished_import(store: &Store) -> Result<Option<u64>, StoreError> {
    Ok(place(&mut store.read().await?).await?.map(|place| place.rows))
}

/// Deletes an unfinished import; `false`: there was none.
pub async fn discard_import(store: &Store) -> Result<bool, StoreError> {
    let discard = store.write(async move |tx| {
        // Guard: only imported rows may be deleted.
        if place(tx).await?.is_none() {
            return Ok(false);
        }
        tx.empty_tables().await.map(|()| true)
    });
    discard.await
}

/// Imports a validated file into a database that is empty or holds an unfinished import of the same file.
/// Afterwards all rows are read back and compared; no server starts on the database before that.
pub async fn import_server<R: BufRead + Seek + Send>(
    app: &Arc<App>,
    input: &mut R,
    file: &Checked,
    foreign_key: ForeignKey,
    on_progress: OnProgress<'_>,
) -> Result<Moved, MoveError> {
    let is_foreign = file.header.key.as_ref().is_some_and(|key| !app.secret.knows(key));
    if is_foreign && foreign_key == ForeignKey::Refuse {
        return Err(MoveError::Refused(format!(
            "the file belongs to a server with another secret key: copy that server's key to {}, or give --new-key \
             and lose links in mails that are under way and mail that waits to be read",
            app.config.key_file().display()
        )));
    }
    let (began, place) = begin(app, file).await?;
    let place = store_rows(app, input, file, place, on_progress).await?;
    compare(&app.store, file, on_progress).await?;
    finish(app, place, is_foreign).await?;
    Ok(Moved { began, rows: file.rows(), sha256: file.sha256.clone() })
}

async fn place(tx: &mut ReadTx) -> Result<Option<Place>, StoreError> {
    let Some(text) = tx.server_metadata(PLACE_FACT).await? else { return Ok(None) };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| StoreError::Corrupt(format!("server_facts: {error}")))
}

async fn keep_place(tx: &mut WriteTx, place: &Place) -> Result<(), StoreError> {
    let text = serde_json::to_string(place).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    tx.save_server_metadata(PLACE_FACT, &text).await
}

/// Resumes an import of this file, or clears the database for a new one.
async fn begin(app: &Arc<App>, file: &Checked) -> Result<(Began, Place), MoveError> {
    let start = Place { file: file.sha256.clone(), rows: 0, bytes: file.first_line.len() as u64 };
    let now = app.clock.now();
    let begun = app.store.write(async move |tx| {
        if let Some(known) = place(tx).await? {
            if known.file != start.file {
                return Err(MoveError::Refused(OTHER_FILE.to_owned()));
            }
            return Ok((Began::After(known.rows), known));
        }
        let mut used = tx.has_people().await?.then_some("users");
        for (table, what) in IN_USE {
            if used.is_none() && tx.has_rows(table).await? {
                used = Some(what);
            }
        }
        if let Some(what) = used {
            return Err(MoveError::Refused(format!(
                "this server has {what} already; only an empty one can import another server"
            )));
        }
        if tx.leader_lease(CLOCK_DUTY).await?.is_some_and(|duty| now < duty.until_at) {
            let why = "a server is running on this database: stop it first";
            return Err(MoveError::Refused(why.to_owned()));
        }
        tx.empty_tables().await?;
        keep_place(tx, &start).await?;
        Ok((Began::Anew, start.clone()))
    });
    begun.await
}

const OTHER_FILE: &str = "the import of another file was interrupted here: give that file, or --start-over to \
                          forget what came of it";

async fn store_rows<R: BufRead + Seek + Send>(
    app: &Arc<App>,
    input: &mut R,
    file: &Checked,
    mut place: Place,
    on_progress: OnProgress<'_>,
) -> Result<Place, MoveError> {
    let total = file.rows();
    input.seek(SeekFrom::Start(place.bytes))?;
    let mut lines = Lines::after(input, 1 + place.rows, place.bytes);
    let mut before = 0;
    for (table, rows) in file.tables() {
        // An interrupted import ended in the middle of a table, or of nothing.
        let mut left = (before + rows).saturating_sub(place.rows).min(rows);
        before += rows;
        while left > 0 {
            let batch = read_batch(&mut lines, table, left)?;
            left -= batch.len() as u64;
            let next = Place { rows: place.rows + batch.len() as u64, bytes: lines.bytes, ..place.clone() };
            store_batch(app, table, batch, &place, &next).await?;
            place = next;
            on_progress(Stage::Storing, place.rows, total);
        }
    }
    Ok(place)
}

fn read_batch<R: BufRead>(
    lines: &mut Lines<R>,
    table: &'static Table,
    left: u64,
) -> Result<Vec<Vec<Cell>>, MoveError> {
    let (mut batch, begins) = (Vec::new(), lines.bytes);
    while (batch.len() as u64) < left && batch.len() < BATCH_ROWS && lines.bytes - begins < BATCH_BYTES {
        let row = lines.next()?.map(|line| read_row(table, line));
        match row {
            Some(Ok(row)) => batch.push(row),
            Some(Err(what)) => return Err(lines.damaged(what)),
            None => return Err(lines.damaged("the file became shorter while it was read")),
        }
    }
    Ok(batch)
}

/// Stores rows and progress, unless somebody else has advanced meanwhile.
async fn store_batch(
    app: &Arc<App>,
    table: &'static Table,
    batch: Vec<Vec<Cell>>,
    from: &Place,
    to: &Place,
) -> Result<(), MoveError> {
    let (from, to) = (from.clone(), to.clone());
    let stored = app.store.write(async move |tx| {
        check_place(tx, &from).await?;
        tx.insert_rows(table, &batch).await?;
        Ok(keep_place(tx, &to).await?)
    });
    stored.await
}

/// Checks that no other import has stored rows since.
async fn check_place(tx: &mut ReadTx, expected: &Place) -> Result<(), MoveError> {
    if place(tx).await?.as_ref() == Some(expected) {
        return Ok(());
    }
    Err(MoveError::Refused("another import is running on this database".to_owned()))
}

async fn compare(store: &Store, file: &Checked, on_progress: OnProgress<'_>) -> Result<(), MoveError> {
    let mut tx = store.read().await?;
    for (table, rows) in file.tables() {
        let stored = tx.count_rows(table).await?;
        if stored != rows {
            return Err(MoveError::Refused(format!(
                "the table {} has {stored} rows, the file {rows}: something else writes to this database; \
                 begin again with --start-over",
                table.name
            )));
        }
    }
    let digest = digest_of(&mut tx, &file.header, &file.first_line, on_progress).await?;
    if digest != file.sha256 {
        return Err(MoveError::Refused(
            "what is stored is not what the file says: something else writes to this database; begin again with \
             --start-over"
                .to_owned(),
        ));
    }
    Ok(())
}

async fn finish(app: &Arc<App>, from: Place, is_foreign: bool) -> Result<(), MoveError> {
    let finished = app.write(async move |tx, app| {
        check_place(tx, &from).await?;
        tx.finish_transfer().await?;
        if is_foreign {
            save_agreed(tx, &app.secret).await?;
        }
        Ok(tx.forget_server_metadata(PLACE_FACT).await?)
    });
    finished.await
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn an_import_goes_on_where_the_program_of_before_stopped() {
        let stored = r#"{"file":"a7","rows":4000,"bytes":1200000}"#;
        let place: Place = serde_json::from_str(stored).unwrap();
        assert_eq!(serde_json::to_string(&place).unwrap(), stored);
    }
}
