//! Any bytes as a mail: reading ends with a value, twice the same, that later stages can rely on.
#![no_main]

use knotpost_commands::{GameWords, Vocabulary};
use knotpost_mail::{Address, Identified, identify, parse};
use libfuzzer_sys::fuzz_target;

/// A comment has 8000 characters and a sentence about the cut.
const LONGEST_COMMENT: usize = 8100;

/// The words of a server with a game, and of one without.
fn vocabularies() -> [Vocabulary; 2] {
    let osbox =
        GameWords { name: "osbox".into(), aliases: Vec::new(), title: "Osbox".into(), options: Vec::new() };
    [Vocabulary::new(vec![osbox]), Vocabulary::new(Vec::new())]
}

fuzz_target!(|bytes: &[u8]| {
    let message = match parse(bytes) {
        Ok(message) => message,
        Err(broken) => {
            assert!(!broken.to_string().contains('\n'));
            return;
        }
    };
    assert_eq!(parse(bytes).as_ref(), Ok(&message));
    let headers = message.from.iter().chain(&message.to).chain(&message.sender).chain(&message.message_id);
    for line in headers.chain([&message.subject]).chain(&message.list_id).chain(&message.x_loop) {
        assert!(!line.contains(['\r', '\n', '\0']), "{line:?}");
    }
    if let Some(text) = &message.text {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
    }
    for address in [Address::Plain, Address::Reply] {
        for vocabulary in vocabularies() {
            let comment = match identify(&message, address, &vocabulary) {
                Identified::Body { line, comment } => {
                    assert!(!line.trim().is_empty() && !line.contains('\n'), "{line:?}");
                    comment
                }
                Identified::Subject { comment, .. } | Identified::Unclear { comment, .. } => comment,
                Identified::Multiple { lines, .. } => {
                    assert!(lines.iter().all(|line| !line.trim().is_empty() && !line.starts_with('#')));
                    String::new()
                }
            };
            assert!(comment.chars().count() <= LONGEST_COMMENT);
        }
    }
});
