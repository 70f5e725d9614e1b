//! Random play-outs of Boxilies through the public typed engine, every move checked. One element is one whole game.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use knotpost_rules::{
    Game, GameOptions, Seed,
    games::boxilies::{Boxilies, BoxiliesMove, Cell, Lie},
};
use std::hint::black_box;

/// Games played in one measured round.
const GAMES: u64 = 1_000;

/// xorshift64*: what the choice costs must not drown what is measured.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// A number below `count` from 16 bits of chance.
const fn pick(bits: u64, count: usize) -> usize {
    ((bits & 0xffff) as usize * count) >> 16
}

/// Plays one game of uniformly chosen stones, empty cells and turns; gives how many games have ended.
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

fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("playouts");
    group.throughput(Throughput::Elements(GAMES));
    let start = Boxilies::setup(&GameOptions::defaults(Boxilies::meta().options), 2, &Seed::default());
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    group.bench_function("boxilies", |bencher| {
        bencher.iter(|| (0..GAMES).map(|_| play_out(black_box(&start), &mut chance)).sum::<usize>());
    });
    group.finish();
}

criterion_group!(benches, playouts);
criterion_main!(benches);
