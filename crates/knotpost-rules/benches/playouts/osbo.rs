//! Osbo by two: whole turns with all the dice they owe.

use crate::chance::{Chance, set_up};
use criterion::{Criterion, Throughput};
use knotpost_rules::{
    Game,
    games::osbo::{Osbo, OsboMove},
};
use std::hint::black_box;

/// Turns played in one measured round.
const TURNS: u64 = 2_000;

/// Any turn that can be completed, die by die; `None` when nothing can be placed.
fn choose(game: &Osbo, chance: &mut Chance) -> Option<OsboMove> {
    let mut placements = Vec::new();
    loop {
        let (next, dice, _) = game.list_next(&placements).ok()?;
        placements.push(*next.get(chance.below(next.len() as u32) as usize)?);
        if placements.len() == usize::from(dice) {
            return OsboMove::new(placements);
        }
    }
}

/// Plays games of chosen turns, one after the other from the same stream of dice; passes count, as they are turns.
fn play_out(start: &Osbo, chance: &mut Chance) -> u64 {
    let mut closed = 0;
    let mut game = start.clone();
    for _ in 0..TURNS {
        let accepted = match choose(&game, chance) {
            Some(mv) => game.play(&mv).is_ok(),
            None => game.pass().is_ok(),
        };
        if !accepted {
            closed += 1;
            game.clone_from(start);
        }
    }
    closed
}

pub(crate) fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("osbo");
    group.throughput(Throughput::Elements(TURNS));
    for size in ["5", "8"] {
        let start = set_up(size);
        let mut chance = Chance::new();
        group.bench_function(format!("{size}x{size}"), |bencher| {
            bencher.iter(|| black_box(play_out(black_box(&start), &mut chance)));
        });
    }
    group.finish();
}
