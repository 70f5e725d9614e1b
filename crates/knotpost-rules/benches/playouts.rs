//! Random play-outs through the public typed engine, every move checked. One element is one legal move, so the
//! throughput reads as moves a second on one core.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use knotpost_rules::{
    Game, GameOptions, GivenOption, Seed,
    games::osbox::{Osbox, OsboxMove},
    knot::Face,
};
use std::hint::black_box;

/// Moves played in one measured round.
const MOVES: u64 = 10_000;

/// xorshift64*: what the choice costs must not drown what is measured.
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((bits * u64::from(count)) >> 32) as u32
    }
}

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

fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("playouts");
    group.throughput(Throughput::Elements(MOVES));
    for size in ["4", "5", "8"] {
        let given = [GivenOption { name: "size".to_owned(), value: Some(size.to_owned()) }];
        let options = GameOptions::parse(Osbox::meta().options, &given);
        let Ok(options) = options else { continue };
        let start = Osbox::setup(&options, 2, &Seed::default());
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
        group.bench_function(format!("osbox_{size}x{size}"), |bencher| {
            bencher.iter(|| black_box(play_out(black_box(&start), &mut chance)));
        });
    }
    group.finish();
}

criterion_group!(benches, playouts);
criterion_main!(benches);
