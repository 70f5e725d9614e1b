//! Lines of the file: header, one line per row, end. Equal content gives equal bytes.

use std::collections::BTreeMap;
use std::io::BufRead;

use data_encoding::BASE64;
use knotpost_rules::Registry;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::MoveError;
use crate::identity::hashing::too_costly;
use knotpost_storage::{Cell, Column, Kind, Table};

pub(super) const FORMAT: &str = "knotpost-server";
/// A reader accepts its own version only.
pub(super) const VERSION: u32 = 1;
/// Longer than any line of ours; the largest rows hold a mail.
const LONGEST_LINE: u64 = 64 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) format: String,
    pub(super) version: u32,
    pub(super) program: String,
    pub(super) schema: i64,
    pub(super) key: Option<String>,
    pub(super) rules: BTreeMap<String, u32>,
    pub(super) tables: Vec<Section>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Section {
    pub(super) name: String,
    /// In the order of a row's values.
    pub(super) columns: Vec<String>,
    pub(super) rows: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LastLine {
    pub(super) end: String,
    pub(super) lines: u64,
    /// SHA-256 of all bytes before this line, in hexadecimal.
    pub(super) sha256: String,
}

impl Section {
    pub(super) fn of(table: &Table, rows: u64) -> Self {
        let columns = table.columns.iter().map(|column| column.name.to_owned()).collect();
        Self { name: table.name.to_owned(), columns, rows }
    }
}

pub(super) fn rules_of(registry: &Registry) -> BTreeMap<String, u32> {
    registry.iter().map(|game| (game.meta().name.to_owned(), game.meta().rules_version)).collect()
}

pub(super) fn to_text(digest: Sha256) -> String {
    data_encoding::HEXLOWER.encode(&digest.finalize())
}

pub(super) fn write_json(value: &impl Serialize, line: &mut Vec<u8>) -> std::io::Result<()> {
    serde_json::to_writer(&mut *line, value)?;
    line.push(b'\n');
    Ok(())
}

/// Fractions are strings, so that no reader rounds them; bytes are base64.
pub(super) fn write_row(cells: &[Cell], line: &mut Vec<u8>) -> std::io::Result<()> {
    use std::io::Write as _;
    for (index, cell) in cells.iter().enumerate() {
        line.push(if index == 0 { b'[' } else { b',' });
        match cell {
            Cell::Null => line.extend_from_slice(b"null"),
            Cell::Int(value) => write!(line, "{value}")?,
            Cell::Flag(value) => write!(line, "{value}")?,
            Cell::Real(value) => write!(line, "\"{value:?}\"")?,
            // NUL can be stored by SQLite but not by PostgreSQL.
            Cell::Text(text) if text.contains('\0') => {
                serde_json::to_writer(&mut *line, &text.replace('\0', "\u{fffd}"))?;
            }
            Cell::Text(text) => serde_json::to_writer(&mut *line, text)?,
            Cell::Bytes(bytes) => write!(line, "\"{}\"", BASE64.encode(bytes))?,
        }
    }
    line.extend_from_slice(b"]\n");
    Ok(())
}

pub(super) fn read_row(table: &Table, line: &[u8]) -> Result<Vec<Cell>, String> {
    let values: Vec<Value> = serde_json::from_slice(line)
        .map_err(|error| format!("that is no row of the table {}: {error}", table.name))?;
    if values.len() != table.columns.len() {
        let (have, want) = (values.len(), table.columns.len());
        return Err(format!("a row of the table {} has {want} values, this one {have}", table.name));
    }
    let cells: Vec<Cell> = table
        .columns
        .iter()
        .zip(values)
        .map(|(column, value)| read_cell(*column, value))
        .collect::<Result<_, _>>()?;
    for (column, cell) in table.columns.iter().zip(&cells) {
        if let (("users", "password_hash"), Cell::Text(hash)) = ((table.name, column.name), cell)
            && let Some(why) = too_costly(hash)
        {
            let userid = table.columns.iter().position(|column| column.name == "userid");
            let Some(Cell::Text(userid)) = userid.and_then(|index| cells.get(index)) else { return Err(why) };
            return Err(format!("the user {userid} cannot be taken over: {why}"));
        }
    }
    Ok(cells)
}

fn read_cell(column: Column, value: Value) -> Result<Cell, String> {
    let cell = match (column.kind, value) {
        (_, Value::Null) => Some(Cell::Null),
        (Kind::Int, Value::Number(number)) => number.as_i64().map(Cell::Int),
        (Kind::Flag, Value::Bool(flag)) => Some(Cell::Flag(flag)),
        (Kind::Real, Value::String(text)) => {
            text.parse().ok().filter(|real: &f64| real.is_finite()).map(Cell::Real)
        }
        (Kind::Text, Value::String(text)) => (!text.contains('\0')).then_some(Cell::Text(text)),
        (Kind::Bytes, Value::String(text)) => BASE64.decode(text.as_bytes()).ok().map(Cell::Bytes),
        _ => None,
    };
    cell.ok_or_else(|| format!("the value of `{}` is not of its kind", column.name))
}

pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    pub(super) count: u64,
    pub(super) bytes: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), count: 0, bytes: 0 }
    }

    /// Continues after `count` lines and `bytes` bytes.
    pub(super) fn after(input: R, count: u64, bytes: u64) -> Self {
        Self { count, bytes, ..Self::new(input) }
    }

    /// Line with its end; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, MoveError> {
        use std::io::Read as _;
        self.buffer.clear();
        let read = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(None);
        }
        self.count += 1;
        self.bytes += read as u64;
        if self.buffer.last() != Some(&b'\n') {
            return Err(self.damaged("the file breaks off here"));
        }
        Ok(Some(&self.buffer))
    }

    pub(super) fn damaged(&self, what: impl Into<String>) -> MoveError {
        MoveError::Damaged { line: self.count, what: what.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_with_a_costly_hash_is_not_taken_over() {
        let users = Table::moving().find(|table| table.name == "users").expect("there are users");
        let row = |costs: &str| {
            let hash = format!(
                "$argon2id$v=19${costs}$bm9ib2R5J3Mgc2FsdCAxNg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            );
            let row = serde_json::json!([1, "Ann", "ann", hash, "user", "active", 0, null, 0]);
            read_row(users, row.to_string().as_bytes())
        };
        assert!(row("m=19456,t=2,p=1").is_ok());
        let refused = row("m=4194304,t=2,p=1").expect_err("it would take 4 GiB");
        assert!(refused.contains("Ann") && refused.contains("new password"), "{refused}");
    }
}
