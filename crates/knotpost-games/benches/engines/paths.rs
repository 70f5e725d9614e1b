//! Closed paths of knot dice: found from the cells of a line, as after a push, or of a whole board, and walked. One
//! element is one cell from which paths are looked for.

use crate::chance::Chance;
use criterion::{BenchmarkId, Criterion, Throughput};
use knotpost_rules::knot::{Face, Knotwork, Place, Run};
use std::hint::black_box;

/// A board with a die in every cell.
fn fill(size: u8, chance: &mut Chance) -> Knotwork {
    let mut dice = Knotwork::default();
    for row in 1..=size {
        for column in 1..=size {
            let face = Face::ALL[chance.below(Face::ALL.len() as u32) as usize];
            dice.put(Place::new(row, column), face);
        }
    }
    dice
}

/// The length of all closed paths that touch these cells, and how many cells each of them visits.
fn trace(dice: &Knotwork, run: Run) -> (u32, u32) {
    let (mut length, mut cells) = (0, 0);
    dice.closed_paths(run, |path| {
        length += path.length;
        cells += dice.visited(path).len();
    });
    (length, cells)
}

pub(crate) fn tracing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("closed paths");
    for size in [4, 8, 12] {
        let mut chance = Chance::new();
        let boards: Vec<Knotwork> = (0..64).map(|_| fill(size, &mut chance)).collect();
        let whole = Run::of_rows(Place::new(1, 1), Place::new(size, size));
        let found: u32 = boards.iter().map(|dice| trace(dice, whole).0).sum();
        assert!(found > 0, "no closed path on any board of side {size}");
        let name = format!("{size}x{size}");

        group.throughput(Throughput::Elements(boards.len() as u64 * u64::from(size)));
        group.bench_function(BenchmarkId::new("line", &name), |bencher| {
            let middle = size.div_ceil(2);
            let line = Run::between(Place::new(middle, 1), Place::new(middle, size));
            bencher.iter(|| boards.iter().map(|dice| trace(black_box(dice), line).0).sum::<u32>());
        });
        group.throughput(Throughput::Elements(boards.len() as u64 * u64::from(size) * u64::from(size)));
        group.bench_function(BenchmarkId::new("board", &name), |bencher| {
            bencher.iter(|| boards.iter().map(|dice| trace(black_box(dice), whole).0).sum::<u32>());
        });
    }
    group.finish();
}
