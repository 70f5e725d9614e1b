//! knotpost.toml(5): the table of settings of `docs/operations.md` as a manual page.

use std::fmt::Write as _;

/// The document with the table.
const OPERATIONS: &str = include_str!("../../../../../docs/operations.md");
/// The first line of the table.
const HEAD: &str = "| key | default | meaning |";

const BEFORE: &str = "\
.SH NAME
knotpost.toml \\- settings of a Knotpost server
.SH SYNOPSIS
.nf
[server]
name = \"Knotpost\"
address = \"pbmserv@games.example\"
data = \"/var/lib/knotpost\"
.fi
.SH DESCRIPTION
The file is TOML. \\fBknotpost\\fR(1) reads the one after \\fB\\-\\-config\\fR, or \\fIknotpost.toml\\fR in the working
folder. A key that is written here with a dot, such as \\fBserver.name\\fR, is \\fBname\\fR in the section
\\fB[server]\\fR. The environment variable \\fBKNOTPOST_SERVER__NAME\\fR, with two underscores between section and key,
wins over the file. Relative paths belong to the folder of the file.
.PP
\\fBknotpost config check\\fR says whether a server would start with the file, \\fBknotpost config show\\fR prints what is
in force.
.SH SETTINGS
";

const AFTER: &str = "\
.SH \"SEE ALSO\"
\\fBknotpost\\fR(1), \\fBknotpost-config-check\\fR(1)
.PP
\\fIdocs/operations.md\\fR explains more; packages have it in \\fI/usr/share/doc/knotpost\\fR.
";

/// The page in roff.
pub(super) fn page(manual: &str) -> String {
    let mut text = format!(".TH knotpost.toml 5 \"\" \"{}\" \"{manual}\"\n{BEFORE}", super::source());
    for [key, default, meaning] in rows(OPERATIONS) {
        let _ = writeln!(text, ".TP\n{}\n{}", roff(key), roff(&sentence(meaning)));
        let _ = writeln!(text, ".br\nDefault: {}", roff(default));
    }
    text + AFTER
}

/// The cells of the table.
fn rows(document: &str) -> impl Iterator<Item = [&str; 3]> {
    let table = document.lines().skip_while(|line| *line != HEAD).skip(2);
    table.take_while(|line| line.starts_with('|')).filter_map(cells)
}

/// The three cells of a line; a bar that is part of a value is escaped in Markdown.
fn cells(line: &str) -> Option<[&str; 3]> {
    let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
    let row = [cells.next()?, cells.next()?, cells.next()?];
    cells.next().is_none().then_some(row)
}

/// With a capital and a full stop, as texts of manual pages begin and end.
fn sentence(meaning: &str) -> String {
    let mut letters = meaning.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).chain(['.']).collect()
}

/// A cell of Markdown as a line of roff: code is bold, of links the text is left.
fn roff(markdown: &str) -> String {
    let mut line = String::new();
    let mut is_code = false;
    let mut rest = markdown;
    while let Some(letter) = rest.chars().next() {
        let after = rest.strip_prefix(letter).unwrap_or_default();
        rest = match letter {
            '`' => {
                is_code = !is_code;
                line.push_str(if is_code { "\\fB" } else { "\\fR" });
                after
            }
            '[' if !is_code => match link(after) {
                Some((words, after)) => {
                    line.push_str(&roff(words));
                    after
                }
                None => escape(letter, &mut line, after),
            },
            _ => escape(letter, &mut line, after),
        };
    }
    // At the beginning of a line these two make a request of it.
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

/// The words of a link whose bracket is open, and what follows it.
fn link(text: &str) -> Option<(&str, &str)> {
    let (words, rest) = text.split_once("](")?;
    let (_, after) = rest.split_once(')')?;
    (!words.contains('[')).then_some((words, after))
}

/// Appends a letter as roff writes it.
fn escape<'a>(letter: char, line: &mut String, after: &'a str) -> &'a str {
    match letter {
        '\\' => line.push_str("\\e"),
        '-' => line.push_str("\\-"),
        '…' => line.push_str("..."),
        letter => line.push(letter),
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_becomes_a_line_of_roff() {
        assert_eq!(roff("`off` or a [link](#x), see [Rates](#rates)"), "\\fBoff\\fR or a link, see Rates");
        assert_eq!(roff("`[]`"), "\\fB[]\\fR");
        assert_eq!(roff("`./data`"), "\\fB./data\\fR");
        assert_eq!(roff(".x -1 \\n"), "\\&.x \\-1 \\en");
        assert_eq!(sentence("lists with commas"), "Lists with commas.");
    }

    #[test]
    fn each_line_of_the_table_is_read() {
        let lines = OPERATIONS.lines().skip_while(|line| *line != HEAD).skip(2);
        let lines = lines.take_while(|line| line.starts_with('|')).count();
        assert_eq!(rows(OPERATIONS).count(), lines, "a line does not have three cells");
        assert!(lines > 50, "{lines}");
    }
}
