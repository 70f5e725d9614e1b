//! Who speaks in the mails of the corpus: persons, lists and automata.

use std::fs;
use std::path::{Path, PathBuf};

use knotpost_model::OwnAddresses;
use knotpost_transport::inbound::{Class, classify, parse};

/// The corpus belongs to the crate that reads mails; these tests add what only the server can judge.
fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../knotpost-mail/tests/fixtures/mail")
}

fn name_of(class: Class) -> String {
    match class {
        Class::Person => "person".to_owned(),
        Class::Bulk => "bulk".to_owned(),
        Class::Automatic(reason) => format!("automatic {reason}"),
    }
}

#[test]
fn every_mail_of_the_corpus_is_of_the_class_that_stands_beside_it() {
    let own = OwnAddresses::new("games@example.org").unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for folder in fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().path()) {
        for mail in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if mail.extension().is_none_or(|extension| extension != "eml") {
                continue;
            }
            let want = fs::read_to_string(mail.with_extension("want")).unwrap();
            let want =
                want.lines().find_map(|line| line.strip_prefix("class: ")).unwrap_or("person").to_owned();
            let message = parse(&fs::read(&mail).unwrap()).unwrap();
            let class = name_of(classify(&message, message.envelope_sender(), &own));
            if class != want {
                wrong.push(format!("{}: {class}, not {want}", mail.display()));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 30, "only {count} mails were found");
}
