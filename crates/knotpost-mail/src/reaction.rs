//! Recognises reactions: mails with which a program tells that somebody liked a mail.

use super::extract::extract;
use super::phrases::{REACTED, TAPBACKS, entries};

/// In bytes: it may quote a Subject.
const MAX_REACTION: usize = 400;

/// Recognises "Ann reacted to your message:", "Liked “Your turn”" as the only own words.
pub(super) fn is_reaction(text: &str) -> bool {
    let own = extract(text);
    let mut lines = own.lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    let Some(first) = lines.next().filter(|line| line.len() <= MAX_REACTION) else { return false };
    // An image of the emoji may stand on a line above, as its address.
    let first =
        if first.starts_with('[') && first.ends_with(']') { lines.next().unwrap_or(first) } else { first };
    let is_alone = lines.next().is_none();
    let lower = first.to_lowercase();
    let lower = lower.trim_end_matches(['.', ':', '：', ' ']);
    is_alone && (entries(REACTED).any(|phrase| lower.ends_with(phrase)) || is_tapback(first, lower))
}

fn is_tapback(line: &str, lower: &str) -> bool {
    let quoted = |rest: &str| {
        let rest = rest.trim();
        rest.starts_with(['“', '„', '«', '"', '”', '「']) && rest.ends_with(['”', '“', '»', '"', '」', '…'])
    };
    let begins = |phrase: &str| lower.starts_with(phrase) && line.get(phrase.len()..).is_some_and(quoted);
    let emoji_first = || {
        let (emoji, rest) = line.split_once(" to ").unwrap_or_default();
        let emoji = emoji.trim().trim_start_matches("Reacted ").trim_start_matches("Removed ");
        !emoji.is_empty() && !emoji.contains(|c: char| c.is_alphanumeric()) && quoted(rest)
    };
    entries(TAPBACKS).any(begins) || emoji_first()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reactions_stand_alone_and_a_persons_words_are_none() {
        for text in [
            "Ann Meier reacted to your message:\n________________________________\nFrom: Knotpost <g@x.y>\nSent: Tuesday\nTo: Ann\nSubject: Osbox\n",
            "[cid:like.png]\nAnn reacted to your message:\n",
            "Ann Meier hat auf Ihre Nachricht reagiert:",
            "Liked “Osbox Board 101: your turn”",
            "Loved \"Osbox\"",
            "Emphasized “Osbox Board 101”\n\nSent from my iPhone",
            "Reacted 👍 to “Osbox Board 101”",
            "👍 to “Osbox Board 101”",
            "Gefällt „Osbox Brett 101“",
            "A aimé « Osbox »",
            "👍 Ann reacted via Gmail",
        ] {
            assert!(is_reaction(text), "{text}");
        }
        for text in [
            "",
            "a8",
            "liked",
            "Liked the last one\na8",
            "Liked “your move”, but look at a8",
            "Liked “your move”\na8",
            "I think he reacted to your message: well",
            "> Liked “x”",
            "👍",
        ] {
            assert!(!is_reaction(text), "{text}");
        }
    }
}
