//! The export file: rows of the tables that the server's header announces, then their count and digest.
//!
//! It knows the format, which `docs/formats.md` describes, and not what the columns mean.

use std::io::Write;

use anyhow::Context as _;
use data_encoding::{BASE64, HEXLOWER};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A value of a row.
#[derive(Clone, Debug)]
pub(super) enum Cell<'a> {
    Null,
    Int(i64),
    Flag(bool),
    Real(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// The header of an empty server's export.
#[derive(Clone, Debug)]
pub(super) struct Header(Value);

impl Header {
    /// Parses the first line of a file that the program wrote.
    pub(super) fn read(file: &str) -> anyhow::Result<Self> {
        let line = file.lines().next().context("the export is empty")?;
        Ok(Self(serde_json::from_str(line)?))
    }

    fn tables(&self) -> Vec<(String, Vec<String>)> {
        let tables = self.0.get("tables").and_then(Value::as_array).cloned().unwrap_or_default();
        let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let columns = |table: &Value| {
            table.get("columns").and_then(Value::as_array).map(|all| all.iter().map(name).collect())
        };
        let table = |table: &Value| Some((name(table.get("name")?), columns(table)?));
        tables.iter().filter_map(table).collect()
    }

    /// The names of the tables in their order.
    pub(super) fn names(&self) -> Vec<String> {
        self.tables().into_iter().map(|(name, _)| name).collect()
    }

    /// The fingerprint of the server's key, which is also a row.
    pub(super) fn key(&self) -> Option<String> {
        self.0.get("key").and_then(Value::as_str).map(str::to_owned)
    }

    /// This header with the given numbers of rows, with its keys in the order in which the server writes them.
    fn line(&self, rows: impl Fn(&str) -> u64) -> anyhow::Result<String> {
        let mut header: serde_json::Map<String, Value> = serde_json::from_value(self.0.clone())?;
        let tables: Vec<String> = self
            .tables()
            .into_iter()
            .map(|(name, columns)| {
                let (quoted, count) = (json!(name), rows(&name));
                format!(r#"{{"name":{quoted},"columns":{},"rows":{count}}}"#, json!(columns))
            })
            .collect();
        header.remove("tables");
        let parts: Vec<String> = ["format", "version", "program", "schema", "key", "rules"]
            .into_iter()
            .map(|name| format!("\"{name}\":{}", header.get(name).unwrap_or(&Value::Null)))
            .collect();
        Ok(format!("{{{},\"tables\":[{}]}}\n", parts.join(","), tables.join(",")))
    }
}

/// A file that is being written, or only counted in the first pass.
pub(super) struct Sheet<'a> {
    header: Header,
    out: &'a mut dyn Write,
    digest: Sha256,
    lines: u64,
    line: Vec<u8>,
    /// For each column of the table, the index of its value in the rows passed in.
    places: Vec<Option<usize>>,
}

impl<'a> Sheet<'a> {
    /// Begins a file with the given number of rows of each table.
    pub(super) fn begin(
        header: Header,
        out: &'a mut dyn Write,
        rows: impl Fn(&str) -> u64,
    ) -> anyhow::Result<Self> {
        let first = header.line(rows)?;
        let mut sheet = Self {
            header,
            out,
            digest: Sha256::new(),
            lines: 0,
            line: first.into_bytes(),
            places: Vec::new(),
        };
        sheet.finish_line()?;
        Ok(sheet)
    }

    /// Begins a table: the rows that follow have these columns, and the others are empty.
    pub(super) fn table(&mut self, name: &str, given: &[&str]) -> anyhow::Result<()> {
        let tables = self.header.tables();
        let (_, columns) =
            tables.iter().find(|table| table.0 == name).with_context(|| format!("no {name}"))?;
        for column in given {
            anyhow::ensure!(columns.iter().any(|known| known == column), "{name} has no {column}");
        }
        self.places = columns.iter().map(|column| given.iter().position(|name| name == column)).collect();
        Ok(())
    }

    /// Writes a row.
    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> anyhow::Result<()> {
        self.line.clear();
        for (index, place) in self.places.iter().enumerate() {
            self.line.push(if index == 0 { b'[' } else { b',' });
            let line = &mut self.line;
            match place.and_then(|place| cells.get(place)) {
                None | Some(Cell::Null) => line.extend_from_slice(b"null"),
                Some(Cell::Int(value)) => write!(line, "{value}")?,
                Some(Cell::Flag(value)) => write!(line, "{value}")?,
                Some(Cell::Real(value)) => write!(line, "\"{value:?}\"")?,
                Some(Cell::Text(text)) => serde_json::to_writer(line, text)?,
                Some(Cell::Bytes(bytes)) => write!(line, "\"{}\"", BASE64.encode(bytes))?,
            }
        }
        self.line.extend_from_slice(b"]\n");
        self.finish_line()
    }

    fn finish_line(&mut self) -> anyhow::Result<()> {
        self.digest.update(&self.line);
        self.lines += 1;
        Ok(self.out.write_all(&self.line)?)
    }

    /// Writes the last line.
    pub(super) fn end(self) -> anyhow::Result<u64> {
        let digest = HEXLOWER.encode(&self.digest.finalize());
        let lines = self.lines;
        let last = format!("{{\"end\":\"knotpost-server\",\"lines\":{lines},\"sha256\":\"{digest}\"}}\n");
        self.out.write_all(last.as_bytes())?;
        self.out.flush()?;
        Ok(lines)
    }
}
