//! Everything random in a game, from one stream that can be recomputed from the seed.
//!
//! The stream is `ChaCha20` keyed by the seed, read as unsigned 32-bit words in order. A word at or above the
//! largest multiple of the number of outcomes is dropped, so that every outcome is equally likely.

use crate::seed::Seed;
use rand_chacha::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};

/// A stream of draws.
#[derive(Clone, Debug)]
pub struct Draws(ChaCha20Rng);

impl Draws {
    /// The stream of a seed, from its start.
    pub fn new(seed: &Seed) -> Self {
        Self(ChaCha20Rng::from_seed(seed.0))
    }

    /// The next draw: a number below `outcomes`, every one equally likely. Fewer than two outcomes still take a
    /// word, so that the place of a draw in the stream depends on nothing but the draws before it.
    pub fn below(&mut self, outcomes: u32) -> u32 {
        let outcomes = outcomes.max(1);
        let range = 1_u64 << 32;
        let limit = range - range % u64::from(outcomes);
        loop {
            let word = self.0.next_u32();
            if u64::from(word) < limit {
                return word % outcomes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_the_zero_seed_never_changes() {
        let mut draws = Draws::new(&Seed::default());
        // The first words of ChaCha20 under a zero key, RFC 8439, appendix A.1, test vector 1:
        // ade0b876 903df1a0 e56a5d40 28bd8653.
        let words = [0xade0_b876_u32, 0x903d_f1a0, 0xe56a_5d40, 0x28bd_8653];
        assert_eq!(words.map(|_| draws.below(6)), words.map(|word| word % 6));
    }

    #[test]
    fn one_outcome_takes_a_word_too() {
        let (mut one, mut other) = (Draws::new(&Seed::default()), Draws::new(&Seed::default()));
        assert_eq!(one.below(1), 0);
        other.below(6);
        assert_eq!(one.below(1_000_000), other.below(1_000_000));
    }
}
