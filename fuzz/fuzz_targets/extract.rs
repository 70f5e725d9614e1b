//! Any text as the body of a mail: what is kept was typed, in that order, and nothing kept is marked as a quote.
//!
//! The first byte says how the text is wrapped up: bare, flowed, or as HTML.
#![no_main]

use knotpost_mail::{extract, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, text)) = bytes.split_first() else { return };
    let content_type = match kind % 4 {
        0 => "text/plain; charset=utf-8; format=flowed",
        1 => "text/plain; charset=utf-8; format=flowed; delsp=yes",
        2 => "text/html; charset=utf-8",
        _ => return check(&String::from_utf8_lossy(text)),
    };
    let mut mail = format!("From: a@b.c\nContent-Type: {content_type}\n\n").into_bytes();
    mail.extend_from_slice(text);
    if let Ok(text) = parse(&mail).map(|message| message.text.unwrap_or_default()) {
        check(&text);
    }
});

fn check(text: &str) {
    let kept = extract(text);
    let mut typed = text.lines().map(str::trim_end);
    for line in kept.lines.iter().filter(|line| !line.is_empty()) {
        assert!(typed.any(|original| original == line), "{line:?} is new or out of order");
        assert!(!line.trim_start().starts_with('>'), "{line:?} was quoted");
    }
    if let Some((first, comment)) = kept.split_first() {
        assert!(!first.is_empty() && comment.trim() == comment);
    }
}
