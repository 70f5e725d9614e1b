//! Random play-outs of Obsidio through the public typed engine, every turn checked. One element is one legal turn,
//! so the throughput reads as moves a second on one core.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use knotpost_rules::{
    Game, GameOptions, GivenOption, Seed,
    games::obsidio::{Cells, Obsidio, ObsidioMove, Shade, Square},
};
use std::hint::black_box;

/// Turns played in one measured round.
const TURNS: u64 = 10_000;

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

    fn pick(&mut self, cells: Cells) -> Option<Square> {
        cells.iter().nth(self.below(cells.len()) as usize)
    }
}

/// A claim or a first cell, each as likely as any other, and a second cell where one is due.
fn choose(game: &Obsidio, chance: &mut Chance) -> Option<ObsidioMove> {
    let first = chance.pick(game.first_cells() | game.claimable())?;
    let seconds = if first.shade() == Shade::Light { game.second_cells(first) } else { Cells::NONE };
    Some(match chance.pick(seconds) {
        Some(second) => ObsidioMove::pair(first, second),
        None => ObsidioMove::single(first),
    })
}

/// Plays games of chosen turns; forced passes are not counted.
fn play_out(start: &Obsidio, chance: &mut Chance) -> u64 {
    let (mut played, mut claims) = (0, 0);
    let mut game = start.clone();
    while played < TURNS {
        if let Some(mv) = choose(&game, chance) {
            claims += u64::from(game.play(&mv).unwrap_or_default());
            played += 1;
        } else if game.pass().is_err() {
            game.clone_from(start);
        }
    }
    claims
}

fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("playouts");
    group.throughput(Throughput::Elements(TURNS));
    for size in ["5", "9", "11"] {
        let given = [GivenOption { name: "size".to_owned(), value: Some(size.to_owned()) }];
        let Ok(options) = GameOptions::parse(Obsidio::meta().options, &given) else { continue };
        let start = Obsidio::setup(&options, 2, &Seed::default());
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
        group.bench_function(format!("obsidio_{size}x{size}"), |bencher| {
            bencher.iter(|| black_box(play_out(black_box(&start), &mut chance)));
        });
    }
    group.finish();
}

criterion_group!(benches, playouts);
criterion_main!(benches);
