//! Plain-text tables: columns padded to their widest entry, never re-wrapped by anybody.

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A column: its title, how it is set, and how wide it is at least.
#[derive(Clone, Debug)]
pub(super) struct Column {
    title: String,
    align: Align,
    width: usize,
}

impl Column {
    /// A column of words.
    pub(super) fn left(title: &str, width: usize) -> Self {
        Self { title: title.to_owned(), align: Align::Left, width }
    }

    /// A column of numbers.
    pub(super) fn right(title: &str, width: usize) -> Self {
        Self { title: title.to_owned(), align: Align::Right, width }
    }
}

/// A table with a ruled head. Every row has as many entries as there are columns.
pub(super) fn table(columns: &[Column], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let entries = rows.iter().filter_map(|row| row.get(index)).map(|entry| entry.chars().count());
            entries.chain([column.title.chars().count(), column.width]).max().unwrap_or(0)
        })
        .collect();
    let titles: Vec<String> = columns.iter().map(|column| column.title.clone()).collect();
    let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let lefts = vec![Align::Left; columns.len()];
    let aligns: Vec<Align> = columns.iter().map(|column| column.align).collect();
    let mut lines = vec![line(&titles, &widths, &lefts), line(&rules, &widths, &lefts)];
    lines.extend(rows.iter().map(|row| line(row, &widths, &aligns)));
    lines.join("\n")
}

fn line(entries: &[String], widths: &[usize], aligns: &[Align]) -> String {
    let cells: Vec<String> = entries
        .iter()
        .zip(widths)
        .zip(aligns)
        .map(|((entry, width), align)| match align {
            Align::Left => format!("{entry:<width$}"),
            Align::Right => format!("{entry:>width$}"),
        })
        .collect();
    cells.join(" ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_entry() {
        let columns = [Column::right("Board", 5), Column::left("Horz", 10), Column::left("Board Status", 19)];
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
}
