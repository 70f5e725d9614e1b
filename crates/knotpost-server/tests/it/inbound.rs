//! Mails of many programs on their way through the pure stages.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use knotpost_server::domain::{OwnAddresses, limit_comment};
use knotpost_server::inbound::{
    Address, Broken, Class, Identified, Message, Reason, classify, extract, identify, parse,
};
use proptest::prelude::*;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mail")
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(fixtures().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn read(name: &str) -> Message {
    parse(&fixture(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn own() -> OwnAddresses {
    OwnAddresses::new("games@example.org").unwrap()
}

fn with_crlf(raw: &[u8]) -> Vec<u8> {
    raw.iter().flat_map(|byte| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] }).collect()
}

fn show(message: &Message) -> String {
    let mut out = String::new();
    writeln!(out, "from: {:?}", message.from).unwrap();
    writeln!(out, "subject: {:?}", message.subject).unwrap();
    writeln!(out, "id: {:?}  date: {:?}", message.message_id, message.date).unwrap();
    writeln!(out, "class: {:?}", classify(message, message.envelope_sender(), &own())).unwrap();
    let found = identify(message, Address::Reply, &|line| line.contains("help") || line.contains("secret"));
    writeln!(out, "at a reply address: {found:#?}").unwrap();
    writeln!(out, "readable text:\n{}", message.text.as_deref().unwrap_or("(none)")).unwrap();
    out
}

#[test]
fn mails_of_every_program_are_read_as_their_senders_meant_them() {
    let mut count = 0;
    for folder in fs::read_dir(fixtures()).unwrap() {
        let folder = folder.unwrap().path();
        for file in fs::read_dir(&folder).unwrap() {
            let path = file.unwrap().path();
            let name =
                format!("{}-{}", folder.file_name().unwrap().display(), path.file_stem().unwrap().display());
            let raw = fs::read(&path).unwrap();
            let message = parse(&raw).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(
                parse(&with_crlf(&raw)).unwrap(),
                message,
                "{name}: the kind of line end changes nothing"
            );
            insta::assert_snapshot!(name, show(&message));
            count += 1;
        }
    }
    assert!(count >= 30, "only {count} fixtures were found");
}

/// Everything a person typed in these replies is the move, and no quoted `resign` is left.
#[test]
fn the_move_is_found_in_replies_of_every_program() {
    for name in [
        "gmail/top-posted.eml",
        "gmail/html-only.eml",
        "gmail/german.eml",
        "gmail/japanese.eml",
        "apple/interleaved.eml",
        "apple/iphone.eml",
        "apple/mixed-with-attachment.eml",
        "thunderbird/flowed-below.eml",
        "outlook/header-block.eml",
        "outlook/german-html.eml",
        "outlook/original-message.eml",
        "outlook/ios.eml",
        "proton/top-posted.eml",
        "yahoo/html-only.eml",
        "mobile/french-android.eml",
        "mobile/russian.eml",
        "mobile/chinese.eml",
        "mutt/below-with-signature.eml",
    ] {
        match identify(&read(name), Address::Reply, &|_| false) {
            Identified::Body { line, comment } => {
                assert!(line.eq_ignore_ascii_case("f12"), "{name}: {line:?}");
                for quoted in ["resign", "Osbox", "Knotpost", ">", "iPhone", "Outlook", "Proton"] {
                    assert!(!comment.contains(quoted), "{name}: {comment:?}");
                }
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn automata_and_lists_are_classified_from_their_mails() {
    let class = |name: &str| {
        let message = read(name);
        classify(&message, message.envelope_sender(), &own())
    };
    assert_eq!(class("automata/bounce.eml"), Class::Automatic(Reason::DeliveryReport));
    assert_eq!(class("automata/vacation.eml"), Class::Automatic(Reason::AutoSubmitted));
    assert_eq!(class("list/bulk.eml"), Class::Bulk);
    assert_eq!(class("gmail/top-posted.eml"), Class::Person);
}

#[test]
fn several_authors_are_all_seen() {
    assert_eq!(read("broken/two-froms.eml").from, ["fred@example.net", "joe@example.com"]);
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
    assert_eq!(kept("> only\n> quoted"), "");
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
            let _ = identify(&message, Address::Reply, &|_| false);
            let _ = classify(&message, message.envelope_sender(), &own());
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
