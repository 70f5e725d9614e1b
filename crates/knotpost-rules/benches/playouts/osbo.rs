//! Osbo by two: whole turns with all the dice they owe.

use crate::chance::{Chance, set_up};
use criterion::{Criterion, Throughput};
use knotpost_rules::{
    Game, Seed,
    games::osbo::{Osbo, OsboMove},
};
use std::hint::black_box;

/// Turns played in one measured round.
const TURNS: u64 = 2_000;

/// Any turn that can be completed, die by die; `None` when there is none.
fn choose(game: &Osbo, chance: &mut Chance) -> Option<OsboMove> {
    let mut placements = Vec::with_capacity(2);
    loop {
        let (next, dice, _) = game.list_next(&placements).ok()?;
        placements.push(*next.get(chance.below(next.len() as u32) as usize)?);
        if placements.len() == usize::from(dice) {
            return OsboMove::new(placements);
        }
    }
}

/// Plays games of chosen turns, each game with dice of its own; forced passes are not counted.
fn play_out(starts: &[Osbo], chance: &mut Chance) -> u64 {
    let mut played = 0;
    for start in starts.iter().cycle() {
        let mut game = start.clone();
        while !game.status().is_over() {
            if game.pass().is_err() && choose(&game, chance).is_some_and(|mv| game.play(&mv).is_ok()) {
                played += 1;
            }
            if played >= TURNS {
                return played;
            }
        }
    }
    played
}

pub(crate) fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("osbo");
    group.throughput(Throughput::Elements(TURNS));
    for size in ["5", "8"] {
        let starts: Vec<Osbo> = (0..100).map(|seed| set_up(size, Seed([seed; 32]))).collect();
        let mut chance = Chance::new();
        group.bench_function(format!("{size}x{size}"), |bencher| {
            bencher.iter(|| black_box(play_out(black_box(&starts), &mut chance)));
        });
    }
    group.finish();
}
