//! knotpost.toml(5): the settings as a manual page.

use std::fmt::Write as _;

use knotpost_core::config::SettingText;

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
\\fIdocs/operations\\fR explains more; packages have it in \\fI/usr/share/doc/knotpost/operations\\fR.
";

pub(super) fn page(manual: &str) -> String {
    let mut text = format!(".TH knotpost.toml 5 \"\" \"{}\" \"{manual}\"\n{BEFORE}", super::source());
    for section in knotpost_core::config::describe() {
        let _ = writeln!(text, ".SS [{}]\n{}", section.name, roff(&section.about));
        for SettingText { key, default, meaning } in section.settings {
            let _ = writeln!(text, ".TP\n\\fB{}.{key}\\fR\n{}", section.name, roff(&meaning));
            let _ = writeln!(text, ".br\nDefault: {}", roff(&default));
        }
    }
    text + AFTER
}

/// Turns Markdown without links into a line of roff: code is bold.
pub(super) fn roff(markdown: &str) -> String {
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
            _ => escape(letter, &mut line, after),
        };
    }
    // At the beginning of a line these two make a request of it.
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

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
    fn a_text_becomes_a_line_of_roff() {
        assert_eq!(roff("`off` or [on]"), "\\fBoff\\fR or [on]");
        assert_eq!(roff("`[]`"), "\\fB[]\\fR");
        assert_eq!(roff("`./data`"), "\\fB./data\\fR");
        assert_eq!(roff(".x -1 \\n"), "\\&.x \\-1 \\en");
    }
}
