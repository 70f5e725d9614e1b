//! Perft: every line of play to a depth, each turn listed, copied to and played. One element is one such line.

use crate::chance::set_up;
use criterion::{BenchmarkId, Criterion, Throughput};
use knotpost_games::{boxilies::Boxilies, obsidio::Obsidio, osbo::Osbo, osbox::Osbox};
use knotpost_rules::{Game, GameOptions, Seed};
use std::hint::black_box;

/// How many lines there are; a forced pass is a turn.
fn count<G: Game>(game: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if game.status().is_over() {
        return 0;
    }
    let after = |turn: &G::Move| {
        let mut next = game.clone();
        next.play(turn).expect("a turn that was listed");
        count(&next, depth - 1)
    };
    let turns = game.legal_moves();
    if turns.is_empty() {
        let mut next = game.clone();
        next.pass().expect("no turn but a pass");
        return count(&next, depth - 1);
    }
    turns.iter().map(after).sum()
}

fn measure<G: Game>(criterion: &mut Criterion, start: &G, depth: u32, lines: u64) {
    assert_eq!(count(start, depth), lines, "{}", G::meta().name);
    let mut group = criterion.benchmark_group("perft");
    group.throughput(Throughput::Elements(lines)).sample_size(10);
    group.bench_function(BenchmarkId::new(G::meta().name, depth), |bencher| {
        bencher.iter(|| count(black_box(start), depth));
    });
    group.finish();
}

/// Osbo lists a turn for each kind of die and each design that it can begin with, no more.
pub(crate) fn perft(criterion: &mut Criterion) {
    let seed = Seed::default();
    measure::<Osbox>(criterion, &set_up("4", seed), 2, 14_400);
    measure::<Osbo>(criterion, &set_up("5", seed), 8, 18_944);
    measure::<Obsidio>(criterion, &set_up("9", seed), 2, 35_264);
    let options = GameOptions::defaults(Boxilies::meta().options);
    measure(criterion, &Boxilies::setup(&options, 2, &seed), 2, 28_800);
}
