//! Copies a server's export file many times over, as `docs/formats.md` describes it. Each copy has users, boards and
//! numbers of its own.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::{Context as _, ensure};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The distance of the numbers of one copy from those of the next.
pub(super) const APART: u64 = 10_000;

/// The difference of a value from copy to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// A number that is counted.
    Number,
    /// The name or the address of a user.
    Name,
    /// The next number, which there is one of for all copies.
    Next,
    /// A sum over all copies.
    Sum,
    Same,
}

/// The tables that are copied, with the columns that differ. Whatever is in others is not.
const TABLES: [(&str, &[(&str, Column)]); 10] = [
    ("users", &[("id", Column::Number), ("userid", Column::Name), ("userid_key", Column::Name)]),
    (
        "addresses",
        &[
            ("id", Column::Number),
            ("user_id", Column::Number),
            ("address", Column::Name),
            ("address_key", Column::Name),
        ],
    ),
    ("board_numbers", &[("next", Column::Next)]),
    ("boards", &[("id", Column::Number), ("number", Column::Number)]),
    ("seats", &[("board_id", Column::Number), ("user_id", Column::Number)]),
    ("moves", &[("board_id", Column::Number)]),
    ("remarks", &[("id", Column::Number), ("board_id", Column::Number), ("user_id", Column::Number)]),
    ("ratings", &[("user_id", Column::Number)]),
    (
        "rating_changes",
        &[("board_id", Column::Number), ("user_id", Column::Number), ("place", Column::Number)],
    ),
    ("rating_orders", &[("next", Column::Next), ("players", Column::Sum), ("sum", Column::Sum)]),
];
/// The table with the fingerprint of the server's key.
const FACTS: &str = "server_facts";

/// The rows of a table, each a value for each column.
struct Content {
    columns: Vec<Column>,
    rows: Vec<Vec<Value>>,
    /// Copies of each row; one for what is told of all copies together.
    copies: u64,
}

/// Writes the server of `from` the given number of times.
pub(super) fn write(from: &Path, to: &Path, times: u64) -> anyhow::Result<()> {
    let mut lines = BufReader::new(File::open(from)?).lines();
    let mut header: Value = serde_json::from_str(&lines.next().context("the export is empty")??)?;
    let mut tables = Vec::new();
    for table in header.get_mut("tables").and_then(Value::as_array_mut).context("no tables")? {
        let content = read_table(table, &mut lines, times)?;
        let count = content.rows.len() as u64 * content.copies;
        *table.get_mut("rows").context("no number of rows")? = json!(count);
        tables.push(content);
    }
    let mut out = BufWriter::with_capacity(1 << 20, File::create(to)?);
    let (mut digest, mut count) = (Sha256::new(), 0_u64);
    let mut put = |line: String| {
        digest.update(&line);
        count += 1;
        out.write_all(line.as_bytes())
    };
    put(format!("{header}\n"))?;
    for table in &tables {
        for copy in 0..table.copies {
            for row in &table.rows {
                let values =
                    row.iter().zip(&table.columns).map(|(value, column)| change(value, *column, copy, times));
                put(format!("[{}]\n", values.collect::<Vec<_>>().join(",")))?;
            }
        }
    }
    let digest = HEXLOWER.encode(&digest.finalize());
    writeln!(out, "{{\"end\":\"knotpost-server\",\"lines\":{count},\"sha256\":\"{digest}\"}}")?;
    Ok(out.flush()?)
}

fn read_table(
    table: &Value,
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
    times: u64,
) -> anyhow::Result<Content> {
    let name = table.get("name").and_then(Value::as_str).context("a table has no name")?;
    let known = TABLES.iter().find(|(known, _)| *known == name).map(|(_, columns)| *columns);
    let names = table.get("columns").and_then(Value::as_array).context("a table has no columns")?;
    let kind = |column: &Value| {
        let listed = known.into_iter().flatten().find(|(listed, _)| column == listed);
        listed.map_or(Column::Same, |(_, kind)| *kind)
    };
    let columns: Vec<Column> = names.iter().map(kind).collect();
    let found = columns.iter().filter(|kind| **kind != Column::Same).count();
    ensure!(known.is_none_or(|listed| listed.len() == found), "{name} has other columns: {names:?}");
    let count = table.get("rows").and_then(Value::as_u64).context("a table has no number of rows")?;
    let mut rows = Vec::new();
    for _ in 0..count {
        let row: Vec<Value> = serde_json::from_str(&lines.next().context("the export breaks off")??)?;
        if known.is_some() || name == FACTS {
            rows.push(row);
        }
    }
    for (value, column) in rows.iter().flat_map(|row| row.iter().zip(&columns)) {
        let is_small = value.as_u64().is_none_or(|number| number < APART);
        ensure!(*column != Column::Number || is_small, "{name} has more than {APART} rows");
    }
    let is_for_all = columns.iter().any(|kind| matches!(kind, Column::Next | Column::Sum)) || name == FACTS;
    Ok(Content { columns, rows, copies: if is_for_all { 1 } else { times } })
}

/// A value in the copy of this number.
fn change(value: &Value, column: Column, copy: u64, times: u64) -> String {
    match (column, value) {
        (Column::Number, Value::Number(number)) => {
            number.as_u64().map_or(value.clone(), |number| json!(number + copy * APART)).to_string()
        }
        (Column::Name, Value::String(name)) if copy > 0 => {
            let (name, host) = name.split_at(name.find('@').unwrap_or(name.len()));
            json!(format!("{name}x{copy}{host}")).to_string()
        }
        (Column::Next, Value::Number(number)) => {
            number.as_u64().map_or(value.clone(), |next| json!(next + (times - 1) * APART)).to_string()
        }
        (Column::Sum, Value::Number(number)) => {
            number.as_i64().map_or(value.clone(), |sum| json!(sum * times as i64)).to_string()
        }
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_differ_in_names_and_numbers_and_the_file_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let header = r#"{"format":"knotpost-server","tables":[
            {"name":"server_facts","columns":["name","value"],"rows":1},
            {"name":"users","columns":["id","userid","userid_key","role"],"rows":2},
            {"name":"sessions","columns":["id"],"rows":1},
            {"name":"board_numbers","columns":["game","next"],"rows":1}]}"#
            .replace('\n', "");
        let rows =
            "[\"key\",\"ab\"]\n[1,\"u1\",\"u1\",null]\n[2,\"u2\",\"u2\",\"7\"]\n[5]\n[\"osbox\",103]\n";
        std::fs::write(&from, format!("{header}\n{rows}{{}}\n")).expect("written");
        write(&from, &to, 3).expect("copied");
        let text = std::fs::read_to_string(&to).expect("a file");
        let lines: Vec<&str> = text.lines().collect();
        let first: Value = serde_json::from_str(lines[0]).expect("JSON");
        assert!(lines[0].starts_with(r#"{"format":"knotpost-server""#), "{}", lines[0]);
        let counts: Vec<u64> = first["tables"]
            .as_array()
            .expect("tables")
            .iter()
            .filter_map(|table| table["rows"].as_u64())
            .collect();
        assert_eq!(counts, [1, 6, 0, 1]);
        assert_eq!(lines[1..4], [r#"["key","ab"]"#, r#"[1,"u1","u1",null]"#, r#"[2,"u2","u2","7"]"#]);
        assert_eq!(lines[4..6], [r#"[10001,"u1x1","u1x1",null]"#, r#"[10002,"u2x1","u2x1","7"]"#]);
        assert_eq!(lines[8], r#"["osbox",20103]"#);
        let before = text.find("{\"end\"").expect("an end");
        let digest = HEXLOWER.encode(&Sha256::digest(&text[..before]));
        assert_eq!(lines[9], format!(r#"{{"end":"knotpost-server","lines":9,"sha256":"{digest}"}}"#));
    }
}
