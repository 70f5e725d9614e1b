//! The contract of each stage, on small constructed mails.

use std::fmt::Write as _;

use knotpost_commands::{Vocabulary, limit_comment};
use knotpost_mail::{Address, Broken, extract, identify, parse};
use proptest::prelude::*;

#[test]
fn several_authors_are_all_seen() {
    let message = parse(b"From: fred@example.net\nFrom: Joe <joe@example.com>\n\n").unwrap();
    assert_eq!(message.from, ["fred@example.net", "joe@example.com"]);
    let message = parse(b"From: a@b.c, \"D, E\" <d@e.f>\r\n\r\n").unwrap();
    assert_eq!(message.from, ["a@b.c", "d@e.f"]);
    assert_eq!(message.author(), None);
    let group = parse(b"From: friends: a@b.c, d@e.f;\r\n\r\n").unwrap();
    assert_eq!(group.from, ["a@b.c", "d@e.f"]);
}

#[test]
fn headers_are_found_whatever_their_form() {
    let raw = b"From fred Tue Nov  3\r\nReturn-Path: <>\r\nreceived: a\r\nReceived: b\r\n\tc\r\nX-LOOP: games@example.org\r\nPRECEDENCE: Bulk\r\nauto-submitted: Auto-Generated; x=y\r\nAuthentication-Results: one\r\nFrom:fred@example.net\r\nSubject:\r\n folded\r\n\tsubject\r\nSubject: second\r\nReferences: <a@b> <c@d>\r\nIn-Reply-To: <c@d>\r\nlist-id: <x.y>\r\n";
    let message = parse(raw).unwrap();
    assert_eq!(message.return_path.as_deref(), Some(""));
    assert_eq!(message.envelope_sender(), None);
    assert_eq!(message.received_count, 2);
    assert_eq!(message.x_loop, ["games@example.org"]);
    assert_eq!(message.precedence.as_deref(), Some("bulk"));
    assert_eq!(message.auto_submitted.as_deref(), Some("auto-generated"));
    assert_eq!(message.authentication_results, ["one"]);
    assert_eq!(message.subject, "folded subject");
    assert_eq!(message.references, ["a@b", "c@d"]);
    assert_eq!(message.in_reply_to, ["c@d"]);
    assert_eq!(message.list_id.as_deref(), Some("<x.y>"));
    assert_eq!(message.author(), Some("fred@example.net"));
    assert_eq!(message.text.as_deref(), Some(""));
}

/// Programs disagree about such lines, and a forger could show each of them another author or Subject.
#[test]
fn a_header_line_that_is_no_field_breaks_a_mail() {
    let mail = |line: &str| format!("Subject: help\r\n{line}\r\nFrom: e@evil.example\r\n\r\nhi\r\n");
    for line in [
        "F rom: ann@x.example",
        "Sub ject: osbox resign 101",
        "Mess\tage-ID: <1@x.example>",
        ": From: ann@x.example",
        ":\r\n ",
        " : x\r\nno field",
        "no field",
        ">From ann Tue Nov  3",
        "Su\u{ad}bject: x",
        "\0From: ann@x.example",
        "X\rFrom: ann@x.example",
    ] {
        assert_eq!(parse(mail(line).as_bytes()), Err(Broken::NoField), "{line:?}");
    }
    assert_eq!(parse(b" folded from nothing\nFrom: a@b.c\n\n"), Err(Broken::NoField));
    for line in ["Keywords:", "X-A: b\r\n ", "X-A:\r\n\t\r\n b", "X-A : b", "X-A:b:c", "x.y/z!: b"] {
        let message = parse(mail(line).as_bytes()).unwrap();
        assert_eq!(
            (message.author(), message.subject.as_str()),
            (Some("e@evil.example"), "help"),
            "{line:?}"
        );
    }
}

#[test]
fn of_several_return_paths_the_topmost_counts() {
    let message = parse(b"Return-Path: <>\nReturn-Path: <bob@y.example>\nFrom: bob@y.example\n\n").unwrap();
    assert_eq!(message.envelope_sender(), None);
    let message = parse(b"Return-Path: <ann@x.example>\nReturn-Path: <>\nFrom: bob@y.example\n\n").unwrap();
    assert_eq!(message.envelope_sender(), Some("ann@x.example"));
}

#[test]
fn control_characters_stay_out_of_every_value() {
    let raw = b"From: fr\0ed@example.net\nTo: ga\x1ames@example.org\nMessage-ID: <1\0@x.y>\nReferences: <a\x01@b>\nSubject: =?utf-8?Q?he=00lp=0D=0Aresign?=\n\na\0b\x07\n";
    let message = parse(raw).unwrap();
    assert_eq!(message.from, ["fred@example.net"]);
    assert_eq!(message.to, ["games@example.org"]);
    assert_eq!(message.message_id.as_deref(), Some("1@x.y"));
    assert_eq!(message.references, ["a@b"]);
    assert_eq!(message.subject, "help resign");
    assert_eq!(message.text.as_deref(), Some("ab\n"));
}

#[test]
fn html_is_read_only_where_there_is_no_plain_text() {
    let mail = |plain: &str| {
        format!(
            "From: a@b.c\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\n{plain}\n--x\nContent-Type: multipart/related; boundary=y\n\n--y\nContent-Type: text/html\n\n<p>html</p>\n--y\nContent-Type: image/png\n\nPNG\n--y--\n--x--\n"
        )
    };
    assert_eq!(parse(mail("plain").as_bytes()).unwrap().text.as_deref(), Some("plain"));
    assert_eq!(parse(mail(" ").as_bytes()).unwrap().text.as_deref().map(str::trim), Some("html"));
}

#[test]
fn mime_bombs_are_broken_mails() {
    let nested = |depth: usize| {
        let mut mail = String::from("From: a@b.c\n");
        for level in 0..depth {
            write!(mail, "Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n").unwrap();
        }
        mail + "\nhello\n"
    };
    assert!(parse(nested(8).as_bytes()).unwrap().text.is_some());
    assert!(matches!(parse(nested(1000).as_bytes()), Err(Broken::Limit(_))));
    let many =
        format!("From: a@b.c\nContent-Type: multipart/mixed; boundary=b\n\n{}", "--b\n\nx\n".repeat(5000));
    assert!(matches!(parse(many.as_bytes()), Err(Broken::Limit(_))));
    let headers = format!("From: a@b.c\n{}\n", "X-Y: z\n".repeat(5000));
    assert!(matches!(parse(headers.as_bytes()), Err(Broken::Limit(_))));
    let long = format!("From: a@b.c\nX-Y: {}\n\n", "z ".repeat(100_000));
    assert!(matches!(parse(long.as_bytes()), Err(Broken::Limit(_))));
    let nested_messages = format!("From: a@b.c\n{}", "Content-Type: message/rfc822\n\n".repeat(9000));
    assert_eq!(parse(nested_messages.as_bytes()).unwrap().text, None, "attached mails are not looked into");
    for empty in [&b""[..], b"\r\n\r\nbody", b"no header here", b"\0\0"] {
        assert!(matches!(parse(empty), Err(Broken::NoHeaders)), "{empty:?}");
    }
}

#[test]
fn what_a_player_typed_is_kept() {
    let kept = |text: &str| extract(text).text();
    assert_eq!(kept("my plan:\n\nf12"), "my plan:\n\nf12");
    assert_eq!(kept("On b3 I wrote:\nf12"), "On b3 I wrote:\nf12", "nothing is quoted below");
    assert_eq!(
        kept("On the left:\n> board\nf12"),
        "On the left:\nf12",
        "no attribution, though above a quote"
    );
    assert_eq!(kept("--\n"), "--", "the skip move is no signature");
    assert_eq!(kept("-\n"), "-");
    assert_eq!(kept("From: here we go\nf12"), "From: here we go\nf12");
    assert_eq!(
        kept("f12\n-- \nfred\n> old\nand below"),
        "f12\nand below",
        "a signature ends where a quote begins"
    );
    assert_eq!(kept("a\n\n\nb\n> q\n\n> q\nc"), "a\n\n\nb\n\nc");
    assert_eq!(kept("> only\n> quoted\n\u{c}> below a page break"), "");
    assert_eq!(
        kept("sent from my house with love, and more"),
        "",
        "known and accepted: a short line alone that reads like an advert"
    );
    assert_eq!(kept("sent from my house\nf12"), "sent from my house\nf12", "but not beside other words");
}

#[test]
fn long_comments_are_cut_and_say_so() {
    assert_eq!(limit_comment("short"), "short");
    let cut = limit_comment(&"ü".repeat(9000));
    assert!(cut.starts_with("üü") && cut.contains("8000 characters") && cut.chars().count() < 8100);
}

proptest! {
    #[test]
    fn no_bytes_make_parsing_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn no_mail_like_bytes_make_the_stages_panic(pieces in prop::collection::vec(prop::sample::select(vec![
        "From: ", "a@b.c", "\r\n", "\n", "\r\n\r\n", "Content-Type: ", "multipart/mixed", "multipart/alternative", "text/html",
        "text/plain", "; boundary=x", "; boundary=\"\"", "; charset=", "utf-7", "iso-2022-jp", "big5", "; format=flowed; delsp=yes",
        "--x", "--x--", "Content-Transfer-Encoding: ", "base64", "quoted-printable", "=?utf-8?B?", "4pmc", "?=", "=", "=\r\n", "> ", ">",
        "-- ", "On 2026 wrote:", "<blockquote>", "</div>", "&#x110000;", "&amp", "é", "\u{0}", " ", "Subject: ", "Date: ", "Received: ",
        "References: <", ">", "_____", "From: x\nSent: y\nTo: z\n", "(", "\"", "\\",
    ]), 0..40)) {
        let raw = pieces.concat();
        if let Ok(message) = parse(raw.as_bytes()) {
            prop_assert!(!message.subject.contains(['\r', '\n']));
            let _ = identify(&message, Address::Reply, &Vocabulary::default());
        }
    }

    #[test]
    fn extraction_only_ever_drops_lines(text in "(> |On 2026 x@y wrote:|f12|-- |\n|\n\n|From: a|Sent: b|To: c|-----Original Message-----|Sent from my x){0,30}") {
        let kept = extract(&text);
        let mut lines = text.lines().map(str::trim_end);
        for line in &kept.lines {
            prop_assert!(lines.any(|original| original == line), "{line:?} is new or out of order");
        }
    }
}
