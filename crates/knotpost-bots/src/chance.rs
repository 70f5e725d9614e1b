//! Numbers by chance for searches. Boards draw theirs from `knotpost_rules::rng`, never from here.

use knotpost_rules::Seed;

/// The increment of `SplitMix64` (Steele, Lea and Flood 2014).
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of numbers that is the same on every machine.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The stream of a seed for one purpose; streams of different purposes have nothing in common.
    pub fn new(seed: &Seed, purpose: u64) -> Self {
        let (words, _) = seed.0.as_chunks::<8>();
        let mut chance = Self(purpose);
        for word in words {
            chance.0 = chance.next() ^ u64::from_le_bytes(*word);
        }
        chance
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `count`; 0 when that is 0.
    pub const fn below(&mut self, count: u32) -> u32 {
        (((self.next() >> 32) * count as u64) >> 32) as u32
    }

    /// A seed for a stream of its own.
    pub fn seed(&mut self) -> Seed {
        let mut seed = Seed::default();
        let (words, _) = seed.0.as_chunks_mut::<8>();
        for word in words {
            *word = self.next().to_le_bytes();
        }
        seed
    }
}
