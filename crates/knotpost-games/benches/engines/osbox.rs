//! Osbox by two.

use crate::chance::{Chance, set_up};
use criterion::{Criterion, Throughput};
use knotpost_games::osbox::{Osbox, OsboxMove};
use knotpost_rules::{Game, Seed, knot::Face};
use std::hint::black_box;

/// Moves played in one measured round.
const MOVES: u64 = 10_000;

/// Plays games of uniformly chosen legal moves; refused choices are drawn again and not counted.
fn play_out(start: &Osbox, chance: &mut Chance) -> u64 {
    let entries = 2 * u32::from(start.size());
    let (mut played, mut points) = (0, 0);
    let mut game = start.clone();
    while played < MOVES {
        let choice = chance.below(15 * entries);
        let face = Face::ALL.get((choice / entries) as usize).copied();
        let Some(face) = face else { continue };
        // The first seat owns the lower half of the entries, the second one the upper half.
        let side = game.next_seat().index() as u32 * entries;
        let mv = OsboxMove { face, entry: (side + choice % entries) as u8 + 1 };
        if let Ok(gain) = game.play(&mv) {
            played += 1;
            points += u64::from(gain);
        } else if game.status().is_over() {
            game.clone_from(start);
        }
    }
    points
}

pub(crate) fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("osbox");
    group.throughput(Throughput::Elements(MOVES));
    for size in ["4", "5", "8"] {
        let start = set_up(size, Seed::default());
        let mut chance = Chance::new();
        group.bench_function(format!("{size}x{size}"), |bencher| {
            bencher.iter(|| black_box(play_out(black_box(&start), &mut chance)));
        });
    }
    group.finish();
}
