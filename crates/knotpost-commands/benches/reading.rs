//! From a line to a command, for lines as players write them, for mistakes that are looked up, and for long lines.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use knotpost_commands::{GameWords, OptionWord, Vocabulary, clean, mask, parse};

/// What is read, and what it is worth measuring for.
const LINES: [(&str, &str); 6] = [
    ("move", "osbox move 101 fred chocolate a15"),
    ("challenge", "challenge osbox -size=5 -no_capture fred chocolate george"),
    ("multi-word move", "osbo move 101 fred chocolate c3:a d4:k"),
    ("settings", "set fred chocolate reminder 3"),
    ("misspelled verb", "osbox moev 101 fred chocolate a15"),
    ("misspelled game", "obsox show 101"),
];

fn vocabulary() -> Vocabulary {
    let options = ["size", "no_capture", "thick_knots", "score", "deal", "hand"];
    let option = |name: &str| OptionWord {
        name: name.to_owned(),
        takes_value: name != "no_capture",
        help: String::new(),
        default: String::new(),
    };
    let game = |name: &str| GameWords {
        name: name.to_owned(),
        aliases: Vec::new(),
        title: name.to_owned(),
        options: options.map(option).to_vec(),
    };
    Vocabulary::new(["osbox", "osbo", "obsidio", "boxilies"].map(game).to_vec())
}

fn reading(criterion: &mut Criterion) {
    let vocabulary = vocabulary();
    let mut group = criterion.benchmark_group("command");
    for (name, line) in LINES {
        group.bench_function(name, |bencher| bencher.iter(|| parse(black_box(line), &vocabulary)));
    }
    group.bench_function("mask", |bencher| bencher.iter(|| mask(black_box(LINES[0].1), &vocabulary)));
    group.finish();
    let mut group = criterion.benchmark_group("long line");
    for kib in [1, 4, 16] {
        let line = format!("osbox move 101 fred {}", "a1 ".repeat(kib * 1024 / 3));
        group.throughput(Throughput::Bytes(line.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(kib), &line, |bencher, line| {
            bencher.iter(|| parse(&clean(black_box(line)), &vocabulary));
        });
    }
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
