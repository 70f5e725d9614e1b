//! Chance for play-outs, and starts to play from.

use knotpost_rules::{Game, GameOptions, GivenOption, Seed};

/// xorshift64*: what a choice costs must not drown what is measured.
pub(crate) struct Chance(u64);

impl Chance {
    /// Always the same stream.
    pub(crate) const fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// 64 bits.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `count`.
    pub(crate) const fn below(&mut self, count: u32) -> u32 {
        (((self.next() >> 32) * count as u64) >> 32) as u32
    }
}

/// A game of two with this board size.
pub(crate) fn set_up<G: Game>(size: &str, seed: Seed) -> G {
    let given = [GivenOption { name: "size".to_owned(), value: Some(size.to_owned()) }];
    let options = GameOptions::parse(G::meta().options, &given).expect("a size of the game");
    G::setup(&options, 2, &seed)
}
