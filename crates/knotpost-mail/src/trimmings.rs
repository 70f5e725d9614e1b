//! Additions of programs besides quotes: signatures, adverts of telephones, warnings of gateways, armor of signed
//! text.

use super::extract::{Mark, is_blank, is_own};
use super::phrases::{ADVERTS, DEVICES, SCANNERS, WARNING_HEADS, WARNING_STARTS, WARNING_WORDS, entries};

/// In bytes; a longer line is a sentence of the sender's.
const MAX_ADVERT: usize = 160;
/// A shorter row of underscores may be drawn by the sender.
const FOOTER_RULE: usize = 20;
/// Most lines of a signature that are examined.
const SIGNATURE: usize = 8;
const CIPHERTEXT: &str = "-----BEGIN PGP MESSAGE-----";
/// A line shorter than this was not wrapped, so a warning does not continue below it.
const WRAPPED: usize = 50;

/// Drops signatures, from `-- ` to the next quote or the end, and footers of mailing lists, from a rule of underscores
/// below words of the sender. Without the blank, `--` is a move if it is the first line and no signature stands below
/// it.
pub(super) fn mark_signatures(lines: &[&str], marks: &mut [Mark]) {
    let (mut inside, mut spoken) = (false, false);
    for (index, line) in lines.iter().enumerate() {
        let has_footer = || {
            // A blank line follows the rule above a legal notice, which stays.
            is_footer_rule(line) && lines.get(index + 1).is_some_and(|below| !is_blank(below))
        };
        let begins = match line.trim() {
            _ if matches!(*line, "-- " | "- -- ") => true,
            "--" | "—" | "–" => spoken || is_signed(lines, marks, index + 1),
            "__" => true,
            _ => spoken && has_footer(),
        };
        let Some(mark) = marks.get_mut(index) else { return };
        match mark {
            Mark::Quote => inside = false,
            _ if inside || begins => {
                inside = true;
                *mark = Mark::Trimmings;
            }
            Mark::Own => spoken |= !is_blank(line),
            Mark::Trimmings => {}
        }
    }
}

/// True if the lines below a first line `--` read as a signature: a name follows at once, or a line holds an address
/// or a telephone number.
fn is_signed(lines: &[&str], marks: &[Mark], start: usize) -> bool {
    let is_contact = |line: &str| {
        let digits = line.bytes().filter(u8::is_ascii_digit).count();
        digits >= 6 || line.contains('@') || line.contains("www.") || line.contains("://")
    };
    let own = lines.iter().zip(marks).skip(start);
    let own = own.take_while(|(line, mark)| **mark == Mark::Own && **line != "-- ");
    let mut block = own.map(|(line, _)| *line).take(SIGNATURE);
    let name_follows = block.next().is_some_and(|line| !is_blank(line) && !is_advert(line));
    name_follows || block.any(|line| is_contact(line) && !is_advert(line))
}

/// Recognises the start of an encrypted text (RFC 9580, section 6.2).
pub(super) fn holds_ciphertext(text: &str) -> bool {
    text.lines().any(|line| line.trim_end() == CIPHERTEXT)
}

/// True for the rule that list servers draw above their footer.
fn is_footer_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= FOOTER_RULE && line.bytes().all(|byte| byte == b'_')
}

/// Drops the armor of a clear-signed text (RFC 9580, section 7), its head up to the blank line and its signature; and
/// an encrypted text entirely.
pub(super) fn mark_armor(lines: &[&str], marks: &mut [Mark]) {
    let mut end: Option<fn(&str) -> bool> = None;
    for (line, mark) in lines.iter().zip(marks.iter_mut()) {
        if let Some(ends) = end {
            *mark = Mark::Trimmings;
            if ends(line) {
                end = None;
            }
            continue;
        }
        match line.trim_end() {
            "-----BEGIN PGP SIGNED MESSAGE-----" => end = Some(is_blank),
            "-----BEGIN PGP SIGNATURE-----" | CIPHERTEXT => end = Some(|line| line.starts_with("-----END ")),
            _ => continue,
        }
        *mark = Mark::Trimmings;
    }
}

/// Drops warnings above everything else.
pub(super) fn mark_warnings(lines: &[&str], marks: &mut [Mark]) {
    let mut goes_on = false;
    for (index, line) in lines.iter().enumerate() {
        let Some(mark) = marks.get_mut(index) else { return };
        if is_blank(line) || *mark != Mark::Own {
            goes_on = false;
            continue;
        }
        // In a table the sign, the word in capitals and the sentence stand in lines of their own.
        let heads_warning = || {
            let mut below = lines.iter().skip(index + 1).filter(|line| !is_blank(line)).take(2);
            is_head(line) && below.any(|line| is_warning(line))
        };
        if !(goes_on && is_rest(line) || is_warning(line) || heads_warning()) {
            return;
        }
        *mark = Mark::Trimmings;
        let line = line.trim_end();
        goes_on = line.chars().count() >= WRAPPED && !ends_sentence(line);
    }
}

fn ends_sentence(line: &str) -> bool {
    line.ends_with(['.', '!', '>', ']', ')', '*', '。', '！'])
}

/// True for a line that may continue the sentence above, and is no move.
fn is_rest(line: &str) -> bool {
    ends_sentence(line.trim_end()) || line.split_whitespace().nth(2).is_some()
}

/// True for a word of warning in capitals, or nothing but signs.
fn is_head(line: &str) -> bool {
    let core = line.trim_matches(|c: char| !c.is_alphanumeric());
    let lower = core.to_lowercase();
    let is_shouted = !core.contains(char::is_lowercase);
    let is_sign = !line.contains(|c: char| c.is_ascii() && !c.is_whitespace());
    (core.is_empty() && is_sign)
        || (is_shouted && WARNING_HEADS.candidates(&lower).any(|known| known == lower))
}

fn is_warning(line: &str) -> bool {
    let marked = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']'));
    if marked.is_some_and(|(_, rest)| !is_blank(rest) && rest.split_whitespace().nth(2).is_none()) {
        // A gateway's mark before a word of the sender's.
        return false;
    }
    let line = line.trim_matches(|c: char| !c.is_alphanumeric());
    let lower = line.to_lowercase();
    if WARNING_STARTS.candidates(&lower).any(|start| lower.starts_with(start)) {
        return true;
    }
    let head: String = line.chars().take_while(|c| c.is_alphabetic()).collect();
    let shouted = head.chars().count() >= 2 && !head.contains(char::is_lowercase);
    shouted
        && WARNING_HEADS.candidates(&lower).any(|known| lower.starts_with(known))
        && entries(WARNING_WORDS).any(|word| lower.contains(word))
}

/// Drops adverts: paragraphs of nothing else, and the last lines before a quote or the end that name a device or a
/// scanner.
pub(super) fn mark_adverts(lines: &[&str], marks: &mut [Mark]) {
    let is_advert_at = |index: usize| lines.get(index).is_some_and(|line| is_advert(line));
    let mut at = 0;
    while at < lines.len() {
        let length = (at..lines.len()).take_while(|index| is_own(lines, marks, *index)).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let end = at + length;
        let mut start = if (at..end).all(is_advert_at) { at } else { end };
        let below = (end..lines.len()).find(|&index| lines.get(index).is_some_and(|line| !is_blank(line)));
        if start == end && below.is_none_or(|below| marks.get(below) != Some(&Mark::Own)) {
            let names_itself = |line: &&str| is_scanner(line) || (is_advert(line) && names_device(line));
            start -= lines.iter().take(end).skip(at).rev().take_while(|line| names_itself(line)).count();
        }
        marks.iter_mut().take(end).skip(start).for_each(|mark| *mark = Mark::Trimmings);
        at = end;
    }
}

fn is_advert(line: &str) -> bool {
    let line = line.trim();
    if line.len() > MAX_ADVERT {
        return false;
    }
    let lower = line.to_lowercase();
    if is_scanner(line) {
        return true;
    }
    // The link after the words.
    let words = match lower.split_once("<http") {
        Some((words, link)) if link.ends_with('>') && !words.is_empty() => words,
        _ => lower.as_str(),
    };
    let words = words.trim_end_matches(['.', ' ']);
    ADVERTS.candidates(words).any(|advert| {
        let (start, end) = advert.split_once('…').unwrap_or((advert, ""));
        words.starts_with(start) && words.ends_with(end)
    })
}

fn is_scanner(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    let is_of = |scanner: &str| {
        let (start, word) = scanner.split_once('…').unwrap_or((scanner, ""));
        lower.starts_with(start) && lower.contains(word)
    };
    lower.len() <= MAX_ADVERT && SCANNERS.candidates(&lower).any(is_of)
}

fn names_device(line: &str) -> bool {
    let lower = line.to_lowercase();
    entries(DEVICES).any(|device| lower.contains(device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adverts_are_short_and_whole_lines() {
        for line in [
            "Sent from my iPhone",
            "Von meinem iPhone gesendet",
            "发自我的iPhone",
            "Get Outlook for Android<https://aka.ms/x>",
            "Outlook voor iOS downloaden<https://aka.ms/x>",
        ] {
            assert!(is_advert(line), "{line}");
        }
        assert!(!is_advert("von meinem Platz aus sieht das gut aus"));
        assert!(!is_advert("f12"));
    }

    #[test]
    fn warnings_shout_and_a_player_need_not_be_heard_so() {
        for line in [
            "EXTERNAL: Do not click links.",
            "[EXTERNAL EMAIL]",
            "*CAUTION:* This email originated from outside of the organization.",
            "⚠ VORSICHT: externe E-Mail",
            "This message came from outside your organization.",
        ] {
            assert!(is_warning(line), "{line}");
        }
        for line in
            ["external: nothing", "CAUTION: my next move wins", "f12", "--", "Attention, the outside row", ""]
        {
            assert!(!is_warning(line), "{line}");
        }
    }
}
