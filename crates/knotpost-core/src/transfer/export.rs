//! Export of an entire server from one snapshot, while it goes on working.

use knotpost_rules::Registry;
use std::io::Write;

use sha2::{Digest as _, Sha256};

use super::line::{FORMAT, Header, LastLine, Section, VERSION, rules_of, to_text, write_json, write_row};
use super::{MoveError, OnProgress, Stage};
use knotpost_storage::{ReadTx, Store, StoreError, Table};

const REPORT_EVERY: u64 = 1 << 13;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    pub tables: Vec<(&'static str, u64)>,
    pub bytes: u64,
    /// SHA-256 of all lines but the last, in hexadecimal.
    pub sha256: String,
}

impl Exported {
    pub fn rows(&self, table: &str) -> u64 {
        self.tables.iter().find(|(name, _)| *name == table).map_or(0, |(_, rows)| *rows)
    }
}

/// Writes all transferable data from one consistent snapshot. Equal contents give equal bytes. On an error
/// the file lacks its last line and is refused by every import.
pub async fn export_server(
    store: &Store,
    registry: &'static Registry,
    out: &mut (dyn Write + Send),
    on_progress: OnProgress<'_>,
) -> Result<Exported, MoveError> {
    let mut tx = store.read().await?;
    let header = header_of(&mut tx, registry).await?;
    let tables =
        Table::moving().zip(&header.tables).map(|(table, section)| (table.name, section.rows)).collect();
    let mut line = Vec::new();
    write_json(&header, &mut line)?;
    let mut tally = Tally::new(out);
    tally.write(&line)?;
    write_rows(&mut tx, &header, &mut tally, Stage::Writing, on_progress).await?;
    let (lines, mut bytes, sha256) = (tally.lines, tally.bytes, to_text(tally.digest));
    line.clear();
    write_json(&LastLine { end: FORMAT.to_owned(), lines, sha256: sha256.clone() }, &mut line)?;
    out.write_all(&line)?;
    out.flush()?;
    bytes += line.len() as u64;
    Ok(Exported { tables, bytes, sha256 })
}

/// Digest of the present content, with this first line.
pub(super) async fn digest_of(
    tx: &mut ReadTx,
    header: &Header,
    first_line: &[u8],
    on_progress: OnProgress<'_>,
) -> Result<String, MoveError> {
    let mut nowhere = std::io::sink();
    let mut tally = Tally::new(&mut nowhere);
    tally.write(first_line)?;
    write_rows(tx, header, &mut tally, Stage::Comparing, on_progress).await?;
    Ok(to_text(tally.digest))
}

async fn header_of(tx: &mut ReadTx, registry: &'static Registry) -> Result<Header, StoreError> {
    let mut tables = Vec::new();
    for table in Table::moving() {
        tables.push(Section::of(table, tx.count_rows(table).await?));
    }
    Ok(Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        schema: tx.schema_version().await?,
        key: tx.server_metadata("key").await?,
        rules: rules_of(registry),
        tables,
    })
}

/// Output with the counts for its last line.
struct Tally<'a> {
    out: &'a mut (dyn Write + Send),
    digest: Sha256,
    lines: u64,
    bytes: u64,
}

impl<'a> Tally<'a> {
    fn new(out: &'a mut (dyn Write + Send)) -> Self {
        Self { out, digest: Sha256::new(), lines: 0, bytes: 0 }
    }

    fn write(&mut self, line: &[u8]) -> std::io::Result<()> {
        self.digest.update(line);
        self.lines += 1;
        self.bytes += line.len() as u64;
        self.out.write_all(line)
    }
}

async fn write_rows(
    tx: &mut ReadTx,
    header: &Header,
    tally: &mut Tally<'_>,
    stage: Stage,
    on_progress: OnProgress<'_>,
) -> Result<(), MoveError> {
    let total = header.tables.iter().map(|section| section.rows).sum();
    let (mut done, mut line) = (0, Vec::new());
    for table in Table::moving() {
        let rows = tx.each_row(table, |cells| {
            line.clear();
            write_row(cells, &mut line)?;
            tally.write(&line)?;
            done += 1;
            if done % REPORT_EVERY == 0 {
                on_progress(stage, done, total);
            }
            Ok::<(), MoveError>(())
        });
        rows.await?;
    }
    on_progress(stage, done, total);
    Ok(())
}
