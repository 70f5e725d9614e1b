//! Recognises the lines with which mail programs introduce a quote; `extract` decides which of them to drop.

use super::phrases::{BARE_TITLES, FROM, OPENERS, OTHER_FIELDS, TITLES, Table, WROTE, WROTE_ON, entries};

/// In bytes: three wrapped lines with a long name and an address.
const MAX_ATTRIBUTION: usize = 320;
const MAX_TITLE: usize = 80;

pub(super) fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with(['>', '＞'])
}

/// True for an attribution: address and date before a colon, or a verb of writing before it. A bare verb counts only
/// if the rest can be a name, so that a sentence of the sender's with the same end is kept.
pub(super) fn is_attribution(text: &str) -> bool {
    let text = text.trim();
    let Some(stem) = text.strip_suffix([':', '：', '﹕']).map(str::trim_end) else { return false };
    if text.len() > MAX_ATTRIBUTION {
        return false;
    }
    let has_digit = stem.contains(|c: char| c.is_ascii_digit());
    let has_address = stem.contains('@');
    let lower = stem.to_lowercase();
    let Some(before) =
        WROTE.candidates(&lower).find_map(|verb| lower.strip_suffix(verb)).or_else(|| verb_first(&lower))
    else {
        return (has_digit && has_address) || is_name_and_date(&lower);
    };
    has_address || is_dated(stem) || is_name(before, stem)
}

/// True for an attribution with address, date and a verb of writing.
pub(super) fn is_full_attribution(text: &str) -> bool {
    if text.len() > MAX_ATTRIBUTION || !text.contains('@') || !is_dated(text) || !is_attribution(text) {
        return false;
    }
    let lower = text.to_lowercase();
    let stem = lower.trim_end().trim_end_matches([':', '：', '﹕', ' ', '\u{a0}', ')']);
    WROTE.candidates(stem).any(|verb| stem.ends_with(verb)) || verb_first(stem).is_some()
}

/// True for the end of an address whose `<` is in the line above.
pub(super) fn is_rest_of_address(line: &str) -> bool {
    line.find('>').is_some_and(|end| line.get(..end).is_some_and(|before| !before.contains('<')))
}

/// Recognises a date after the verb: "Fred Meier wrote on 2026-11-03:".
fn is_name_and_date(lower: &str) -> bool {
    entries(WROTE_ON).any(|verb| {
        lower
            .split_once(verb)
            .is_some_and(|(name, date)| (1..=5).contains(&name.split_whitespace().count()) && is_dated(date))
    })
}

/// Recognises a verb before the name, as in German: "schrieb Fred Meier".
fn verb_first(lower: &str) -> Option<&str> {
    [" schrieb ", " schreef ", " skrev ", " escribió ", " napisał ", " ezt írta ", " kirjoitti "]
        .iter()
        .find_map(|verb| {
            let (before, after) = lower.split_once(verb)?;
            (before.contains(|c: char| c.is_ascii_digit()) && after.split_whitespace().count() <= 5)
                .then_some(before)
        })
}

fn is_dated(text: &str) -> bool {
    let mut digits = 0;
    let mut previous = ' ';
    for c in text.chars() {
        if c.is_ascii_digit() {
            digits += 1;
            if digits >= 4 || (digits >= 2 && previous == ':') {
                return true;
            }
        } else {
            digits = 0;
        }
        if !c.is_ascii_digit() || previous != ':' {
            previous = c;
        }
    }
    false
}

fn is_name(before: &str, written: &str) -> bool {
    match before.split_whitespace().count() {
        0 => false,
        1 => true,
        words => words <= 5 && !written.starts_with(|c: char| c.is_ascii_lowercase()),
    }
}

pub(super) fn opens_attribution(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    OPENERS.candidates(&lower).any(|opener| lower.starts_with(opener)) && is_dated(&lower)
}

/// Recognises "-----Original Message-----", "Begin forwarded message:".
pub(super) fn is_separator(line: &str) -> bool {
    let line = line.trim();
    let core = line.trim_matches(['-', '_', '=', '*', '—', '–', ' ']);
    let ruled = line.starts_with(['-', '_', '=', '*', '—', '–']) && line.len() >= core.len() + 4;
    let announced = core.ends_with([':', '：']);
    if core.is_empty() || !(ruled || announced) {
        return false;
    }
    if core.len() > MAX_ATTRIBUTION {
        return false;
    }
    let title = core.trim_end_matches([':', '：']).trim().to_lowercase();
    let is_title = |known: &str| {
        title.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(" from "))
    };
    let is_attribution = || {
        title.contains('@') && is_dated(&title) && WROTE.candidates(&title).any(|verb| title.ends_with(verb))
    };
    (ruled && (TITLES.candidates(&title).any(is_title) || is_attribution()))
        || (announced && BARE_TITLES.candidates(&title).any(|known| known == title))
}

/// True for any words between dashes, which suffices above a header block.
pub(super) fn is_title(line: &str) -> bool {
    let line = line.trim();
    let core = line.trim_matches('-');
    !core.is_empty() && core.len() <= MAX_TITLE && line.starts_with("----") && line.ends_with("----")
}

/// True for the rule that Outlook draws above a header block.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 5 && (line.bytes().all(|byte| byte == b'_') || line.bytes().all(|byte| byte == b'-'))
}

/// Length of the header block ("From: … Sent: … To: … Subject: …") at the start of these lines; 0 without one. A block
/// has its From line first and at least two of the others; or the date first, the From line next and two more.
pub(super) fn header_block(lines: &[&str]) -> usize {
    let is_from = |index: usize| lines.get(index).is_some_and(|line| is_field(line, &FROM));
    let is_other = |index: usize| lines.get(index).is_some_and(|line| is_field(line, &OTHER_FIELDS));
    let start = if is_from(0) {
        0
    } else if is_other(0) && is_from(1) {
        1
    } else {
        return 0;
    };
    let (mut others, mut length, mut loose) = (start, start + 1, 0);
    for (index, line) in lines.iter().enumerate().skip(start + 1).take(12) {
        if line.trim().is_empty() {
            // Some programs put a blank line between the fields.
            if others < 3 && is_other(index + 1) {
                continue;
            }
            break;
        }
        if is_other(index) {
            others += 1;
            length = index + 1;
            loose = 0;
        } else if loose == 0 && others < 4 && is_other(index + 1) {
            // A recipient list that was wrapped.
            loose += 1;
        } else {
            break;
        }
    }
    if others >= 2 + start { length } else { 0 }
}

fn is_field(line: &str, names: &Table) -> bool {
    let line = line.trim().trim_start_matches('*');
    let Some((name, value)) = line.split_once([':', '：']) else { return false };
    let name = name.trim_matches(['*', ' ', '\u{a0}', '\u{3000}']).to_lowercase();
    !value.trim_matches(['*', ' ']).is_empty() && names.candidates(&name).any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributions_of_many_programs_are_recognised() {
        for line in [
            "On Tue, Nov 3, 2026 at 10:15 AM Knotpost <games@example.org> wrote:",
            "Am 03.11.2026 um 10:15 schrieb Knotpost:",
            "Am Di., 3. Nov. 2026 um 10:15 Uhr schrieb Knotpost <games@example.org>:",
            "Le 03/11/2026 à 10:15, Knotpost a écrit :",
            "El mar, 3 nov 2026 a las 10:15, Knotpost (<games@example.org>) escribió:",
            "Il giorno mar 3 nov 2026 alle ore 10:15 Knotpost <games@example.org> ha scritto:",
            "Op di 3 nov 2026 om 10:15 schreef Knotpost <games@example.org>:",
            "Em ter., 3 de nov. de 2026 às 10:15, Knotpost <games@example.org> escreveu:",
            "W dniu 3.11.2026 o 10:15, Knotpost pisze:",
            "вт, 3 нояб. 2026 г. в 10:15, Knotpost <games@example.org>:",
            "Knotpost <games@example.org> 于2026年11月3日周二 10:15写道：",
            "2026年11月3日(火) 10:15 Knotpost <games@example.org>:",
            "Knotpost wrote:",
            "* Knotpost <games@example.org> [2026-11-03 10:15]:",
        ] {
            assert!(is_attribution(line), "{line}");
        }
    }

    #[test]
    fn a_players_sentence_is_no_attribution() {
        for line in [
            "f12",
            "my plan:",
            "chat look at what he wrote:",
            "b3 or c4:",
            "on the left side: f3",
            "you wrote that",
        ] {
            assert!(!is_attribution(line), "{line}");
        }
    }

    #[test]
    fn separators_and_header_blocks_are_recognised() {
        for line in [
            "-----Original Message-----",
            "-------- Weitergeleitete Nachricht --------",
            "---------- Forwarded message ---------",
            "Begin forwarded message:",
            "------------------ 原始邮件 ------------------",
            "-----Message d'origine-----",
        ] {
            assert!(is_separator(line), "{line}");
        }
        for line in ["--", "- original message", "f12", "----------"] {
            assert!(!is_separator(line), "{line}");
        }
        assert_eq!(header_block(&["From: a", "Sent: b", "To: c", "Subject: d", "", "text"]), 4);
        assert_eq!(header_block(&["*Von:* a", "*Gesendet:* b", "*An:* c", "*Betreff:* d"]), 4);
        assert_eq!(header_block(&["From: here I move to b3", "and then: c4", "f3"]), 0);
    }
}
