//! Rounds of the Dutch system, and tables.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use knotpost_tournaments::{Chances, Form, TieBreak, pair_round, random_tournament, standings};

fn tournaments(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tournaments");
    group.sample_size(10);
    let chances = Chances::default();
    group.bench_function("60 players, 9 rounds", |bench| bench.iter(|| random_tournament(60, 9, 1, chances)));
    for players in [200, 1000] {
        let record = random_tournament(players, 9, 1, chances);
        let present: Vec<usize> = (0..players).collect();
        group.bench_function(format!("round 5 of {players} players"), |bench| {
            bench.iter(|| black_box(pair_round(&record, 4, &present)));
        });
        group.bench_function(format!("table of {players} players"), |bench| {
            bench.iter(|| black_box(standings(&record, &present, 9, Form::Swiss, &TieBreak::SWISS)));
        });
    }
    group.finish();
}

criterion_group!(benches, tournaments);
criterion_main!(benches);
