//! Osbo: complete turns by two, and the search for how much a turn must place.

use crate::chance::{Chance, set_up};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use knotpost_games::osbo::{Osbo, OsboMove};
use knotpost_rules::{Game, GameOptions, Seed};
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
            return OsboMove::new(&placements);
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

/// Positions after `turns` turns each; games that ended before are left out.
fn open_positions(players: usize, turns: usize) -> Vec<Osbo> {
    let options = GameOptions::defaults(Osbo::meta().options);
    let mut chance = Chance::new();
    let mut after_turns = |seed: u8| {
        let mut game = Osbo::setup(&options, players, &Seed([seed; 32]));
        for _ in 0..turns {
            if game.pass().is_err() {
                game.play(&choose(&game, &mut chance)?).ok()?;
            }
        }
        (!game.status().is_over()).then_some(game)
    };
    (0..64).filter_map(&mut after_turns).collect()
}

/// A roll, and the most dice and designs that it can be placed on. A seat that retires on its turn lets the next one
/// roll, which runs nothing else.
pub(crate) fn obligation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("osbo obligation");
    for players in [2, 4] {
        for turns in [0, 10, 30] {
            let positions = open_positions(players, turns);
            assert!(!positions.is_empty(), "every game of {players} is over after {turns} turns");
            group.throughput(Throughput::Elements(positions.len() as u64));
            group.bench_function(BenchmarkId::new(format!("{players} players"), turns), |bencher| {
                let retire =
                    |games: &mut Vec<Osbo>| games.iter_mut().for_each(|game| game.retire(game.next_seat()));
                bencher.iter_batched_ref(|| positions.clone(), retire, BatchSize::SmallInput);
            });
        }
    }
    group.finish();
}
