//! Finds the command of a mail and its comment.
//!
//! It knows the places of commands, not their syntax.

use super::extract::{Extracted, extract};
use super::parse::Message;
use knotpost_commands::{Vocabulary, clean, limit_comment, parse, says_nothing};

/// Most commands in one mail.
pub const MAX_LINES: usize = 50;

/// Kind of address a mail came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// The server's address.
    Plain,
    /// A reply address.
    Reply,
}

/// Place of the command in a mail. Comments are shortened to the length that can be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identified {
    /// The Subject is a complete command; the text is its comment.
    Subject {
        /// The Subject as it came.
        line: String,
        /// The sender's own words in the text.
        comment: String,
    },
    /// The text's first own line, at a reply address or below a Subject that says nothing.
    Body {
        /// The first of the sender's own lines.
        line: String,
        /// The sender's own words below it.
        comment: String,
    },
    /// Many commands.
    Multiple {
        /// One command each, at most [`MAX_LINES`].
        lines: Vec<String>,
        /// Number of commands beyond the limit.
        surplus: usize,
    },
    /// No command. The Subject, perhaps empty, lets the reply say what is wrong with it.
    Unclear {
        /// The Subject as it came.
        subject: String,
        /// The sender's own words in the text.
        comment: String,
    },
}

/// Finds the command of a mail.
pub fn identify(message: &Message, address: Address, vocabulary: &Vocabulary) -> Identified {
    let text = message.text.as_deref().unwrap_or_default();
    let subject = message.subject.trim().to_owned();
    if is_multiple(&subject) {
        return read_multiple(text);
    }
    let own = extract(text);
    if is_command(&subject, vocabulary) {
        return Identified::Subject { line: subject, comment: limit_comment(&own.text()) };
    }
    match (address, own.split_first()) {
        (Address::Reply, Some((line, comment))) => {
            Identified::Body { line: line.to_owned(), comment: limit_comment(&comment) }
        }
        (Address::Plain, Some((line, comment))) if says_nothing(&subject, vocabulary) => Identified::Body {
            line: under_game(&subject, line, vocabulary),
            comment: limit_comment(&comment),
        },
        _ => Identified::Unclear { subject, comment: limit_comment(&own.text()) },
    }
}

/// Returns the first line of a text, after the game that the Subject names if that makes it a command.
fn under_game(subject: &str, line: &str, vocabulary: &Vocabulary) -> String {
    let whole = format!("{} {line}", clean(subject));
    if !is_command(line, vocabulary) && is_command(&whole, vocabulary) { whole } else { line.to_owned() }
}

fn is_command(line: &str, vocabulary: &Vocabulary) -> bool {
    parse(line, vocabulary).is_ok()
}

/// True for the word alone, or after prefixes of replies (`Re:`, `AW[2]:`) and lists (`[games]`).
fn is_multiple(subject: &str) -> bool {
    let mut rest = subject.trim();
    while let Some(after) = strip_mark(rest) {
        rest = after.trim_start();
    }
    rest.eq_ignore_ascii_case("multiple")
}

fn strip_mark(text: &str) -> Option<&str> {
    if text.starts_with('[') {
        return text.split_once(']').map(|(_, after)| after);
    }
    let (mark, after) = text.split_once([':', '：'])?;
    (mark.chars().count() <= 8 && !mark.trim_end().contains(' ')).then_some(after)
}

fn read_multiple(text: &str) -> Identified {
    let before_signature: Vec<&str> = text.lines().take_while(|line| *line != "-- ").collect();
    let Extracted { lines } = extract(&before_signature.join("\n"));
    let mut lines: Vec<String> = lines
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    let surplus = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    Identified::Multiple { lines, surplus }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_commands::GameWords;

    fn mail(subject: &str, text: &str) -> Message {
        Message { subject: subject.into(), text: Some(text.into()), ..Message::default() }
    }

    fn language() -> Vocabulary {
        let game = |name: &str| GameWords {
            name: name.into(),
            aliases: Vec::new(),
            title: name.into(),
            options: Vec::new(),
        };
        Vocabulary::new(vec![game("osbox")])
    }

    #[test]
    fn a_complete_subject_is_the_command_at_any_address() {
        for address in [Address::Plain, Address::Reply] {
            let found = identify(&mail("Re: help rules", "f12\n> old"), address, &language());
            assert_eq!(found, Identified::Subject { line: "Re: help rules".into(), comment: "f12".into() });
        }
    }

    #[test]
    fn at_a_reply_address_the_first_own_line_is_the_command() {
        let text = "\n f12 \nnice game\n\nOn Tue, 3 Nov 2026 10:00, Knotpost <g@x.y> wrote:\n> board\n";
        let found = identify(&mail("Re: Osbox Board 1 fred", text), Address::Reply, &language());
        assert_eq!(found, Identified::Body { line: "f12".into(), comment: "nice game".into() });
    }

    #[test]
    fn without_a_command_the_subject_is_handed_back() {
        let unclear = Identified::Unclear { subject: "hello".into(), comment: "f12".into() };
        assert_eq!(identify(&mail("hello", "f12"), Address::Plain, &language()), unclear);
        let silent = Identified::Unclear { subject: "hello".into(), comment: String::new() };
        assert_eq!(identify(&mail("hello", "> quoted\n"), Address::Reply, &language()), silent);
    }

    #[test]
    fn below_a_subject_that_says_nothing_the_first_own_line_is_the_command() {
        for (subject, text, line) in [
            ("", "help rules\nthanks\n> old", "help rules"),
            ("Osbox", "help\nthanks", "help"),
            ("", "hello\nthanks", "hello"),
        ] {
            let found = identify(&mail(subject, text), Address::Plain, &language());
            assert_eq!(found, Identified::Body { line: line.into(), comment: "thanks".into() });
        }
        let silent = Identified::Unclear { subject: String::new(), comment: String::new() };
        assert_eq!(identify(&mail("", "> help"), Address::Plain, &language()), silent);
    }

    #[test]
    fn multiple_takes_the_lines_of_the_body() {
        let text = "# mine\nmove a\n\n> move b\nshow 3\n-- \nfred\nmove c\n";
        let found = identify(&mail("Re: Multiple", text), Address::Plain, &language());
        assert_eq!(found, Identified::Multiple { lines: vec!["move a".into(), "show 3".into()], surplus: 0 });
        let many = "show\n".repeat(MAX_LINES + 2);
        let Identified::Multiple { lines, surplus } =
            identify(&mail("[games] multiple", &many), Address::Plain, &language())
        else {
            unreachable!("the Subject says so");
        };
        assert_eq!((lines.len(), surplus), (MAX_LINES, 2));
        for subject in ["a note: multiple", "multiple boards"] {
            assert!(
                matches!(
                    identify(&mail(subject, ""), Address::Plain, &language()),
                    Identified::Unclear { .. }
                ),
                "{subject}"
            );
        }
    }
}
