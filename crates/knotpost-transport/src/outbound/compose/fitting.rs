//! Keeps mails below the size at which providers cut them off. What does not fit is left out and named, never lost.

use super::page::Page;
use super::render::Rendered;
use knotpost_core::replies::{LineResult, Reply, Sheet};

/// The largest page, and the largest text: Gmail shows the first 102 kB, encoded as they are sent.
const MOST_BYTES: usize = 90_000;
/// The largest text of a mail with one part, such as a long talk or the record of a board: no mail server refuses it.
const LARGEST_TEXT: usize = 300_000;
/// The most boards that are named where they are left out.
const MOST_NAMES: usize = 60;

/// By how much a mail is too large: its larger part.
pub(super) fn excess(rendered: &Rendered, page: Option<&Page>) -> Option<usize> {
    let largest = page.map_or(0, |page| as_sent(&page.html)).max(as_sent(&rendered.text));
    (largest > MOST_BYTES).then_some(largest)
}

/// The number of parts that are tried next of a mail of that size; `None`: it has one part, which is never left out.
pub(super) fn fewer(parts: usize, size: usize) -> Option<usize> {
    let fewer = (parts * MOST_BYTES / size).min(parts.saturating_sub(1)).max(1);
    (fewer < parts).then_some(fewer)
}

/// Of how many parts a reply consists.
pub(super) fn count_parts(reply: &Reply) -> usize {
    match reply {
        Reply::Boards { sheets, .. } | Reply::Digest { sheets, .. } | Reply::Puzzles { sheets, .. } => {
            sheets.len()
        }
        Reply::Multiple { lines } => lines.len(),
        _ => 1,
    }
}

/// Bytes of a text as it is sent: quoted-printable makes three of each beyond ASCII.
fn as_sent(text: &str) -> usize {
    text.len() + 2 * text.bytes().filter(|byte| !byte.is_ascii()).count()
}

/// Cuts a text that is too long behind a line, and says what its reader is told of the rest; `None`: it fits.
pub(super) fn cut(text: &mut String, url: &str) -> Option<String> {
    let (mut kept, mut sent) = (0, 0);
    for line in text.split_inclusive('\n') {
        sent += as_sent(line);
        if sent > LARGEST_TEXT {
            text.truncate(kept);
            return Some(format!("This mail would be too long, so the rest is left out. Look at {url}/"));
        }
        kept += line.len();
    }
    None
}

/// The first parts of a reply, and what its reader is told of the others.
pub(super) fn keep(reply: &Reply, parts: usize, url: &str) -> (Reply, String) {
    let mut short = reply.clone();
    let notice = match &mut short {
        Reply::Boards { sheets, .. } | Reply::Digest { sheets, .. } | Reply::Puzzles { sheets, .. } => {
            tell_of_boards(&sheets.split_off(parts), url)
        }
        Reply::Multiple { lines } => {
            let left = lines.len() - parts;
            lines.iter_mut().skip(parts).for_each(leave_out);
            format!(
                "Mail programs cut long mails off, so the answers to the last {left} commands are left out."
            )
        }
        _ => String::new(),
    };
    (short, notice)
}

fn leave_out(line: &mut LineResult) {
    let text = "The answer is left out; to see it, send this command by itself.\n".to_owned();
    line.reply = Reply::Help { title: String::new(), text };
}

fn tell_of_boards(sheets: &[Sheet], url: &str) -> String {
    let names: Vec<String> = sheets
        .iter()
        .take(MOST_NAMES)
        .map(|sheet| match sheet.number {
            Some(number) => format!("{} {number}", sheet.game),
            None => sheet.title.clone(),
        })
        .collect();
    let others = match sheets.len() - names.len() {
        0 => String::new(),
        others => format!(" and {others} others"),
    };
    let example = sheets.iter().find_map(|sheet| Some((&sheet.game, sheet.number?)));
    let show = example.map_or_else(String::new, |(game, number)| format!(", or send: {game} show {number}"));
    format!(
        "Mail programs cut long mails off, so {} more {} left out: {}{others}. Look at {url}/{show}",
        sheets.len(),
        if sheets.len() == 1 { "board is" } else { "boards are" },
        names.join(", ")
    )
}
