//! A message as an administrator may see it: its structure, and its words with everything masked that gives access.

use knotpost_commands::{MASK, Vocabulary, mask_cautiously};
use knotpost_mail::{Section, outline, parse};

/// Author of the words of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// Our own: they repeat a word that may be a password only between backticks, and below `ECHO`.
    Server,
    /// Anybody's: any word may be one.
    Somebody,
}

/// Header fields in which nobody types; others may repeat a Subject, as `Thread-Topic` does.
const PLAIN_FIELDS: [&str; 29] = [
    "from",
    "to",
    "cc",
    "sender",
    "reply-to",
    "date",
    "message-id",
    "in-reply-to",
    "references",
    "return-path",
    "received",
    "delivered-to",
    "content-type",
    "content-transfer-encoding",
    "content-disposition",
    "content-language",
    "mime-version",
    "auto-submitted",
    "precedence",
    "list-id",
    "list-unsubscribe",
    "list-unsubscribe-post",
    "x-loop",
    "x-auto-response-suppress",
    "authentication-results",
    "received-spf",
    "dkim-signature",
    "user-agent",
    "x-mailer",
];

/// The parts of a message, a line each, indented as they are nested.
pub fn described(message: &[u8]) -> Vec<String> {
    match outline(message) {
        Ok(sections) => sections.iter().map(describe).collect(),
        Err(limit) => vec![format!("(the message has {limit})")],
    }
}

pub(crate) fn describe(section: &Section) -> String {
    let encoding = section.encoding.as_deref().map(|name| format!(", {name}")).unwrap_or_default();
    format!("{}{}{encoding}, {} bytes", "  ".repeat(section.depth), section.kind, section.size)
}

/// The header fields of a message.
pub fn masked_fields(vocabulary: &Vocabulary, message: &[u8]) -> Vec<(String, String)> {
    let root = outline(message).ok().and_then(|sections| sections.into_iter().next());
    let fields = root.map(|root| root.fields).unwrap_or_default().into_iter().map(|(name, value)| {
        let plain = PLAIN_FIELDS.contains(&name.to_ascii_lowercase().as_str());
        let value = if plain { mask_tokens(&value) } else { mask_cautiously(&value, vocabulary) };
        (name, value)
    });
    fields.collect()
}

/// The readable text of a message.
pub fn masked_text(vocabulary: &Vocabulary, message: &[u8], author: Author) -> String {
    let text = parse(message).ok().and_then(|message| message.text);
    text.map_or_else(|| "(no readable text)".to_owned(), |text| masked_lines(vocabulary, &text, author))
}

/// A text as it is shown.
pub(crate) fn masked_lines(vocabulary: &Vocabulary, text: &str, author: Author) -> String {
    let mut is_echo = false;
    let mut shown = Vec::new();
    for line in text.lines() {
        shown.push(match author {
            Author::Server if is_echo => format!("   {}", mask_cautiously(line, vocabulary)),
            Author::Server => mask_tokens(&mask_quoted(line, vocabulary)),
            Author::Somebody => mask_cautiously(line, vocabulary),
        });
        is_echo = line == ECHO;
    }
    shown.join("\n")
}

/// Above the line that an error was sent for.
const ECHO: &str = "You wrote:";

/// A line of ours, with what stands between backticks masked like anybody's words.
fn mask_quoted(line: &str, vocabulary: &Vocabulary) -> String {
    if line.matches('`').count() < 2 {
        return line.to_owned();
    }
    let pieces = line.split('`').enumerate().map(|(index, piece)| {
        if index % 2 == 1 { mask_cautiously(piece, vocabulary) } else { piece.to_owned() }
    });
    pieces.collect::<Vec<_>>().join("`")
}

/// A line of ours or an address, without the signed parts: reply addresses, return paths, and links that act.
pub fn mask_tokens(line: &str) -> String {
    let line = mask_between(line, "+r.", |c| c == '@' || c == '>' || c.is_whitespace());
    let mut line = mask_between(&line, "+b.", |c| c == '@' || c == '>' || c.is_whitespace());
    for page in ["/confirm/", "/reset/", "/magic/", "/not-me/", "/unsubscribe/", "/archive/"] {
        line =
            mask_between(&line, page, |c| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '_' | '%'));
    }
    line
}

fn mask_between(line: &str, mark: &str, is_end: impl Fn(char) -> bool) -> String {
    let mut masked = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once(mark) {
        masked.push_str(before);
        masked.push_str(mark);
        let end = after.find(&is_end).unwrap_or(after.len());
        if end > 0 {
            masked.push_str(MASK);
        }
        rest = after.get(end..).unwrap_or_default();
    }
    masked.push_str(rest);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grants_access_is_masked_and_the_rest_stays() {
        for (line, shown) in [
            ("to <games+r.abc234@example.org>, x", "to <games+r.********@example.org>, x"),
            ("games+b.17.0a1b@example.org", "games+b.********@example.org"),
            ("see http://x/confirm/7.61.0a and go", "see http://x/confirm/******** and go"),
            ("see http://x/not-me/7.61.0a and go", "see http://x/not-me/******** and go"),
            ("http://x/unsubscribe/7.nags.0a", "http://x/unsubscribe/********"),
            ("http://x/archive/7.61.0a", "http://x/archive/********"),
            ("nothing to hide here: /help/", "nothing to hide here: /help/"),
        ] {
            assert_eq!(mask_tokens(line), shown);
        }
    }
}
