//! What programs add to a person's words besides quotes: signatures, adverts of telephones, warnings of gateways, the
//! armor of a signed text.

use super::extract::{Mark, is_blank, is_own};
use super::phrases::{ADVERTS, DEVICES, WARNING_HEADS, WARNING_STARTS, WARNING_WORDS, entries};

/// The longest advert in bytes; a longer line is a sentence of the sender's.
const MAX_ADVERT: usize = 100;
/// A shorter row of underscores may be drawn by the sender.
const FOOTER_RULE: usize = 20;
/// A line shorter than this was not wrapped, so a warning does not continue below it.
const WRAPPED: usize = 50;

/// Drops signatures, from `-- ` to the next quote or the end, and footers of mailing lists, from a rule of underscores
/// below words of the sender. Without the blank, `--` is a command.
pub(super) fn mark_signatures(lines: &[&str], marks: &mut [Mark]) {
    let (mut inside, mut spoken) = (false, false);
    for (index, (line, mark)) in lines.iter().zip(marks.iter_mut()).enumerate() {
        let has_footer = || {
            // A blank line follows the rule above a legal notice, which stays.
            is_footer_rule(line) && lines.get(index + 1).is_some_and(|below| !is_blank(below))
        };
        match mark {
            Mark::Quote => inside = false,
            _ if inside || matches!(*line, "-- " | "- -- ") || (spoken && has_footer()) => {
                inside = true;
                *mark = Mark::Trimmings;
            }
            Mark::Own => spoken |= !is_blank(line),
            Mark::Trimmings => {}
        }
    }
}

/// Whether a line is the rule that list servers draw above their footer.
fn is_footer_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= FOOTER_RULE && line.bytes().all(|byte| byte == b'_')
}

/// Drops the armor of a clear-signed text (RFC 9580, section 7): its first lines up to the blank one, and the signature.
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
            "-----BEGIN PGP SIGNATURE-----" => end = Some(|line| line.starts_with("-----END ")),
            _ => continue,
        }
        *mark = Mark::Trimmings;
    }
}

/// Drops warnings, one or several sentences above everything else; all from the first other line on is kept.
pub(super) fn mark_warnings(lines: &[&str], marks: &mut [Mark]) {
    let mut goes_on = false;
    for (line, mark) in lines.iter().zip(marks.iter_mut()) {
        if is_blank(line) || *mark != Mark::Own {
            goes_on = false;
            continue;
        }
        if !goes_on && !is_warning(line) {
            return;
        }
        *mark = Mark::Trimmings;
        let line = line.trim_end();
        goes_on =
            line.chars().count() >= WRAPPED && !line.ends_with(['.', '!', '>', ']', ')', '*', '。', '！']);
    }
}

/// Whether a gateway put this line on top of an external mail.
fn is_warning(line: &str) -> bool {
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

/// Drops adverts: paragraphs of nothing else, and a last line before a quote or the end that names the device it was
/// written on.
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
        let last = end - 1;
        if start == end && is_advert_at(last) && lines.get(last).is_some_and(|line| names_device(line)) {
            let below =
                (end..lines.len()).find(|&index| lines.get(index).is_some_and(|line| !is_blank(line)));
            if below.is_none_or(|below| marks.get(below) != Some(&Mark::Own)) {
                start = last;
            }
        }
        marks.iter_mut().take(end).skip(start).for_each(|mark| *mark = Mark::Trimmings);
        at = end;
    }
}

/// Whether a telephone, a web mailer or a scanner added this line.
fn is_advert(line: &str) -> bool {
    let line = line.trim();
    if line.len() > MAX_ADVERT {
        return false;
    }
    let lower = line.to_lowercase();
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
