//! Mails as many programs write them, each with the expected result.
//!
//! `fixtures/mail/<program>/<case>.eml` is the mail; `<case>.want` beside it begins with lines `key: value`, ends
//! with the comment, and has a blank line between. The keys: `body`, `subject`, `unclear` or `multiple` say where
//! the command was found and which it is (`multiple` has its lines in place of the comment); `class` (a person's
//! when it is missing) is checked where classes are made, in the server; `from` and `date` (Unix milliseconds)
//! are checked when they are there.

use std::fs;
use std::path::{Path, PathBuf};

use knotpost_commands::{GameWords, Vocabulary};
use knotpost_mail::{Address, Identified, Message, identify, parse};

struct Case {
    name: String,
    raw: Vec<u8>,
    want: String,
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mail");
    let mut mails: Vec<PathBuf> = fs::read_dir(&root)
        .unwrap()
        .flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "eml"))
        .collect();
    mails.sort();
    let case = |path: &PathBuf| Case {
        name: path.strip_prefix(&root).unwrap().with_extension("").display().to_string(),
        raw: fs::read(path).unwrap(),
        want: fs::read_to_string(path.with_extension("want")).unwrap_or_default(),
    };
    mails.iter().map(case).collect()
}

fn with_crlf(raw: &[u8]) -> Vec<u8> {
    raw.iter().flat_map(|byte| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] }).collect()
}

fn vocabulary() -> Vocabulary {
    let game = |name: &str| GameWords {
        name: name.to_owned(),
        aliases: Vec::new(),
        title: name.to_owned(),
        options: Vec::new(),
    };
    Vocabulary::new(vec![game("osbox"), game("osbo"), game("obsidio"), game("boxilies")])
}

/// Reply addresses of the corpus have a plus sign, as the server's own have.
fn arrival(message: &Message) -> Address {
    if message.to.iter().any(|to| to.starts_with("games+r.")) { Address::Reply } else { Address::Plain }
}

/// The result, in the form of a `.want` file.
fn show(message: &Message, wanted: &str) -> String {
    let vocabulary = vocabulary();
    let (found, comment) = match identify(message, arrival(message), &vocabulary) {
        Identified::Body { line, comment } => (format!("body: {line}"), comment),
        Identified::Subject { line, comment } => (format!("subject: {line}"), comment),
        Identified::Unclear { subject, comment } => (format!("unclear: {subject}"), comment),
        Identified::Multiple { lines, surplus } => (format!("multiple: {surplus} more"), lines.join("\n")),
    };
    let mut shown = String::new();
    for line in wanted.lines().take_while(|line| !line.is_empty()) {
        let key = line.split_once(": ").map_or(line, |(key, _)| key);
        shown += &match key {
            "from" => ["from: ", &message.from.join(", ")].concat(),
            "date" => ["date: ", &message.date.map_or("none".to_owned(), |date| date.to_string())].concat(),
            "class" => line.to_owned(),
            _ => found.trim_end().to_owned(),
        };
        shown.push('\n');
    }
    shown + "\n" + &comment
}

#[test]
fn every_mail_of_the_corpus_is_read_as_its_sender_meant_it() {
    let cases = cases();
    assert!(cases.len() >= 30, "only {} mails were found", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let message = match parse(&case.raw) {
            Ok(message) => message,
            Err(error) => {
                wrong.push(format!("=== {}: {error}", case.name));
                continue;
            }
        };
        if parse(&with_crlf(&case.raw)).as_ref() != Ok(&message) {
            wrong.push(format!("=== {}: read otherwise with CRLF", case.name));
        }
        let read = show(&message, &case.want);
        if read.trim_end() != case.want.trim_end() {
            wrong.push(format!("=== {}\n--- wanted\n{}\n--- read\n{read}", case.name, case.want.trim_end()));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Mail programs, and the languages of their attributions: each has mails of its own.
#[test]
fn the_corpus_has_mails_of_every_program_and_every_language() {
    let names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
    let programs = [
        "gmail-web",
        "gmail-mobile",
        "apple-mac",
        "apple-ios",
        "outlook-desktop",
        "outlook-mobile",
        "outlook-web",
        "thunderbird",
        "proton",
        "yahoo",
        "k-9",
        "samsung",
        "mutt",
        "others",
        "gateways",
        "forms",
        "blanks",
        "broken",
    ];
    for program in programs {
        let count = names.iter().filter(|name| name.split('/').next() == Some(program)).count();
        assert!(count >= 3, "{count} of {program}");
    }
    for language in ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "ru", "zh", "ja"] {
        for form in ["gmail-web/top-", "apple-mac/top-", "outlook-desktop/plain-", "thunderbird/flowed-"] {
            let name = format!("{form}{language}");
            assert!(names.contains(&name), "{name}");
        }
    }
    let holds = |needle: &str| cases().iter().any(|case| String::from_utf8_lossy(&case.raw).contains(needle));
    for form in [
        "iso-2022-jp",
        "koi8-r",
        "windows-1250",
        "windows-1251",
        "windows-1252",
        "iso-8859-1",
        "iso-8859-2",
        "gb18030",
        "gb2312",
        "big5",
        "euc-kr",
        "Shift_JIS",
        "base64",
        "quoted-printable",
        "format=flowed",
        "delsp=yes",
        "multipart/signed",
        "multipart/report",
        "multipart/related",
        "message/rfc822",
        "List-Id:",
        "=?UTF-8?B?",
    ] {
        assert!(holds(form) || holds(&form.to_uppercase()), "{form}");
    }
}
