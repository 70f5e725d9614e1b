//! Any text, wrapped into a reply by any of these programs, is extracted unchanged.

use std::fmt::Write as _;

use knotpost_commands::Vocabulary;
use knotpost_mail::{Address, Identified, Message, extract, identify, parse};
use proptest::prelude::*;

const ADDRESS: &str = "games+r.mzxw6ytboi4dcmrt@example.org";
/// The quoted text; each of its lines would do harm if it were taken for the sender's.
const QUOTED: [&str; 5] = ["Summary of Osbox Board 123", "", "resign", "  1 / \\ / /", "f1"];

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn marked(mark: &str) -> String {
    QUOTED.iter().flat_map(|line| [mark, line, "\n"]).collect()
}

fn plain(text: &str) -> String {
    format!("Content-Type: text/plain; charset=utf-8\n\n{text}")
}

fn page(body: &str) -> String {
    format!("Content-Type: text/html; charset=utf-8\n\n<html><body>{body}</body></html>\n")
}

fn html_lines(own: &str, open: &str, close: &str) -> String {
    let line = |line: &str| if line.is_empty() { "<br>".to_owned() } else { escape(line) };
    own.lines().fold(String::new(), |mut out, own| {
        let _ = write!(out, "{open}{}{close}", line(own));
        out
    })
}

type Wrap = fn(&str) -> String;

/// The forms in which programs combine a text and a quote.
const PROGRAMS: &[(&str, Wrap)] = &[
    ("gmail", |own| {
        plain(&format!(
            "{own}\n\nOn Tue, Nov 3, 2026 at 10:15 AM Knotpost <\n{ADDRESS}> wrote:\n\n{}",
            marked("> ")
        ))
    }),
    ("gmail below", |own| {
        plain(&format!(
            "Le mar. 3 nov. 2026 à 10:15, Knotpost <{ADDRESS}> a écrit :\n{}\n{own}\n",
            marked("> ")
        ))
    }),
    ("gmail page", |own| {
        let quoted = escape(&QUOTED.join("\n"));
        page(&format!(
            "<div dir=\"ltr\">{}</div><br><div class=\"gmail_quote\"><div class=\"gmail_attr\">Am Di., 3. Nov. 2026 um 10:15 Uhr schrieb Knotpost &lt;<a>{ADDRESS}</a>&gt;:<br></div><blockquote class=\"gmail_quote\"><pre>{quoted}</pre></blockquote></div>",
            html_lines(own, "<div>", "</div>")
        ))
    }),
    ("apple", |own| {
        plain(&format!(
            "{own}\n\n> On 3 Nov 2026, at 10:15, Knotpost <{ADDRESS}> wrote:\n> \n{}",
            marked("> ")
        ))
    }),
    ("iphone", |own| {
        plain(&format!(
            "{own}\n\nSent from my iPhone\n\n> On 3 Nov 2026, at 10:15, Knotpost <{ADDRESS}> wrote:\n> \n> \u{feff}{}",
            marked("> ")
        ))
    }),
    ("outlook", |own| {
        plain(&format!(
            "{own}\n\n-----Original Message-----\nFrom: Knotpost <{ADDRESS}> \nSent: Tuesday, November 3, 2026 10:15 AM\nTo: Fred\nSubject: Osbox Board 123\n\n{}",
            marked("")
        ))
    }),
    ("outlook page", |own| {
        page(&format!(
            "<div class=WordSection1>{}<div style='border-top:solid'><p class=MsoNormal><b>Von:</b> Knotpost &lt;{ADDRESS}&gt; <br><b>Gesendet:</b> Dienstag, 3. November 2026 10:15<br><b>An:</b> Fred<br><b>Betreff:</b> Osbox Board 123<o:p></o:p></p></div>{}</div>",
            html_lines(own, "<p class=MsoNormal>", "<o:p></o:p></p>").replace("<br>", "&nbsp;"),
            html_lines(&marked(""), "<p class=MsoNormal>", "</p>")
        ))
    }),
    ("outlook on a telephone", |own| {
        plain(&format!(
            "{own}\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\nFrom: Knotpost <{ADDRESS}>\nSent: Tuesday\nTo: Fred\nSubject: Osbox\n\n{}",
            marked("")
        ))
    }),
    ("thunderbird", |own| {
        let stuffed = own.lines().fold(String::new(), |out, line| out + " " + line.trim_end() + "\n");
        format!(
            "Content-Type: text/plain; charset=utf-8; format=flowed\n\nOn 11/3/26 10:15, Knotpost wrote:\n{}\n{stuffed}\n-- \nFred\nresign\n",
            marked("> ")
        )
    }),
    ("proton", |own| {
        plain(&format!(
            "{own}\n\nSent with Proton Mail secure email.\n\nOn Tuesday, November 3rd, 2026 at 10:15 AM, Knotpost <{ADDRESS}> wrote:\n\n{}",
            marked("> ")
        ))
    }),
    ("yahoo", |own| {
        plain(&format!(
            "{own}\n\n    On Tuesday, November 3, 2026 at 10:15:00 AM GMT+1, Knotpost <{ADDRESS}> wrote:  \n \n{}",
            marked(" ")
        ))
    }),
    ("yahoo page", |own| {
        page(&format!(
            "<div class=\"yahoo-style-wrap\">{}</div><div id=\"yahoo_quoted_1\" class=\"yahoo_quoted\"><div>On Tuesday, Knotpost wrote:</div><div>resign</div></div>",
            html_lines(own, "<div dir=\"ltr\">", "</div>")
        ))
    }),
    ("k-9", |own| {
        plain(&format!(
            "{own}\n-- \nSent from my Android device with K-9 Mail. Please excuse my brevity.\n\nOn 3 November 2026 10:15:00 CET, Knotpost <{ADDRESS}> wrote:\n{}",
            marked(">")
        ))
    }),
    ("mutt", |own| {
        plain(&format!(
            "On Tue, Nov 03, 2026 at 10:15:00AM +0100, Knotpost wrote:\n{}\n{own}\n\n-- \nFred\n",
            marked("> ")
        ))
    }),
    ("behind a gateway", |own| {
        plain(&format!(
            "CAUTION: This email originated from outside of the organization. Do not\nclick links or open attachments.\n\n{own}\n\n{}",
            marked("> ")
        ))
    }),
];

fn read(entity: &str) -> Message {
    parse(
        format!("From: fred@example.net\nTo: {ADDRESS}\nSubject: Re: Osbox Board 123 fred **\n{entity}")
            .as_bytes(),
    )
    .unwrap()
}

/// Words and lines as people write them. Two blanks in a row do not survive HTML, and lines that look like what
/// programs write are for the other tests.
fn comment() -> impl Strategy<Value = String> {
    let word = "[a-zA-Z0-9äöüßéèñçłżśЖдая漢字の&;#%*+=/()!?'\"<][a-zA-Z0-9äöüéяの'&<.,;!?-]{0,9}";
    let line = prop::collection::vec(word, 1..8).prop_map(|words| words.join(" "));
    let paragraph = prop::collection::vec(line, 1..4).prop_map(|lines| lines.join("\n"));
    prop::collection::vec(paragraph, 0..4).prop_map(|paragraphs| paragraphs.join("\n\n"))
}

fn command() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "f12",
        "resign",
        "--",
        "d4 5-3",
        "queue f1 if:e2 a1",
        "propose",
        "chat hello",
        "—",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn what_was_written_is_read_whatever_program_wrapped_it(command in command(), comment in comment()) {
        let own = if comment.is_empty() { command.clone() } else { format!("{command}\n\n{comment}") };
        // Only lines that are no quote by themselves.
        prop_assume!(extract(&own).text() == own);
        for (program, wrap) in PROGRAMS {
            let found = identify(&read(&wrap(&own)), Address::Reply, &Vocabulary::default());
            let wanted = Identified::Body { line: command.clone(), comment: comment.clone() };
            prop_assert_eq!(found, wanted, "{}:\n{}", program, wrap(&own));
        }
    }

    #[test]
    fn every_encoding_brings_back_what_was_put_in(text in "[ -~\n\täéßЖ漢😀€]{0,300}", width in 1_usize..80) {
        let wanted = text.trim_end_matches('\n').to_owned();
        for (encoding, coded) in [("quoted-printable", quoted_printable(&text, width)), ("base64", base64(&text, width)), ("8bit", text.clone())] {
            let mail = format!("From: a@b.c\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n\n{coded}");
            let read = parse(mail.as_bytes()).unwrap().text.unwrap();
            prop_assert_eq!(read.trim_end_matches('\n'), &wanted, "{}", encoding);
        }
    }

    #[test]
    fn encoded_words_bring_back_a_subject(text in "[ -~äéßЖ漢😀€]{1,80}", length in 1_usize..45) {
        let bytes = text.as_bytes();
        let base64: Vec<String> = bytes.chunks(length).map(|chunk| format!("=?UTF-8?B?{}?=", base64_line(chunk))).collect();
        let quoted: Vec<String> = bytes.chunks(length).map(|chunk| {
            format!("=?utf-8?q?{}?=", chunk.iter().fold(String::new(), |out, byte| out + &format!("={byte:02X}")))
        }).collect();
        for words in [base64, quoted] {
            let message = parse(format!("From: a@b.c\nSubject: {}\n\n", words.join("\n ")).as_bytes()).unwrap();
            prop_assert_eq!(message.subject, text.trim());
        }
    }
}

/// Every single-byte charset: each of its characters is decoded from its byte.
#[test]
fn single_bytes_are_read_back_in_every_charset() {
    for (charset, sample) in [
        ("iso-8859-1", "aéßÿ"),
        ("iso-8859-2", "aąłž"),
        ("iso-8859-5", "aЖя"),
        ("iso-8859-7", "aΩή"),
        ("iso-8859-9", "ağş"),
        ("iso-8859-15", "a€œ"),
        ("windows-1250", "aąłž"),
        ("windows-1251", "aЖяё"),
        ("windows-1252", "a€“œ"),
        ("windows-1253", "aΩή"),
        ("windows-1254", "ağş"),
        ("windows-1257", "aąž"),
        ("koi8-r", "aЖя"),
        ("koi8-u", "aЖєї"),
    ] {
        let decode = |bytes: &[u8]| {
            let mut mail =
                format!("From: a@b.c\nContent-Type: text/plain; charset={charset}\n\n").into_bytes();
            mail.extend_from_slice(bytes);
            parse(&mail).unwrap().text.unwrap()
        };
        let byte_of = |wanted: char| (0x20..=0xff_u8).find(|byte| decode(&[*byte]).starts_with(wanted));
        let bytes: Option<Vec<u8>> = sample.chars().map(byte_of).collect();
        assert_eq!(decode(&bytes.unwrap_or_else(|| panic!("{charset}"))), sample);
    }
}

fn quoted_printable(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let mut column = 0;
        for byte in line.bytes() {
            if byte == b'\n' {
                out.push('\n');
                continue;
            }
            if column >= width {
                out.push_str("=\n");
                column = 0;
            }
            if byte.is_ascii_graphic() && byte != b'=' {
                out.push(char::from(byte));
            } else {
                write!(out, "={byte:02X}").unwrap();
            }
            column += 1;
        }
    }
    out
}

fn base64(text: &str, width: usize) -> String {
    let line = base64_line(text.as_bytes());
    line.as_bytes().chunks(width).map(|chunk| String::from_utf8_lossy(chunk) + "\n").collect()
}

fn base64_line(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_usize, |word, byte| word << 8 | usize::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let shown = digit <= chunk.len();
            out.push(if shown { char::from(DIGITS[word >> (18 - 6 * digit) & 63]) } else { '=' });
        }
    }
    out
}
