//! Undoes `format=flowed` (RFC 3676): joins lines that a mail program wrapped.

use std::iter::Peekable;
use std::str::Lines;

use mail_parser::ContentType;

pub(super) fn unflow_if_declared(text: String, content: Option<&ContentType<'_>>) -> String {
    let parameter = |name: &str| content.and_then(|content| content.attribute(name)).unwrap_or_default();
    if !parameter("format").eq_ignore_ascii_case("flowed") {
        return text;
    }
    let joint = if parameter("delsp").eq_ignore_ascii_case("yes") { Joint::NoSpace } else { Joint::Space };
    unflow(&text, joint)
}

#[derive(Clone, Copy)]
enum Joint {
    Space,
    NoSpace,
}

fn unflow(text: &str, joint: Joint) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let (depth, line) = split_quote(line);
        let mut paragraph = line.to_owned();
        while let Some(continuation) = continuation(&paragraph, depth, &mut lines) {
            if matches!(joint, Joint::NoSpace) {
                paragraph.pop();
            }
            paragraph.push_str(continuation);
        }
        if depth > 0 {
            out.extend(std::iter::repeat_n('>', depth));
            out.push(' ');
        }
        out.push_str(&paragraph);
        out.push('\n');
    }
    out
}

/// The next line, if it continues the paragraph.
fn continuation<'a>(paragraph: &str, depth: usize, lines: &mut Peekable<Lines<'a>>) -> Option<&'a str> {
    if !paragraph.ends_with(' ') || paragraph == SIGNATURE {
        return None;
    }
    let (next_depth, next) = split_quote(lines.peek()?);
    if next_depth != depth || next == SIGNATURE {
        return None;
    }
    lines.next();
    Some(next)
}

const SIGNATURE: &str = "-- ";

/// Splits into the number of quote marks, and the line after them without space-stuffing.
fn split_quote(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches('>');
    (line.len() - rest.len(), rest.strip_prefix(' ').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_breaks_are_joined_and_hard_ones_kept() {
        assert_eq!(unflow("one \ntwo\nthree\n", Joint::Space), "one two\nthree\n");
        assert_eq!(unflow("han \ndel\n", Joint::NoSpace), "handel\n");
    }

    #[test]
    fn quotes_of_different_depth_are_not_joined() {
        assert_eq!(unflow("> a \n> b\n>> c \nd\n", Joint::Space), "> a b\n>> c \nd\n");
    }

    #[test]
    fn stuffed_lines_lose_their_space_and_signatures_stand_alone() {
        assert_eq!(unflow(" From here\n  two\n", Joint::Space), "From here\n two\n");
        assert_eq!(unflow("bye \n-- \nfred\n", Joint::Space), "bye \n-- \nfred\n");
    }
}
