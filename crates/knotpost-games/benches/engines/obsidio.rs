//! Obsidio by two.

use crate::chance::{Chance, set_up};
use criterion::{Criterion, Throughput};
use knotpost_games::obsidio::{Cells, Obsidio, ObsidioMove, Shade, Square};
use knotpost_rules::{Game, Seed};
use std::hint::black_box;

/// Turns played in one measured round.
const TURNS: u64 = 10_000;

fn pick(chance: &mut Chance, cells: Cells) -> Option<Square> {
    cells.iter().nth(chance.below(cells.len()) as usize)
}

/// A claim or a first cell, each as likely as any other, and a second cell where one is due.
fn choose(game: &Obsidio, chance: &mut Chance) -> Option<ObsidioMove> {
    let first = pick(chance, game.first_cells() | game.claimable())?;
    let seconds = if first.shade() == Shade::Light { game.second_cells(first) } else { Cells::NONE };
    Some(match pick(chance, seconds) {
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

pub(crate) fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("obsidio");
    group.throughput(Throughput::Elements(TURNS));
    for size in ["5", "9", "11"] {
        let start = set_up(size, Seed::default());
        let mut chance = Chance::new();
        group.bench_function(format!("{size}x{size}"), |bencher| {
            bencher.iter(|| black_box(play_out(black_box(&start), &mut chance)));
        });
    }
    group.finish();
}
