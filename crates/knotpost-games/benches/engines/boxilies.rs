//! Boxilies; one element is one whole game.

use crate::chance::Chance;
use criterion::{Criterion, Throughput};
use knotpost_games::boxilies::{Boxilies, BoxiliesMove, Cell, Lie};
use knotpost_rules::{Game, GameOptions, Seed};
use std::hint::black_box;

/// Games played in one measured round.
const GAMES: u64 = 1_000;

/// A number below `count` from 16 bits of chance.
const fn pick(bits: u64, count: usize) -> usize {
    ((bits & 0xffff) as usize * count) >> 16
}

/// Plays one game of uniformly chosen stones, empty cells and turns; returns how many games have ended.
fn play_out(start: &Boxilies, chance: &mut Chance) -> usize {
    let mut game = start.clone();
    let mut empty = Cell::ALL;
    for left in (1..=empty.len()).rev() {
        let bits = chance.next();
        let at = pick(bits, left);
        let (Some(stone), Some(&cell)) =
            (game.hand().get(pick(bits >> 16, game.hand().len())), empty.get(at))
        else {
            continue;
        };
        let lie = Lie::new(stone, (bits >> 32 & 3) as u8);
        if game.play(&BoxiliesMove { lie, cell }).is_ok() {
            empty.swap(at, left - 1);
        }
    }
    usize::from(game.status().is_over())
}

pub(crate) fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("boxilies");
    group.throughput(Throughput::Elements(GAMES));
    let start = Boxilies::setup(&GameOptions::defaults(Boxilies::meta().options), 2, &Seed::default());
    let mut chance = Chance::new();
    group.bench_function("3x3", |bencher| {
        bencher.iter(|| (0..GAMES).map(|_| play_out(black_box(&start), &mut chance)).sum::<usize>());
    });
    group.finish();
}
