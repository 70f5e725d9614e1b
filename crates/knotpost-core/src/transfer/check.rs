//! Validation of a whole file before anything of it is stored.

use std::io::{BufRead, Seek, SeekFrom};

use knotpost_rules::Registry;
use sha2::{Digest as _, Sha256};

use super::line::{FORMAT, Header, LastLine, Lines, Section, VERSION, read_row, rules_of, to_text};
use super::{MoveError, OnProgress, Stage};
use knotpost_storage::Table;

const REPORT_EVERY: u64 = 1 << 13;

/// A complete file, fit for this program.
#[derive(Clone, Debug)]
pub struct Checked {
    pub(super) header: Header,
    /// With line end.
    pub(super) first_line: Vec<u8>,
    /// SHA-256 of all lines but the last, in hexadecimal.
    pub(super) sha256: String,
}

impl Checked {
    pub fn rows(&self) -> u64 {
        self.header.tables.iter().map(|section| section.rows).sum()
    }

    pub(super) fn tables(&self) -> impl Iterator<Item = (&'static Table, u64)> {
        Table::moving().zip(&self.header.tables).map(|(table, section)| (table, section.rows))
    }
}

pub fn is_export(begins: &[u8]) -> bool {
    begins.starts_with(br#"{"format":"knotpost-"#)
}

/// Validates a file: header against program and schema, rows against tables, counts and digest of the last
/// line. Rewinds `input`. Damaged, truncated and foreign files are errors.
pub fn check_export<R: BufRead + Seek>(
    input: &mut R,
    registry: &Registry,
    schema: i64,
    on_progress: OnProgress<'_>,
) -> Result<Checked, MoveError> {
    input.seek(SeekFrom::Start(0))?;
    let mut lines = Lines::new(&mut *input);
    let mut digest = Sha256::new();
    let first_line = lines.next()?.ok_or_else(|| refused("the file is empty"))?.to_vec();
    digest.update(&first_line);
    let header = read_header(&lines, &first_line, registry, schema)?;
    let mut checked = Checked { header, first_line, sha256: String::new() };
    let total = checked.rows();
    let mut done = 0;
    for (table, rows) in checked.tables() {
        for _ in 0..rows {
            let line = lines.next()?.map(|line| {
                digest.update(line);
                read_row(table, line).map(drop)
            });
            match line {
                Some(Ok(())) => done += 1,
                Some(Err(what)) => return Err(lines.damaged(what)),
                None => return Err(lines.damaged("the file breaks off after this")),
            }
            if done % REPORT_EVERY == 0 {
                on_progress(Stage::Checking, done, total);
            }
        }
    }
    checked.sha256 = to_text(digest);
    check_end(&mut lines, &checked.sha256)?;
    on_progress(Stage::Checking, done, total);
    input.seek(SeekFrom::Start(0))?;
    Ok(checked)
}

fn refused(what: impl Into<String>) -> MoveError {
    MoveError::Refused(what.into())
}

fn check_end<R: BufRead>(lines: &mut Lines<R>, sha256: &str) -> Result<(), MoveError> {
    let before = lines.count;
    let end: Option<LastLine> = match lines.next()? {
        None => return Err(lines.damaged("the file breaks off after this")),
        Some(line) => serde_json::from_slice(line).ok(),
    };
    let Some(end) = end.filter(|end| end.end == FORMAT) else {
        return Err(lines.damaged("here the file should end, with its count and digest"));
    };
    if end.lines != before || end.sha256 != sha256 {
        return Err(lines.damaged("the digest of the file is another one: something in it was changed"));
    }
    match lines.next()? {
        None => Ok(()),
        Some(_) => Err(lines.damaged("something follows behind the end of the file")),
    }
}

fn read_header<R: BufRead>(
    lines: &Lines<R>,
    line: &[u8],
    registry: &Registry,
    schema: i64,
) -> Result<Header, MoveError> {
    /// Fields common to all versions of the format.
    #[derive(serde::Deserialize)]
    struct Beginning {
        format: String,
        version: u32,
        #[serde(default)]
        program: String,
    }
    let begins: Beginning = serde_json::from_slice(line)
        .map_err(|_| lines.damaged("this is not how a file with an exported server begins"))?;
    if begins.format != FORMAT {
        return Err(refused(format!("the file is a `{}`; this program takes a `{FORMAT}`", begins.format)));
    }
    if begins.version != VERSION {
        return Err(refused(format!(
            "the file is of version {} of the format, written by knotpost {}; this program knows version {VERSION}",
            begins.version, begins.program
        )));
    }
    let header: Header = serde_json::from_slice(line).map_err(|error| lines.damaged(error.to_string()))?;
    check_schema(&header, schema)?;
    check_rules(&header, registry)?;
    let ours = Table::moving().zip(&header.tables).map(|(table, section)| Section::of(table, section.rows));
    if header.tables.len() != Table::moving().count() || !ours.eq(header.tables.iter().cloned()) {
        return Err(lines.damaged("the tables are not those of this schema"));
    }
    Ok(header)
}

fn check_schema(header: &Header, schema: i64) -> Result<(), MoveError> {
    let (theirs, program) = (header.schema, &header.program);
    match theirs.cmp(&schema) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(refused(format!(
            "the file was written by a newer knotpost ({program}, schema {theirs}; here it is {schema}): \
             import it with that version or a later one"
        ))),
        std::cmp::Ordering::Less => Err(refused(format!(
            "the file was written by an older knotpost ({program}, schema {theirs}; here it is {schema}): \
             import it with that version, then start this one, which brings the database up to date"
        ))),
    }
}

fn check_rules(header: &Header, registry: &Registry) -> Result<(), MoveError> {
    let ours = rules_of(registry);
    for (game, version) in &header.rules {
        match ours.get(game) {
            None => return Err(refused(format!("the file has the game `{game}`, which this program lacks"))),
            Some(known) if known < version => {
                return Err(refused(format!(
                    "the file has {game} by version {version} of its rules, this program knows version {known}: \
                     import it with a newer knotpost"
                )));
            }
            Some(_) => {}
        }
    }
    Ok(())
}
