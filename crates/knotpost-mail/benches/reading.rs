//! Reading a mail: from its bytes to the message, and from its text to command and comment; for mails of several
//! programs, and for the most expensive inputs at growing sizes, whose times must grow linearly.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use knotpost_commands::Vocabulary;
use knotpost_mail::{Address, identify, parse};

/// A case of the corpus and what makes it worth measuring.
const MAILS: [(&str, &str); 6] = [
    ("mutt/inline", "short plain text"),
    ("gmail-web/top-en", "plain text beside a page"),
    ("gmail-web/html-only-zh", "page only"),
    ("outlook-desktop/word-en", "plain text beside Word's page"),
    ("outlook-desktop/word-html-only-ja", "Word's page only, ISO-2022-JP"),
    ("thunderbird/smime-signed", "signed, flowed"),
];

/// Header and unit of texts that make the most work.
const HOSTILE: [(&str, &str, &str); 6] = [
    ("quotes", "Content-Type: text/plain", "On 2026-11-03 10:15 a@b wrote:\n\n> \n"),
    ("headers in the text", "Content-Type: text/plain", "From: a\nSent: b\n"),
    ("adverts", "Content-Type: text/plain", "Sent from my iPhone\n\n"),
    ("open quotes of pages", "Content-Type: text/html", "<blockquote><br>"),
    ("entities", "Content-Type: text/html", "&amp;"),
    ("parts", "Content-Type: multipart/mixed; boundary=x", "--x\n\nhello\n"),
];

fn corpus(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mail").join(format!("{name}.eml")))
        .unwrap()
}

fn read(raw: &[u8]) -> usize {
    let Ok(message) = parse(raw) else { return 0 };
    black_box(identify(&message, Address::Reply, &Vocabulary::default()));
    message.received_count
}

fn benches(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("mail");
    for (name, what) in MAILS {
        let raw = corpus(name);
        let message = parse(&raw).unwrap();
        group.throughput(Throughput::Bytes(raw.len() as u64));
        group.bench_function(format!("parse: {what}"), |bench| bench.iter(|| parse(black_box(&raw))));
        group.bench_function(format!("extract: {what}"), |bench| {
            bench.iter(|| identify(black_box(&message), Address::Reply, &Vocabulary::default()));
        });
    }
    group.finish();
    let mut group = bench.benchmark_group("hostile");
    for (what, header, unit) in HOSTILE {
        for kib in [64, 256, 512, 4096] {
            let raw =
                format!("From: a@b.c\n{header}\n\n{}", unit.repeat(kib * 1024 / unit.len())).into_bytes();
            group.throughput(Throughput::Bytes(raw.len() as u64));
            group.bench_with_input(BenchmarkId::new(what, kib), &raw, |bench, raw| {
                bench.iter(|| read(black_box(raw)));
            });
        }
    }
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
