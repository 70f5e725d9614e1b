//! Plain-text tables: columns padded to their widest entry, never re-wrapped. A table wider than a mail is narrowed in
//! its columns of words.

use super::board_text::{WIDTH, shortened};
use knotpost_core::replies::{Column, Holds};

/// The least width to which a column of words is narrowed, if its title allows it.
const NARROWEST: usize = 6;

/// A table with a ruled head, as wide as a mail at most. Every row has as many entries as there are columns.
pub(super) fn table(columns: &[Column], rows: &[Vec<String>]) -> String {
    let widths = widths(columns, rows);
    let titles: Vec<String> = columns.iter().map(|column| column.title.clone()).collect();
    let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let lefts = vec![Holds::Words; columns.len()];
    let aligns: Vec<Holds> = columns.iter().map(|column| column.holds).collect();
    let mut lines = vec![line(&titles, &widths, &lefts), line(&rules, &widths, &lefts)];
    for row in rows {
        lines.extend(broken(row, &widths).iter().map(|row| line(row, &widths, &aligns)));
    }
    lines.join("\n")
}

/// Each column as wide as its widest entry, unless the table would be too wide.
fn widths(columns: &[Column], rows: &[Vec<String>]) -> Vec<usize> {
    let wanted = columns.iter().enumerate().map(|(index, column)| {
        let entries = rows.iter().filter_map(|row| row.get(index)).map(|entry| entry.chars().count());
        entries.chain([column.title.chars().count(), column.width]).max().unwrap_or(0)
    });
    let mut widths: Vec<usize> = wanted.collect();
    while widths.iter().sum::<usize>() + columns.len().saturating_sub(1) > WIDTH {
        let may_give_way = |(width, column): &(&mut usize, &Column)| {
            column.holds == Holds::Words && **width > column.title.chars().count().max(NARROWEST)
        };
        let words = widths.iter_mut().zip(columns).filter(may_give_way);
        let Some((widest, _)) = words.max_by_key(|(width, _)| **width) else { break };
        *widest -= 1;
    }
    widths
}

/// A row as lines: entries that are too long continue on the next line, a word that is too long is cut.
fn broken(row: &[String], widths: &[usize]) -> Vec<Vec<String>> {
    let cells: Vec<Vec<String>> =
        row.iter().zip(widths).map(|(entry, width)| broken_entry(entry, *width)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    (0..height)
        .map(|index| cells.iter().map(|cell| cell.get(index).cloned().unwrap_or_default()).collect())
        .collect()
}

fn broken_entry(entry: &str, width: usize) -> Vec<String> {
    if entry.chars().count() <= width {
        return vec![entry.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in entry.split_whitespace().map(|word| shortened(word, width)) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

fn line(entries: &[String], widths: &[usize], aligns: &[Holds]) -> String {
    let cells: Vec<String> = entries
        .iter()
        .zip(widths)
        .zip(aligns)
        .map(|((entry, width), align)| match align {
            Holds::Words => format!("{entry:<width$}"),
            Holds::Numbers => format!("{entry:>width$}"),
        })
        .collect();
    cells.join(" ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_entry() {
        let columns = [
            Column::of_numbers("Board", 5),
            Column::of_words("Horz", 10),
            Column::of_words("Board Status", 19),
        ];
        let rows = vec![
            vec!["123".into(), "ann".into(), "ann's turn".into()],
            vec!["4".into(), "a_very_long_name".into(), "tie".into()],
        ];
        let expected = "\
Board Horz             Board Status
----- ---------------- -------------------
  123 ann              ann's turn
    4 a_very_long_name tie";
        assert_eq!(table(&columns, &rows), expected);
    }

    #[test]
    fn a_table_as_wide_as_a_mail_breaks_and_cuts_words() {
        let columns = [
            Column::of_numbers("Board", 5),
            Column::of_words("Players", 10),
            Column::of_words("Board Status", 19),
        ];
        let name = "x".repeat(20);
        let players = format!("{name} {name} {name} {name}");
        let rows = vec![vec!["101".into(), players, format!("won by {name}")]];
        let text = table(&columns, &rows);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(text.matches(&name).count(), 5, "{text}");
        let narrow: Vec<Column> = (0..6).map(|_| Column::of_words("Player", 10)).collect();
        let text = table(&narrow, &[vec![name.clone(); 6]]);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.contains("xxxxxxxxxx~"), "{text}");
    }
}
