//! Writes the archive: a ZIP with one JSON file for each table and one record for each board.

use knotpost_commands::Vocabulary;
use std::fmt;
use std::io::{self, Write};

use serde_json::{Map, Value};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::readme::readme;
use super::shown::show;
use crate::app::App;
use crate::boards::{Board, Games};
use crate::records::record_of;
use knotpost_model::{BoardRef, UserKey};
use knotpost_storage::{BoardFilter, Personal, ReadTx, StoreError, Table, UserRow};

/// Boards listed at once …
const PAGE: i64 = 100;
/// … of which this many at a time are in memory.
const BOARDS_AT_ONCE: usize = 10;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive {
    pub rows: u64,
    pub boards: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("there is no user `{0}`")]
    NoSuchUser(String),
    #[error("the archive cannot be written")]
    File(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<zip::result::ZipError> for ArchiveError {
    fn from(error: zip::result::ZipError) -> Self {
        Self::File(error.into())
    }
}

struct Writing<'a> {
    zip: ZipWriter<StreamWriter<&'a mut (dyn Write + Send)>>,
    options: SimpleFileOptions,
    written: Archive,
}

impl fmt::Debug for Writing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writing").field("written", &self.written).finish_non_exhaustive()
    }
}

/// Writes all data about a user into `out` from one consistent snapshot. Streams: memory does not grow with
/// rows or boards. On an error `out` is incomplete.
pub async fn write_archive(
    app: &App,
    userid: &str,
    out: &mut (dyn Write + Send),
) -> Result<Archive, ArchiveError> {
    let mut tx = app.store.read().await?;
    let Some(user) = tx.find_user(userid).await? else {
        return Err(ArchiveError::NoSuchUser(userid.to_owned()));
    };
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut writing = Writing { zip: ZipWriter::new_stream(out), options, written: Archive::default() };
    writing.add("README.txt", readme(app.clock.as_ref(), &app.config, &user).as_bytes())?;
    for (table, personal) in Table::personal() {
        writing.add_table(&app.vocabulary, &mut tx, table, &personal, user.id).await?;
    }
    writing.add_boards(&app.games, &mut tx, &user).await?;
    let Writing { zip, written, .. } = writing;
    zip.finish()?.into_inner().flush()?;
    Ok(written)
}

impl Writing<'_> {
    fn add(&mut self, name: &str, content: &[u8]) -> Result<(), ArchiveError> {
        self.zip.start_file(name, self.options)?;
        Ok(self.zip.write_all(content)?)
    }

    async fn add_table(
        &mut self,
        vocabulary: &Vocabulary,
        tx: &mut ReadTx,
        table: &Table,
        personal: &Personal,
        user: UserKey,
    ) -> Result<(), ArchiveError> {
        self.zip.start_file(format!("{}.json", personal.file), self.options)?;
        let mut rows = 0_u64;
        let (zip, mut line) = (&mut self.zip, Vec::new());
        let each = tx.each_personal(table, personal, user, |cells| {
            let fields = table.fields().zip(cells);
            let fields: Map<String, Value> = fields
                .map(|(field, cell)| (field.name.to_owned(), show(vocabulary, cell, field.format)))
                .collect();
            line.clear();
            line.extend_from_slice(if rows == 0 { b"[\n" } else { b",\n" });
            serde_json::to_writer(&mut line, &fields).map_err(io::Error::from)?;
            rows += 1;
            zip.write_all(&line).map_err(ArchiveError::from)
        });
        each.await?;
        self.zip.write_all(if rows == 0 { b"[]\n" } else { b"\n]\n" })?;
        self.written.rows += rows;
        Ok(())
    }

    /// Public record of each board: nothing hidden of a game in play.
    async fn add_boards(
        &mut self,
        games: &Games,
        tx: &mut ReadTx,
        user: &UserRow,
    ) -> Result<(), ArchiveError> {
        let mut filter = BoardFilter { user: Some(user.id), ..BoardFilter::default() };
        loop {
            let mut page = tx.list_boards(&filter, PAGE).await?;
            filter.after = page.last().map(|row| row.id);
            let is_last = (page.len() as i64) < PAGE;
            page.retain(|row| games.registry.find(&row.game).is_some());
            for rows in page.chunks(BOARDS_AT_ONCE) {
                for board in Board::from_rows(tx, games, rows).await? {
                    let board = board?;
                    let record = record_of(tx, &board).await?.to_string();
                    let BoardRef { game, number } = board.name();
                    self.add(&format!("boards/{game}-{number}.txt"), record.as_bytes())?;
                    self.written.boards += 1;
                    // Each is computed without a pause on SQLite.
                    tokio::task::yield_now().await;
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }
}
