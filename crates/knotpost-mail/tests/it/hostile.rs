//! Large mails made of the most expensive inputs.
//!
//! Nothing is timed. Linear reading takes a few seconds for all; quadratic reading would exceed the runner's time limit.
//! The benchmark `reading` shows how times grow up to the largest mails.

use knotpost_commands::Vocabulary;
use knotpost_mail::{Address, identify, parse};

const SIZE: usize = 64 * 1024;
/// Just below the limit of one header field.
const FIELD: usize = 30 * 1024;

fn mail(headers: &str, unit: &str) -> Vec<u8> {
    format!("From: a@b.c\nSubject: x\n{headers}\n\n{}", unit.repeat(SIZE / unit.len())).into_bytes()
}

fn read(raw: &[u8]) {
    if let Ok(message) = parse(raw) {
        for address in [Address::Plain, Address::Reply] {
            let _ = identify(&message, address, &Vocabulary::default());
        }
    }
}

#[test]
fn texts_of_nothing_but_quotes_and_their_like_are_read() {
    for unit in [
        "> \n",
        ">",
        "\n",
        " ",
        ":",
        "From: a\n",
        "From: a\nTo: b\n",
        "From: a\nSent: b\nTo: c\n\n",
        "----x----\n",
        "-----Original Message-----\n\n",
        "On 2026 a@b\n",
        "On 2026 a@b wrote:\n",
        "On 2026 a@b wrote:\n\n> \n",
        "On 2026-11-03 10:15 a@b wrote:\n\n\n",
        "Sent from my iPhone\n",
        "Sent from my iPhone\n\n\n",
        "-- \n",
        "EXTERNAL: do not click, for this line is longer than fifty characters\n",
        "wrote:\n",
        "_____\n",
        "_____\n\n\n",
        "-----BEGIN PGP SIGNATURE-----\n",
        "a\n> b\n",
        "a\n\u{200d}\n",
        "İ",
    ] {
        read(&mail("Content-Type: text/plain; charset=utf-8", unit));
        read(&mail(
            "Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes",
            &unit.replace('\n', " \n"),
        ));
    }
}

#[test]
fn pages_of_nothing_but_markup_are_read() {
    for unit in [
        "<",
        "<div>",
        "</div>",
        "<blockquote>",
        "<br>",
        "<hr>",
        "<p>",
        "<p>&nbsp;",
        "<!--",
        "<!-- -->",
        "<style>",
        "<title",
        "<a \"",
        "<a b=\"",
        "<a b=' ",
        "<a =    \"",
        "&",
        "&amp",
        "&amp;",
        "&#1114112;",
        "<pre> ",
        "<td>",
        "<div style=\"white-space:pre\">",
        "<div class=yahoo_quoted>",
        "a ",
        "\u{a0}",
        "<blockquote><br>",
    ] {
        read(&mail("Content-Type: text/html; charset=utf-8", unit));
    }
}

#[test]
fn codes_of_nothing_but_escapes_are_read() {
    for unit in ["=", "= ", "=\n", "=4", "=20", "=0A", "A", "A\n", "=====", "AAAA-", "\0", "\r", "\u{1b}$B"] {
        for encoding in ["quoted-printable", "base64", "7bit"] {
            for charset in ["utf-8", "iso-2022-jp", "utf-7", "utf-16"] {
                let headers = format!(
                    "Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}"
                );
                read(&mail(&headers, unit));
            }
        }
    }
    for unit in ["--x\n", "--x\n\n\n", "--x--\n", "--x", "--x\nContent-Type: multipart/mixed; boundary=x\n\n"]
    {
        read(&mail("Content-Type: multipart/mixed; boundary=x", unit));
        read(&mail("Content-Type: multipart/alternative; boundary=x", unit));
    }
}

#[test]
fn headers_of_nothing_but_signs_are_read() {
    for name in
        ["From", "To", "Subject", "References", "Date", "Content-Type", "Received", "List-Id", "Return-Path"]
    {
        for unit in [
            "(",
            "()",
            "\"",
            "\\",
            "<",
            ">",
            "<>",
            "<a@b>",
            ",",
            ";",
            ":",
            "a:",
            "a:;",
            "@",
            "=?",
            "=?utf-8?",
            "=?utf-8?q?",
            "=?utf-8?q?a?= ",
            "=?utf-8?b?YQ==?=",
            "=?utf-8?b?YQ",
            "a*0=",
            "; a=b",
            "; a*1*=utf-8''%",
            "\n ",
            "é",
            "1 ",
            "a@b, ",
        ] {
            let value = unit.repeat(FIELD / unit.len());
            read(format!("{name}: {value}\n\nhello\n").as_bytes());
            let short = format!("{name}: {}\n", unit.repeat(200 / unit.len()));
            read(format!("{}\nhello\n", short.repeat(450)).as_bytes());
        }
    }
}
