//! Matchings of greatest weight, where a weight is an ordered list of digits.

use integer_blossom::{Weight, max_weight_matching};

use super::wide::Wide;

/// An ordered list of numbers to be maximised, the most important first. Each has a bound that the sum over a whole
/// matching never exceeds, and takes as many bits as that.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    widths: Vec<u32>,
}

impl Layout {
    /// Adds a digit below all others.
    pub(super) fn push(&mut self, bound: u64) {
        self.widths.push(u64::BITS - bound.leading_zeros());
    }

    pub(super) fn bits(&self) -> usize {
        self.widths.iter().map(|&width| width as usize).sum()
    }

    /// The place of each digit's lowest bit.
    fn places(&self) -> Vec<usize> {
        let mut above = self.bits();
        self.widths
            .iter()
            .map(|&width| {
                above -= width as usize;
                above
            })
            .collect()
    }
}

/// The matching of greatest weight of `n` nodes. `edge` fills the digits of a pair and says if the pair is allowed; its
/// list comes as zeros. Of two matchings the one with more on the highest digit that differs wins.
pub(super) fn best_matching(
    n: usize,
    layout: &Layout,
    edge: impl Fn(usize, usize, &mut [u64]) -> bool,
) -> Vec<Option<usize>> {
    // The solver doubles weights and adds two of them.
    match (layout.bits() + 6).div_ceil(64) {
        0..=1 => solve::<1>(n, layout, edge),
        2 => solve::<2>(n, layout, edge),
        3..=4 => solve::<4>(n, layout, edge),
        5..=8 => solve::<8>(n, layout, edge),
        9..=16 => solve::<16>(n, layout, edge),
        17..=32 => solve::<32>(n, layout, edge),
        _ => solve::<64>(n, layout, edge),
    }
}

fn solve<const N: usize>(
    n: usize,
    layout: &Layout,
    edge: impl Fn(usize, usize, &mut [u64]) -> bool,
) -> Vec<Option<usize>> {
    let places = layout.places();
    let mut digits = vec![0; places.len()];
    let mut weights = vec![Wide::<N>::ZERO; n * n];
    for a in 0..n {
        for b in a + 1..n {
            digits.fill(0);
            if edge(a, b, &mut digits) {
                let weight = &mut weights[a * n + b];
                for (&place, &digit) in places.iter().zip(&digits) {
                    if digit > 0 {
                        weight.add_at(place, digit);
                    }
                }
            }
        }
    }
    max_weight_matching(&weights, n)
}

/// True if all nodes can be matched.
pub(super) fn has_perfect_matching(n: usize, edge: impl Fn(usize, usize) -> bool) -> bool {
    if !n.is_multiple_of(2) {
        return false;
    }
    let mut free: Vec<usize> = (0..n).collect();
    while let Some(&a) = free.first() {
        let Some(at) = free.iter().position(|&b| a != b && edge(a, b)) else { break };
        free.remove(at);
        free.remove(0);
    }
    free.is_empty() || {
        let mut weights = vec![0_i32; n * n];
        for a in 0..n {
            for b in a + 1..n {
                weights[a * n + b] = i32::from(edge(a, b));
            }
        }
        max_weight_matching(&weights, n).iter().all(Option::is_some)
    }
}
