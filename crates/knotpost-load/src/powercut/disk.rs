//! A file on a disk that may lose power: what is durable, and what was written since. After a power cut the bytes written
//! since into each sector may be the old ones, the new ones or garbage. The bytes beside them are unchanged: SQLite relies
//! on that (its "powersafe overwrite"), and disks guarantee it.

use std::ops::Range;

use crate::dice::{Dice, happens};

/// The unit that a disk writes atomically, in bytes.
const SECTOR: usize = 512;

/// A change that is not durable yet.
#[derive(Debug)]
struct Change {
    serial: u64,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Write { offset: usize, bytes: Vec<u8>, done: bool },
    Truncate { length: usize, done: bool },
}

#[derive(Debug, Default)]
pub(super) struct File {
    safe: Vec<u8>,
    changes: Vec<Change>,
    serial: u64,
}

/// Changes that were not durable, and their fate at a cut.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    /// Sectors that were not durable at the cut.
    pub(super) unsafe_sectors: usize,
    /// … of these, sectors with the old bytes.
    pub(super) old: usize,
    /// … of these, sectors with garbage.
    pub(super) garbled: usize,
}

impl Losses {
    pub(super) fn add(&mut self, other: Self) {
        self.unsafe_sectors += other.unsafe_sectors;
        self.old += other.old;
        self.garbled += other.garbled;
    }
}

impl File {
    /// A file that is entirely durable.
    pub(super) fn new(safe: Vec<u8>) -> Self {
        Self { safe, changes: Vec::new(), serial: 0 }
    }

    fn push(&mut self, kind: Kind) {
        self.serial += 1;
        self.changes.push(Change { serial: self.serial, kind });
    }

    pub(super) fn write(&mut self, offset: u64, bytes: Vec<u8>, done: bool) {
        self.push(Kind::Write { offset: offset as usize, bytes, done });
    }

    pub(super) fn truncate(&mut self, length: u64, done: bool) {
        self.push(Kind::Truncate { length: length as usize, done });
    }

    /// The changes that a sync beginning now will make durable; pass it to [`Self::make_safe`].
    pub(super) fn begin_sync(&self) -> u64 {
        self.serial
    }

    /// A sync that began after `serial` changes is done.
    pub(super) fn make_safe(&mut self, serial: u64) {
        let later = self.changes.partition_point(|change| change.serial <= serial);
        for change in self.changes.drain(..later) {
            apply(&mut self.safe, &change.kind);
        }
    }

    /// The file as the processes on the machine see it; `None` when a call was in progress that may or may not have taken
    /// effect.
    pub(super) fn seen(&self) -> Option<Vec<u8>> {
        let certain = |change: &Change| {
            !matches!(change.kind, Kind::Write { done: false, .. } | Kind::Truncate { done: false, .. })
        };
        self.changes.iter().all(certain).then(|| self.wanted())
    }

    /// The file without a power cut.
    fn wanted(&self) -> Vec<u8> {
        let mut bytes = self.safe.clone();
        self.changes.iter().for_each(|change| apply(&mut bytes, &change.kind));
        bytes
    }

    /// The file after the power cut.
    pub(super) fn lose_power(&self, dice: &mut Dice) -> (Vec<u8>, Losses) {
        let wanted = self.wanted();
        // Some cuts lose every change, some none, most a part.
        let shares = [(100, 0), (0, 0), (50, 0), (30, 30), (0, 30)];
        let (old, garbled) = dice.choice(shares).unwrap_or_default();
        // The length may be old or new too.
        let length = match wanted.len().checked_sub(self.safe.len()) {
            _ if !happens(dice, old) => wanted.len(),
            Some(grown) if happens(dice, 50) => self.safe.len() + dice.usize(..=grown) / SECTOR * SECTOR,
            _ => self.safe.len(),
        };
        let before = |at: usize| self.safe.get(at).copied().unwrap_or(0);
        // The old bytes reappear where the file is longer again.
        let mut left: Vec<u8> =
            (0..length).map(|at| wanted.get(at).copied().unwrap_or_else(|| before(at))).collect();
        let mut losses = Losses::default();
        let fresh = self.written(length);
        for sector in self.touched() {
            losses.unsafe_sectors += 1;
            let drawn = dice.u64(..100);
            losses.old += usize::from(drawn < old);
            losses.garbled += usize::from((old..old + garbled).contains(&drawn));
            let start = sector.start;
            for (at, byte) in (start..).zip(left.get_mut(start..sector.end.min(length)).into_iter().flatten())
            {
                if drawn < old {
                    *byte = before(at);
                } else if drawn < old + garbled && fresh.get(at) == Some(&true) {
                    *byte = dice.u8(..);
                }
            }
        }
        (left, losses)
    }

    /// For each of the first `length` bytes, true when it was written since the last sync.
    fn written(&self, length: usize) -> Vec<bool> {
        let mut fresh = vec![false; length];
        for change in &self.changes {
            if let Kind::Write { offset, bytes, .. } = &change.kind
                && let Some(place) = fresh.get_mut(*offset..length.min(offset + bytes.len()))
            {
                place.fill(true);
            }
        }
        fresh
    }

    /// The sectors that were written since the last sync, each once.
    fn touched(&self) -> Vec<Range<usize>> {
        let mut sectors = std::collections::BTreeSet::new();
        for change in &self.changes {
            if let Kind::Write { offset, bytes, .. } = &change.kind {
                sectors.extend(offset / SECTOR..(offset + bytes.len()).div_ceil(SECTOR));
            }
        }
        sectors.into_iter().map(|sector| sector * SECTOR..(sector + 1) * SECTOR).collect()
    }
}

fn apply(file: &mut Vec<u8>, kind: &Kind) {
    match kind {
        Kind::Truncate { length, .. } => file.resize(*length, 0),
        Kind::Write { offset, bytes, .. } => {
            let end = offset + bytes.len();
            if file.len() < end {
                file.resize(end, 0);
            }
            if let Some(place) = file.get_mut(*offset..end) {
                place.copy_from_slice(bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> File {
        let mut file = File::new(vec![1; 2 * SECTOR]);
        file.write(0, vec![2; SECTOR], true);
        let sync = file.begin_sync();
        file.write(SECTOR as u64, vec![3; 3 * SECTOR], true);
        file.make_safe(sync);
        file
    }

    #[test]
    fn what_was_written_before_a_sync_began_is_never_lost() {
        let file = written();
        for seed in 0..200 {
            let (left, losses) = file.lose_power(&mut Dice::with_seed(seed));
            assert!(left.len() >= 2 * SECTOR && left[..SECTOR].iter().all(|byte| *byte == 2));
            assert_eq!(losses.unsafe_sectors, 3);
        }
    }

    #[test]
    fn what_was_written_since_may_be_old_new_or_nonsense_sector_by_sector() {
        let file = written();
        let (mut old, mut new, mut torn) = (0, 0, 0);
        for seed in 0..200 {
            let (left, losses) = file.lose_power(&mut Dice::with_seed(seed));
            match &left[SECTOR..2 * SECTOR] {
                sector if sector.iter().all(|byte| *byte == 1) => old += 1,
                sector if sector.iter().all(|byte| *byte == 3) => new += 1,
                _ => torn += usize::from(losses.garbled > 0),
            }
        }
        assert!(old > 10 && new > 10 && torn > 10, "{old} {new} {torn}");
    }

    #[test]
    fn bytes_beside_those_that_were_written_are_never_touched() {
        let mut file = File::new(vec![1; SECTOR]);
        file.write(100, vec![2; 1000], true);
        for seed in 0..200 {
            let (left, _) = file.lose_power(&mut Dice::with_seed(seed));
            assert!(left[..100].iter().all(|byte| *byte == 1), "seed {seed}");
        }
    }

    #[test]
    fn a_write_under_way_leaves_the_file_uncertain() {
        let mut file = written();
        assert_eq!(file.seen().map(|seen| seen.len()), Some(4 * SECTOR));
        file.write(0, vec![9], false);
        assert_eq!(file.seen(), None);
    }

    #[test]
    fn a_file_that_was_cut_short_may_be_long_again() {
        let mut file = File::new(vec![7; 4 * SECTOR]);
        file.truncate(0, true);
        let lengths: std::collections::BTreeSet<usize> =
            (0..100).map(|seed| file.lose_power(&mut Dice::with_seed(seed)).0.len()).collect();
        assert_eq!(lengths.into_iter().collect::<Vec<_>>(), [0, 4 * SECTOR]);
        let (left, _) = (0..100)
            .map(|seed| file.lose_power(&mut Dice::with_seed(seed)))
            .find(|(left, _)| !left.is_empty())
            .expect("one");
        assert!(left.iter().all(|byte| *byte == 7));
    }
}
