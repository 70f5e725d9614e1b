//! The contract of each stage, on small constructed mails.

use std::fmt::Write as _;

use knotpost_commands::{Vocabulary, limit_comment};
use knotpost_mail::{Address, Broken, Sealed, extract, identify, parse};
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

/// A person sees none of it, so none of it is a person's word.
#[test]
fn text_that_is_not_displayed_is_not_read() {
    let read = |body: &str| {
        let mail = format!(
            "From: a@b.c\nContent-Type: text/html; charset=utf-8\n\n<html><body>{body}</body></html>"
        );
        extract(&parse(mail.as_bytes()).unwrap().text.unwrap_or_default()).text()
    };
    for hidden in [
        "<div style=\"display:none\">resign</div>",
        "<div style='DISPLAY : none !important'><p>resign<br>now</p></div>",
        "<span style=display:none>resign</span>",
        "<span hidden>resign</span>",
        "<p hidden=\"\">resign</p>",
        "<div style=\"color:#fff;visibility:hidden\">resign</div>",
        "<div style=\"visibility:collapse\">resign</div>",
        "<div style=\"font-size:0\">resign</div>",
        "<div style=\"font-size:0px;line-height:0\"><span>resign</span></div>",
        "<div style=\"font-size:1px\">resign</div>",
        "<div style=\"mso-hide:all\">resign</div>",
        "<div style=\"max-height:0px;overflow:hidden\">resign</div>",
        "<div style=\"max-height:0\">resign</div>",
        "<div style=\"height:0;overflow:hidden\">resign</div>",
        "<div style=\"width:0;overflow:hidden\">resign</div>",
        "<div style=\"opacity:0\">resign</div>",
        "<div style=\"color:transparent\">resign</div>",
        "<div style=\"background-color:#ffffff;color:white\">resign</div>",
        "<div style=\"background:#fff\"><font color=\"#FFFFFF\">resign</font></div>",
        "<div style=\"text-indent:-9999px\">resign</div>",
        "<div style=\"position:absolute;left:-5000px\">resign</div>",
        "<template>resign</template>",
        "<!-- resign -->",
        "<style>resign</style>",
        "<table><tr style=\"display:none\"><td>resign<tr><td></table>",
        "<ul><li hidden>resign<li></ul>",
        "<div hidden><div>resign</div><span>resign</span>resign</div>",
        "<p style=\"display:none\">resign<div></div>",
        "<s>resign</s> ",
        "<del>resign</del> ",
        "<strike><b>resign</b></strike> ",
        "<span style=\"text-decoration:line-through\">resign</span> ",
        "<p style=\"text-decoration: line-through red\"><u>resign</u></p>",
    ] {
        for (form, words) in [("{}<div>a8</div>", "a8"), ("<div>a8</div>{}<div>nice</div>", "a8\nnice")] {
            let html = form.replace("{}", hidden);
            assert_eq!(read(&html).replace("\n\n", "\n"), words, "{html}");
        }
    }
    for (shown, words) in [
        ("<div style=\"font-size:0\"><div style=\"font-size:16px\">a8</div></div>", "a8"),
        ("<div style=\"visibility:hidden\"><p style=\"visibility:visible\">a8</p></div>", "a8"),
        ("<div style=\"color:#fff;background:#000\">a8</div>", "a8"),
        ("<div style=\"color:#fff\">a8</div>", "a8"),
        ("<div style=\"font-size:.9em;opacity:0.5;max-height:0.5em\">a8</div>", "a8"),
        ("<div aria-hidden=true class=hidden data-hidden>a8</div>", "a8"),
        ("<img style=\"display:none\"><br hidden>a8", "a8"),
        ("<s>a8</s> f12", "f12"),
        ("<div>a<span style=\"display:none\">1 f1</span>8</div>", "a8"),
    ] {
        assert_eq!(read(shown), words, "{shown}");
    }
}

/// The button "indent" makes a quote of a player's words.
#[test]
fn words_in_an_indent_are_the_players_and_never_somebody_elses() {
    const INDENT: &str = "<blockquote style=\"margin:0 0 0 40px;border:none;padding:0px\">";
    let read = |body: &str| {
        let mail = format!(
            "From: a@b.c\nContent-Type: text/html; charset=utf-8\n\n<html><body>{body}</body></html>"
        );
        extract(&parse(mail.as_bytes()).unwrap().text.unwrap_or_default()).text()
    };
    let quote = "<div class=gmail_quote><div class=gmail_attr>On Tue, 3 Nov 2026 at 10:15, Knotpost &lt;g@x.y&gt; wrote:<br></div><blockquote class=gmail_quote style=\"margin:0 0 0 .8ex;border-left:1px solid\">resign</blockquote></div>";
    for (body, words) in [
        (format!("{INDENT}<div>a8</div></blockquote>"), "a8"),
        (format!("{INDENT}{INDENT}a8</blockquote></blockquote>"), "a8"),
        (format!("<div>{INDENT}<div>a8</div></blockquote></div><br>{quote}"), "a8"),
        (format!("<div>f12</div>{INDENT}a8</blockquote>"), "f12"),
        (format!("<div><br></div>{quote}"), ""),
        (
            format!(
                "{INDENT}On Tue, 3 Nov 2026 at 10:15, Knotpost &lt;g@x.y&gt; wrote:<br>resign</blockquote>"
            ),
            "",
        ),
        (
            format!(
                "<div>On Tue, 3 Nov 2026 at 10:15, Knotpost &lt;g@x.y&gt; wrote:</div>{INDENT}resign</blockquote>"
            ),
            "",
        ),
        (
            format!(
                "{INDENT}From: Knotpost<br>Sent: Tuesday<br>To: Ann<br>Subject: Osbox<br><br>resign</blockquote>"
            ),
            "",
        ),
        ("<blockquote type=cite style=\"margin:0;border:none\">resign</blockquote>".to_owned(), ""),
        ("<blockquote>resign</blockquote>".to_owned(), ""),
    ] {
        assert_eq!(read(&body), words, "{body}");
    }
    let both = format!(
        "From: a@b.c\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\n> a8\n\nOn Tue, 3 Nov 2026 at 10:15, Knotpost <g@x.y> wrote:\n> resign\n--x\nContent-Type: text/html\n\n{INDENT}a8</blockquote>{quote}\n--x--\n"
    );
    assert_eq!(extract(&parse(both.as_bytes()).unwrap().text.unwrap()).text(), "a8");
}

/// Forms that break the rules of MIME, or use them in unusual ways, and that other programs read.
#[test]
fn parts_and_encodings_are_read_as_people_see_them() {
    let mail = |entity: &str| format!("From: a@b.c\nSubject: x\n{entity}");
    let two = |one: &str, two: &str| {
        mail(&format!("Content-Type: multipart/mixed; boundary=b1\n\n--b1\n{one}\n--b1\n{two}\n--b1--\n"))
    };
    let named = "Content-Type: text/plain; name=\"message.txt\"\n\na8";
    let inline = "Content-Type: text/plain\nContent-Disposition: inline; filename=message.txt\n\na8";
    let plain = "Content-Type: text/plain\n\na8";
    let picture = "Content-Type: image/png\n\nPNG";
    let attached = "Content-Type: text/plain\nContent-Disposition: attachment; filename=x.txt\n\nresign";
    let mut cases = vec![
        two(named, picture),
        two(picture, inline),
        two(named, attached),
        two(attached, inline),
        two(plain, "Content-Type: text/plain; name=x.txt\n\nresign"),
        two("Content-Type: text/plain; name=x.txt\n\nresign", plain),
        two(plain, "Content-Type: text/calendar\n\nBEGIN:VCALENDAR"),
        two("Content-Type: text/markdown\n\na8", picture),
        two("Content-Type: text/x-unknown; name=a.txt\n\na8", picture),
        two(
            named,
            "Content-Type: multipart/mixed; boundary=b2\n\n--b2\nContent-Type: text/plain; name=y.txt\n\nresign\n--b2--",
        ),
        mail("Content-Type: multipart/mixed\n\n--xyz\nContent-Type: text/plain\n\na8\n--xyz--\n"),
        mail("Content-Type: multipart/alternative; boundary=wrong\n\nThis is MIME.\n--xyz\n\na8\n--xyz--\n"),
        mail("Content-Type: multipart/mixed\n\na8\n"),
        mail(
            "Content-Type: multipart/mixed; boundary=\n \"=_b1\"; charset=utf-8\n\n--=_b1\n\na8\n--=_b1--\n",
        ),
        mail("Content-Type: multipart/mixed; boundary=\n\tb1\n\n--b1\n\na8\n--b1--\n"),
        mail("Content-Type: multipart/mixed; boundary\n =\n b1\n\n--b1\n\na8\n--b1--\n"),
        mail("Content-Type: multipart/mixed;\n boundary= \"b1\"\n\n--b1\n\na8\n--b1--\n"),
        mail("Content-Type: multipart/mixed; (comment)\n boundary=b1 (another)\n\n--b1\n\na8\n--b1--\n"),
        mail("Content-Type: text/enriched\n\n<bold>a8</bold>\n"),
        mail("Content-Type: text/richtext\n\n<bold>a8</bold><nl>\n"),
        mail("Content-Type: text\n\na8"),
        mail("Content-Type: text/plain; charset=\n \"utf-8\"\n\na8"),
        mail(&format!(
            "Content-Type: multipart/alternative; boundary=b1\n\n--b1\n{named}\n--b1\nContent-Type: text/html\n\n<p>resign</p>\n--b1--\n"
        )),
        mail(&format!(
            "Content-Type: multipart/alternative; boundary=b1\n\n--b1\nContent-Type: text/html\n\n<p>resign</p>\n--b1\n{inline}\n--b1--\n"
        )),
        mail(
            "Content-Type: multipart/alternative; boundary=b1\n\n--b1\nContent-Type: text/markdown\n\n*resign*\n--b1\nContent-Type: text/html\n\n<p>a8</p>\n--b1--\n",
        ),
    ];
    for encoding in [
        "base64;",
        "\"base64\"",
        "'base64'",
        "base64 (comment)",
        "(a (nested) comment) BASE64",
        "Base64; x=y",
        "\n base64",
        "base64,",
    ] {
        cases.push(mail(&format!(
            "Content-Type: text/plain\nContent-Transfer-Encoding: {encoding}\n\nYTgK\n"
        )));
    }
    cases.push(mail("Content-Transfer-Encoding: quoted-printable; charset=utf-8\n\na=38\n"));
    for case in cases {
        for raw in [case.clone(), case.replace('\n', "\r\n")] {
            let text = parse(raw.as_bytes()).unwrap().text.unwrap_or_default();
            assert_eq!(extract(&text).text(), "a8", "{case}");
        }
    }
    let only = two(attached, picture);
    assert_eq!(parse(only.as_bytes()).unwrap().text, None, "an attachment is no text");
}

#[test]
fn beyond_half_a_mebibyte_of_text_nothing_is_read() {
    let line = "0123456789abcde\n";
    let long = line.repeat(200_000);
    for entity in [
        format!("Content-Type: text/plain\n\na8\n{long}"),
        format!("Content-Type: text/html\n\n<pre>a8\n{long}"),
        format!("Content-Type: multipart/mixed; boundary=b\n\n--b\n\na8\n{long}--b\n\n{long}--b--\n"),
        format!("Content-Transfer-Encoding: base64\n\nYTgK\n{}", "YWFhYWFhYWFh\n".repeat(250_000)),
    ] {
        let text = parse(format!("From: a@b.c\n{entity}").as_bytes()).unwrap().text.unwrap();
        assert!((300_000..=512 * 1024 + 9).contains(&text.len()), "{}", text.len());
        assert_eq!(text.lines().next(), Some("a8"));
    }
}

#[test]
fn what_hides_the_words_of_a_mail_is_named() {
    let sealed = |entity: &str| parse(format!("From: a@b.c\n{entity}").as_bytes()).unwrap().sealed;
    for entity in [
        "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIIB",
        "Content-Type: application/x-pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64\n\nMIIB",
        "Content-Type: application/octet-stream; name=smime.p7m\n\nx",
        "Content-Type: multipart/encrypted; boundary=b; protocol=\"application/pgp-encrypted\"\n\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b\nContent-Type: application/octet-stream\n\nx\n--b--\n",
        "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b--\n",
        "\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\nresign\n-----END PGP MESSAGE-----\n",
    ] {
        assert_eq!(sealed(entity), Some(Sealed::Encrypted), "{entity}");
    }
    for entity in [
        "Content-Type: application/ms-tnef; name=winmail.dat\n\nx",
        "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/octet-stream; name=\"winmail.dat\"\n\nx\n--b--\n",
    ] {
        assert_eq!(sealed(entity), Some(Sealed::Winmail), "{entity}");
    }
    assert_eq!(sealed("\n> -----BEGIN PGP MESSAGE-----\n"), None);
    let text = "-----BEGIN PGP MESSAGE-----\n\nresign\n-----END PGP MESSAGE-----\n\nmore";
    assert_eq!(extract(text).text(), "more");
}

#[test]
fn the_emoji_of_gmail_is_a_reaction() {
    let mail = "From: a@b.c\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\n👍 a8\n--b\nContent-Type: text/vnd.google.email-reaction+json\n\n{\"emoji\":\"👍\",\"version\":1}\n--b\nContent-Type: text/html\n\n<p>👍 a8</p>\n--b--\n";
    assert!(parse(mail.as_bytes()).unwrap().is_reaction);
    let page = "From: a@b.c\nContent-Type: text/html\n\n<p>Liked &ldquo;Osbox Board 101&rdquo;</p><div>Sent from my iPhone</div>";
    assert!(parse(page.as_bytes()).unwrap().is_reaction);
    assert!(!parse(b"From: a@b.c\n\na8\n").unwrap().is_reaction);
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
    assert_eq!(kept("--\n\nI skip, f12 is bad"), "--\n\nI skip, f12 is bad");
    assert_eq!(kept("\n--\n\nSent from my iPhone\n"), "--");
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

/// Below the first line `--` is no move, with a blank behind it or without.
#[test]
fn a_signature_below_bare_dashes_is_no_word_of_a_player() {
    for (text, words) in [
        ("a8\nsee you\n\n--\nAnn Meier\nExample Ltd, +49 30 1234\n", "a8\nsee you"),
        ("a8\n--\n", "a8"),
        ("a8\n—\nAnn", "a8"),
        ("a8\n  --  \nAnn\n> a board\nand more", "a8\nand more"),
        ("a8\n__\nAnn", "a8"),
        ("__\nAnn", ""),
        ("\n\n--\nAnn Meier\nExample Ltd, +49 30 1234\n\nOn Tue, 3 Nov 2026 g@x.y wrote:\n> board\n", ""),
        ("--\nAnn", ""),
        ("--\n\nAnn Meier\nTel. +49 30 1234", ""),
        ("--\n\nAnn\nhttps://ann.example", ""),
        ("—\nann@ann.example", ""),
        ("--\nmy next move: a8", ""),
        ("a8\n\nSent with Proton Mail secure email.\n", "a8"),
        ("a8\nnice game\nSent with Proton Mail secure email.\n\n> board", "a8\nnice game"),
        ("a8\n\nSent with [Proton Mail](https://proton.me/mail/home) secure email.\n", "a8"),
        ("a8\n\nGesendet mit der sicheren E-Mail von Proton Mail\n", "a8"),
        ("a8\n\nEnvoyé avec la messagerie sécurisée Proton Mail.\n", "a8"),
        ("a8\n\nEnviado con el correo electrónico seguro de Proton Mail.\n", "a8"),
        ("a8\n\nInviato con l'email sicura Proton Mail.\n", "a8"),
        ("a8\n\nVerzonden met Proton Mail beveiligde e-mail.\n", "a8"),
        ("a8\n\nWysłane za pomocą bezpiecznej poczty e-mail Proton Mail.\n", "a8"),
        ("a8\n\nОтправлено с помощью безопасной электронной почты Proton Mail.\n", "a8"),
        ("a8\n\nSecured with Tuta Mail:\n", "a8"),
    ] {
        assert_eq!(extract(text).text(), words, "{text}");
    }
}

/// Gateways and scanners put their sentences above and below a player's, in text and in every form of HTML.
#[test]
fn banners_are_no_words_of_a_player() {
    let above = [
        "[EXTERNAL]",
        "[EXTERNAL EMAIL]",
        "EXTERNAL:",
        "CAUTION: This email originated from outside of the organization.",
        "WARNING: This message is from outside our company. Do not click links or open attachments.",
        "You don't often get email from ann@ann.example. Learn why this is important",
        "You don't often get email from ann@ann.example. Learn why this is important<https://aka.ms/LearnAboutSenderIdentification>",
        "This Message Is From an External Sender",
        "This email was sent from outside your organisation.",
        "ACHTUNG: Diese E-Mail kommt von einem externen Absender.",
    ];
    let below = [
        "This email was scanned by Bitdefender",
        "This email has been checked for viruses by Avast antivirus software.\nwww.avast.com",
        "Virus-free. www.avast.com",
        "Virus-free.www.avast.com<https://www.avast.com/sig-email>",
        "No virus found in this message.\nChecked by AVG - www.avg.com",
        "Diese E-Mail wurde von Avast-Antivirussoftware auf Viren geprüft.\nwww.avast.com",
        "This message has been scanned for viruses and dangerous content by MailScanner, and is believed to be clean.",
    ];
    let page = |body: &str| {
        format!("From: a@b.c\nContent-Type: text/html; charset=utf-8\n\n<html><body>{body}</body></html>")
    };
    let words = |mail: &str| extract(&parse(mail.as_bytes()).unwrap().text.unwrap_or_default()).text();
    for banner in above {
        assert_eq!(extract(&format!("{banner}\n\na8\nnice")).text(), "a8\nnice", "{banner}");
        let shown = banner.replace('<', " ").replace('>', "");
        for form in [
            "<div>{}</div><div>a8</div><div>nice</div>",
            "<table><tr><td>{}</td></tr></table><p>a8</p><p>nice</p>",
            "<table><tr><td><img src=x></td><td><b>{}</b></td></tr></table><br>a8<br>nice",
            "<p style='background:#ff0'><strong>{}</strong></p><div>a8<br>nice</div>",
            "<div><table><tbody><tr><td><div>⚠</div></td><td><div>{}</div></td></tr></tbody></table></div>a8<div>nice</div>",
            "<blockquote type=cite>old</blockquote><div>{}</div>a8<br>nice",
        ] {
            let read = words(&page(&form.replace("{}", &shown)));
            assert_eq!(read.replace("\n\n", "\n"), "a8\nnice", "{form} {banner}");
        }
    }
    assert_eq!(
        extract("[EXTERNAL] a8\nnice").text(),
        "[EXTERNAL] a8\nnice",
        "the mark is cleaned off the command"
    );
    let split = "<table><tr><td>CAUTION</td></tr><tr><td>This email originated from outside of the company.</td></tr></table>a8";
    assert_eq!(words(&page(split)), "a8");
    for banner in below {
        assert_eq!(extract(&format!("a8\n\n{banner}\n\n> board")).text(), "a8", "{banner}");
        let shown = banner.replace('<', " ").replace('>', "").replace('\n', "<br>");
        for form in [
            "<div>a8</div><div><br></div><div>{}</div>",
            "<p>a8</p><table><tr><td><img src=x></td><td>{}</td></tr></table>",
            "a8<br><br><hr><p>{}</p>",
        ] {
            assert_eq!(
                words(&page(&form.replace("{}", &shown))).lines().next(),
                Some("a8"),
                "{form} {banner}"
            );
            if !form.contains("<hr>") {
                assert_eq!(words(&page(&form.replace("{}", &shown))), "a8", "{form} {banner}");
            }
        }
    }
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
