//! Splits a text of ours into blocks that a page can set: paragraphs, tables, commands, drawings. The words stay the
//! same; only blanks and rules are interpreted.

use serde::Serialize;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Block {
    /// Words that may flow.
    Paragraph {
        /// Its pieces in order.
        spans: Vec<Span>,
    },
    /// A single link.
    Link {
        /// Its target.
        url: String,
    },
    /// Lines that must stay as they are: commands, drawings, lists in columns.
    Set {
        /// The lines without their common indent.
        text: String,
    },
    /// Rows below a ruled head.
    Table {
        columns: Vec<Column>,
        /// The entries, as many in each row as there are columns.
        rows: Vec<Vec<String>>,
    },
    /// A line between two parts.
    Rule,
}

/// A piece of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "text", rename_all = "snake_case")]
pub(super) enum Span {
    Words(String),
    /// Text to be typed.
    Code(String),
    /// Target of a link.
    Link(String),
    /// The end of a line that stays one.
    Break,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Column {
    title: String,
    is_number: bool,
}

/// The shortest line of dashes or stars that separates parts of a text.
const RULE: usize = 20;

/// The blocks of a text whose paragraphs are separated by empty lines.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    split(text, None)
}

/// The same for a text whose lines mean something, such as a legend: only those are joined that were broken because the
/// next word did not fit into `width` columns.
pub(super) fn lined_blocks(text: &str, width: usize) -> Vec<Block> {
    split(text, Some(width))
}

fn split(text: &str, width: Option<usize>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    for part in lines.split(|line| line.is_empty()).filter(|part| !part.is_empty()) {
        for part in part.chunk_by(|one, next| !is_rule(one) && !is_rule(next)) {
            match part {
                [line] if is_rule(line) => blocks.push(Block::Rule),
                [head, rule, rows @ ..] if is_table_rule(rule) => {
                    let end = rows.iter().position(|row| row.starts_with("... ")).unwrap_or(rows.len());
                    let (rows, after) = rows.split_at(end);
                    blocks.push(table(head, rule, rows));
                    push_lines(&mut blocks, after, width);
                }
                part => push_lines(&mut blocks, part, width),
            }
        }
    }
    blocks
}

fn is_rule(line: &str) -> bool {
    line.len() >= RULE && (line.bytes().all(|sign| sign == b'-') || line.bytes().all(|sign| sign == b'*'))
}

fn is_table_rule(line: &str) -> bool {
    line.contains("-- -") && line.bytes().all(|sign| sign == b'-' || sign == b' ')
}

/// Lines of one part: those that begin with blanks are set apart; a part in columns stays whole.
fn push_lines(blocks: &mut Vec<Block>, part: &[&str], width: Option<usize>) {
    if part.iter().any(|line| is_in_columns(line)) {
        return push_set(blocks, part);
    }
    for run in part.chunk_by(|one, next| one.starts_with(' ') == next.starts_with(' ')) {
        match run {
            [line, ..] if line.starts_with(' ') => push_set(blocks, run),
            [line] if is_link(line) => blocks.push(Block::Link { url: (*line).to_owned() }),
            run => blocks.push(Block::Paragraph { spans: spans_of(run, width) }),
        }
    }
}

/// True if blanks within the line mean something, or it belongs to a drawing.
fn is_in_columns(line: &str) -> bool {
    let line = line.trim_start();
    line.contains("   ") || line.starts_with("+-") || (line.starts_with('|') && line.ends_with('|'))
}

/// Lines as they are. Two such blocks in a row belong together: an empty line may be part of a drawing.
fn push_set(blocks: &mut Vec<Block>, lines: &[&str]) {
    let joined = lines.join("\n");
    if let Some(Block::Set { text }) = blocks.last_mut() {
        text.push_str("\n\n");
        text.push_str(&joined);
    } else {
        blocks.push(Block::Set { text: joined });
    }
}

fn is_link(line: &str) -> bool {
    (line.starts_with("https://") || line.starts_with("http://")) && !line.contains(' ')
}

/// The pieces of lines that flow; with a width, what was not broken for it stays broken.
fn spans_of(lines: &[&str], width: Option<usize>) -> Vec<Span> {
    let Some(width) = width else { return spans(&lines.join(" ")) };
    let goes_on = |line: &&str, next: &&str| {
        let word = next.split(' ').next().unwrap_or_default();
        line.chars().count() + 1 + word.chars().count() > width
    };
    let mut all = Vec::new();
    for whole in lines.chunk_by(goes_on) {
        if !all.is_empty() {
            all.push(Span::Break);
        }
        all.extend(spans(&whole.join(" ")));
    }
    all
}

fn spans(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    for (index, piece) in text.split('`').enumerate() {
        // Text between two backticks is code; a last backtick alone begins none.
        let closed = text.matches('`').count() > index;
        match piece {
            "" => {}
            piece if index % 2 == 1 && closed => spans.push(Span::Code(piece.to_owned())),
            piece => push_words(&mut spans, piece),
        }
    }
    spans
}

fn push_words(spans: &mut Vec<Span>, text: &str) {
    let mut words = String::new();
    for word in text.split_inclusive(' ') {
        if is_link(word.trim_end()) {
            let link = word.trim_end().trim_end_matches(['.', ',', ')']);
            if !words.is_empty() {
                spans.push(Span::Words(std::mem::take(&mut words)));
            }
            spans.push(Span::Link(link.to_owned()));
            words.push_str(word.get(link.len()..).unwrap_or_default());
        } else {
            words.push_str(word);
        }
    }
    if !words.is_empty() {
        spans.push(Span::Words(words));
    }
}

/// A table as `table` sets it: each column as wide as its dashes, entries that are too long going on below.
fn table(head: &str, rule: &str, lines: &[&str]) -> Block {
    let widths: Vec<usize> = rule.split(' ').map(str::len).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines {
        let cells = cells(line, &widths);
        let goes_on = cells.first().is_some_and(String::is_empty) && widths.len() > 1;
        match rows.last_mut().filter(|_| goes_on) {
            Some(row) => {
                for (whole, more) in row.iter_mut().zip(cells).filter(|(_, more)| !more.is_empty()) {
                    whole.push(' ');
                    whole.push_str(&more);
                }
            }
            None => rows.push(cells),
        }
    }
    let is_number = |column: usize| {
        let mut entries = rows.iter().filter_map(|row| row.get(column)).filter(|entry| !entry.is_empty());
        entries.all(|entry| entry.chars().all(|c| c.is_ascii_digit() || "-/.".contains(c)))
    };
    let titles = cells(head, &widths).into_iter().enumerate();
    let columns = titles.map(|(index, title)| Column { title, is_number: is_number(index) }).collect();
    Block::Table { columns, rows }
}

/// The last column takes the rest of the line.
fn cells(line: &str, widths: &[usize]) -> Vec<String> {
    let signs: Vec<char> = line.chars().collect();
    let mut start = 0;
    let last = widths.len().saturating_sub(1);
    let cells = widths.iter().enumerate().map(|(index, width)| {
        let end = if index == last { signs.len() } else { (start + width).min(signs.len()) };
        let cell: String = signs.get(start.min(end)..end).unwrap_or_default().iter().collect();
        start += width + 1;
        cell.trim().to_owned()
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Block {
        Block::Paragraph { spans: vec![Span::Words(text.to_owned())] }
    }

    #[test]
    fn paragraphs_commands_and_rules_are_told_apart() {
        let text = "One\ntwo:\n   set a b\n\nThree\n------------------------------\nhttp://x/y\n";
        let expected = [
            words("One two:"),
            Block::Set { text: "   set a b".to_owned() },
            words("Three"),
            Block::Rule,
            Block::Link { url: "http://x/y".to_owned() },
        ];
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn code_and_links_stand_out_in_a_paragraph() {
        let spans = spans("Say `help osbox` or see http://x/y. A lone ` stays.");
        let expected = [
            Span::Words("Say ".to_owned()),
            Span::Code("help osbox".to_owned()),
            Span::Words(" or see ".to_owned()),
            Span::Link("http://x/y".to_owned()),
            Span::Words(". A lone ".to_owned()),
            Span::Words(" stays.".to_owned()),
        ];
        assert_eq!(spans, expected);
    }

    #[test]
    fn the_lines_of_a_legend_stay_lines_unless_they_were_broken_for_width() {
        let text = "Signs: . dark\nX can claim: d4\nA move lists the dice, joined by commas:\nbehind it";
        let expected = [
            Span::Words("Signs: . dark".to_owned()),
            Span::Break,
            Span::Words("X can claim: d4".to_owned()),
            Span::Break,
            Span::Words("A move lists the dice, joined by commas: behind it".to_owned()),
        ];
        assert_eq!(lined_blocks(text, 42), [Block::Paragraph { spans: expected.to_vec() }]);
    }

    #[test]
    fn a_ruled_head_makes_a_table_with_its_long_entries_joined() {
        let text =
            "Board Name     Status\n----- -------- ------\n  101 ann bob  won by\n               ann\n";
        let [Block::Table { columns, rows }] = &blocks(text)[..] else { panic!("a table") };
        assert!(columns[0].is_number && !columns[1].is_number);
        assert_eq!(rows, &[["101", "ann bob", "won by ann"]]);
    }

    #[test]
    fn a_drawing_stays_one_piece() {
        let text = "  a b\n\n+---+---+\n| 1 |   |\n+---+---+";
        assert_eq!(blocks(text), [Block::Set { text: text.to_owned() }]);
    }
}
