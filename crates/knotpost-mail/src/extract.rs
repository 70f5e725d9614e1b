//! Extracts the sender's own words from the text of a mail.
//!
//! Drops quotes and their attribution, signatures, adverts of telephones. Text above, between or below quotes stays,
//! and so does everything uncertain: a quote too many costs a sentence in a comment, a sentence too few may be a move.

use super::{quoting, trimmings};

/// A text without quotes, and without blank lines at either end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Remaining lines, in order.
    pub lines: Vec<String>,
}

impl Extracted {
    /// Joins the lines to one text.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// Splits off the first line; the rest has no blank lines around.
    pub fn split_first(&self) -> Option<(&str, String)> {
        let (first, rest) = self.lines.split_first()?;
        Some((first.trim(), rest.join("\n").trim().to_owned()))
    }
}

/// Extracts the sender's own words from a readable text.
pub fn extract(text: &str) -> Extracted {
    let lines: Vec<&str> = text.lines().collect();
    let mut marks: Vec<Mark> =
        lines.iter().map(|line| if quoting::is_quoted(line) { Mark::Quote } else { Mark::Own }).collect();
    trimmings::mark_armor(&lines, &mut marks);
    mark_whole_messages(&lines, &mut marks);
    mark_attributions(&lines, &mut marks);
    trimmings::mark_warnings(&lines, &mut marks);
    mark_unmarked_quotes(&lines, &mut marks);
    trimmings::mark_signatures(&lines, &mut marks);
    trimmings::mark_adverts(&lines, &mut marks);
    Extracted { lines: collect(&lines, &marks) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Own,
    /// Marked with `>`, or part of an included message.
    Quote,
    Trimmings,
}

/// True if nothing is visible: blanks, and joiners with nothing to join.
pub(super) fn is_blank(line: &str) -> bool {
    line.chars().all(|c| c.is_whitespace() || matches!(c, '\u{200c}' | '\u{200d}'))
}

pub(super) fn is_own(lines: &[&str], marks: &[Mark], index: usize) -> bool {
    marks.get(index) == Some(&Mark::Own) && lines.get(index).is_some_and(|line| !is_blank(line))
}

/// Marks included messages, from a separator or a header block to the end, unless their lines are marked with `>`.
fn mark_whole_messages(lines: &[&str], marks: &mut [Mark]) {
    let mut at = 0;
    while at < lines.len() {
        let head = if marks.get(at) == Some(&Mark::Own) {
            message_head(lines.get(at..).unwrap_or_default())
        } else {
            0
        };
        if head == 0 {
            at += 1;
            continue;
        }
        let body =
            (at + head..lines.len()).find(|&index| lines.get(index).is_some_and(|line| !is_blank(line)));
        let marked = body.is_some_and(|index| marks.get(index) == Some(&Mark::Quote));
        let end = if marked { at + head } else { lines.len() };
        marks.iter_mut().take(end).skip(at).for_each(|mark| *mark = Mark::Quote);
        at = end;
    }
}

/// Length of a separator, of a rule with a header block, or of a header block alone; 0 without one.
fn message_head(lines: &[&str]) -> usize {
    let Some(first) = lines.first().filter(|line| !is_blank(line)) else { return 0 };
    let separator = quoting::is_separator(first);
    let mut start = 0;
    if separator || quoting::is_rule(first) || quoting::is_title(first) {
        start = 1 + lines.iter().skip(1).take(2).take_while(|line| is_blank(line)).count();
    }
    match quoting::header_block(lines.get(start..).unwrap_or_default()) {
        0 if separator => 1,
        0 => 0,
        block => start + block,
    }
}

/// Counts an attribution only directly above a quote, with at most one blank line between.
fn mark_attributions(lines: &[&str], marks: &mut [Mark]) {
    for start in 0..lines.len() {
        let begins =
            marks.get(start) == Some(&Mark::Quote) && start > 0 && marks.get(start - 1) != Some(&Mark::Quote);
        if !begins {
            continue;
        }
        let blanks = lines.iter().take(start).rev().take(2).take_while(|line| is_blank(line)).count();
        let end = start - blanks;
        let length = attribution_length(lines.get(..end).unwrap_or_default(), marks);
        marks.iter_mut().take(end).skip(end - length).for_each(|mark| *mark = Mark::Quote);
    }
}

/// Length of the attribution at the end: one line, or up to three if the program wrapped a long one.
fn attribution_length(lines: &[&str], marks: &[Mark]) -> usize {
    let mut fallback = 0;
    for length in 1..=3.min(lines.len()) {
        let start = lines.len() - length;
        if !is_own(lines, marks, start) {
            break;
        }
        let block = lines.get(start..).unwrap_or_default();
        if !quoting::is_attribution(&block.join(" ")) {
            continue;
        }
        let first = block.first().copied().unwrap_or_default();
        if quoting::opens_attribution(first) {
            return length;
        }
        // The address was wrapped, so the line above belongs to it, whatever it says.
        if fallback == 0 && !quoting::is_rest_of_address(first) {
            fallback = length;
        }
    }
    fallback
}

/// Finds unmistakable attributions above quotes without marks. Below words of the sender all of the rest is the quote;
/// otherwise its extent is unknown, and only the attribution is dropped.
fn mark_unmarked_quotes(lines: &[&str], marks: &mut [Mark]) {
    let (mut at, mut above) = (0, false);
    while at < lines.len() {
        if !is_own(lines, marks, at) {
            at += 1;
            continue;
        }
        let length = full_attribution(lines, marks, at);
        if length == 0 {
            above = true;
            at += 1;
            continue;
        }
        let below =
            (at + length..lines.len()).find(|&index| lines.get(index).is_some_and(|line| !is_blank(line)));
        let marked = below.is_some_and(|index| marks.get(index) == Some(&Mark::Quote));
        let end = if above && !marked { lines.len() } else { at + length };
        marks.iter_mut().take(end).skip(at).for_each(|mark| *mark = Mark::Quote);
        at = end;
    }
}

/// Length of an attribution with name, address, date and verb that begins a paragraph at this line.
fn full_attribution(lines: &[&str], marks: &[Mark], at: usize) -> usize {
    let begins = at.checked_sub(1).is_none_or(|before| !is_own(lines, marks, before));
    if !begins {
        return 0;
    }
    let fits = |length: &usize| {
        (at..at + length).all(|index| is_own(lines, marks, index))
            && lines.get(at..at + length).is_some_and(|block| quoting::is_full_attribution(&block.join(" ")))
    };
    (1..=3).find(fits).unwrap_or(0)
}

/// Leaves at most one blank line in place of dropped ones.
fn collect(lines: &[&str], marks: &[Mark]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut gap = false;
    for (line, mark) in lines.iter().zip(marks) {
        if *mark != Mark::Own {
            gap = true;
            continue;
        }
        if is_blank(line) && (kept.is_empty() || (gap && kept.last().is_some_and(|last| is_blank(last)))) {
            continue;
        }
        if is_blank(line) {
            kept.push(String::new());
            continue;
        }
        gap = false;
        kept.push(line.trim_end().to_owned());
    }
    while kept.last().is_some_and(|line| is_blank(line)) {
        kept.pop();
    }
    kept
}
