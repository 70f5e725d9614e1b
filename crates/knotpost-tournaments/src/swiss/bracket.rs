//! One bracket (article 3): the best set of pairs, and of equally good ones the first in the order of article 4.

use super::criteria::Criteria;
use super::matching::{Layout, best_matching};
use super::transposition::{Failures, first_transposition};

/// The most bits that decisions about the order may take beside the criteria; what is more is decided in further matchings.
const BITS_FOR_ORDER: usize = 250;
/// The number of decisions of yes and no that share a digit.
const CHOICES_A_DIGIT: usize = 32;

/// The pairs of a bracket while they are being fixed.
pub(super) struct Bracket<'a> {
    criteria: &'a Criteria<'a>,
    /// The current partner of each node.
    mates: Vec<Option<usize>>,
    /// True for nodes whose partner is final.
    fixed: Vec<bool>,
    /// True for moved-down players who will not be paired in this bracket.
    limbo: Vec<bool>,
}

/// Digits below the criteria, with which one matching decides about the order.
struct Order<F> {
    bounds: Vec<u64>,
    /// Fills the digits of a pair inside the bracket; false if the pair is out of question.
    fill: F,
}

impl<'a> Bracket<'a> {
    /// Pairs a bracket: the partner of each node. Nodes below the bracket are matched in one of the ways that keep the
    /// criteria.
    pub(super) fn pair(criteria: &'a Criteria<'a>) -> Vec<Option<usize>> {
        let mut bracket = Bracket {
            criteria,
            mates: vec![None; criteria.len()],
            fixed: vec![false; criteria.len()],
            limbo: vec![false; criteria.len()],
        };
        bracket.fix_moved_down();
        bracket.fix_remainder();
        bracket.mates
    }

    /// The best matching by the criteria alone.
    pub(super) fn best(criteria: &Criteria<'_>) -> Vec<Option<usize>> {
        best_matching(criteria.len(), &criteria.layout(), |a, b, digits| criteria.fill(a, b, digits))
    }

    /// Matches all nodes that are not fixed.
    fn solve(&mut self, order: &Order<impl Fn(usize, usize, &mut [u64]) -> bool>) {
        let live: Vec<usize> = (0..self.criteria.len()).filter(|&node| !self.fixed[node]).collect();
        let mut layout: Layout = self.criteria.layout();
        for &bound in &order.bounds {
            layout.push(bound);
        }
        let of_criteria = self.criteria.digits();
        let found = best_matching(live.len(), &layout, |i, j, digits| {
            let (a, b) = (live[i], live[j]);
            let (above, below) = digits.split_at_mut(of_criteria);
            if self.criteria.is_inside(a, b) && (self.limbo[a] || !(order.fill)(a, b, below)) {
                return false;
            }
            self.criteria.fill(a, b, above)
        });
        for (i, mate) in found.into_iter().enumerate() {
            self.mates[live[i]] = mate.map(|j| live[j]);
        }
    }

    fn mate_inside(&self, node: usize) -> Option<usize> {
        self.mates[node].filter(|&mate| self.criteria.is_inside(node, mate))
    }

    fn fix(&mut self, node: usize) {
        if let Some(mate) = self.mates[node] {
            self.fixed[node] = true;
            self.fixed[mate] = true;
        }
    }

    /// Fixes the pairs of moved-down players: the first valid set of them (article 4.4), then the first transposition of
    /// the residents (article 4.2).
    fn fix_moved_down(&mut self) {
        let (moved, inside) = (self.criteria.moved_down(), self.criteria.inside());
        let sets = moved.div_ceil(CHOICES_A_DIGIT);
        let width = (u64::BITS - (inside as u64).leading_zeros()) as usize;
        let at_once = (BITS_FOR_ORDER / width).max(1);
        let mut from = 0;
        loop {
            let chunk = from..moved.min(from + at_once);
            let mut bounds = vec![u64::from(u32::MAX); sets];
            bounds.extend(chunk.clone().map(|_| inside as u64));
            let fill = |a: usize, b: usize, digits: &mut [u64]| {
                if a < moved {
                    digits[a / CHOICES_A_DIGIT] = 1 << (CHOICES_A_DIGIT - 1 - a % CHOICES_A_DIGIT);
                    if chunk.contains(&a) {
                        digits[sets + a - chunk.start] = (inside - b) as u64;
                    }
                }
                true
            };
            self.solve(&Order { bounds, fill });
            for node in 0..moved {
                self.limbo[node] = self.mate_inside(node).is_none();
            }
            for node in chunk.clone().filter(|&node| !self.limbo[node]).collect::<Vec<_>>() {
                self.fix(node);
            }
            from = chunk.end;
            if from >= moved {
                return;
            }
        }
    }

    /// Fixes the pairs of residents with each other: exchanges (article 4.3), then transpositions (article 4.2).
    fn fix_remainder(&mut self) {
        let remainder: Vec<usize> =
            (self.criteria.moved_down()..self.criteria.inside()).filter(|&node| !self.fixed[node]).collect();
        let pairs = remainder.iter().filter(|&&node| self.mate_inside(node).is_some()).count() / 2;
        if pairs == 0 || self.take_first_transposition(&remainder, pairs) {
            return;
        }
        let first_half = Half::first(&remainder, pairs, self.criteria.inside());
        self.fix_transposition(&remainder, &first_half, true);
        let half = self.upper_half(&remainder);
        if half == first_half.nodes {
            return;
        }
        for &node in &remainder {
            self.fixed[node] = false;
        }
        let half = self.choose_exchange(&remainder, &first_half);
        self.fix_transposition(&remainder, &half, false);
    }

    /// Takes the first transposition of the first halves if trying in order finds one that is as good as the pairs known.
    fn take_first_transposition(&mut self, remainder: &[usize], pairs: usize) -> bool {
        let allowed = self.failures(remainder);
        let (upper, lower) = remainder.split_at(pairs);
        let Some(partners) = first_transposition(self.criteria, upper, lower, allowed) else { return false };
        let known = self.mates.clone();
        let best = self.sum();
        for &node in remainder {
            self.fixed[node] = partners.contains(&node) || upper.contains(&node);
        }
        for (&node, &partner) in upper.iter().zip(&partners) {
            self.mates[node] = Some(partner);
            self.mates[partner] = Some(node);
        }
        let same_floaters = lower.iter().all(|&node| {
            self.fixed[node] || known[node].is_none_or(|mate| !self.criteria.is_inside(node, mate))
        });
        if !same_floaters {
            self.solve(&Order { bounds: Vec::new(), fill: |_, _, _: &mut [u64]| true });
        }
        if self.sum() == best {
            return true;
        }
        self.mates = known;
        for &node in remainder {
            self.fixed[node] = false;
        }
        false
    }

    /// The failures of the pairs known, and of those who float.
    fn failures(&self, remainder: &[usize]) -> Failures {
        let mut failures = Failures::default();
        for &node in remainder {
            match self.mate_inside(node) {
                Some(mate) if node < mate => {
                    let of_pair = self.criteria.failures(node, mate).unwrap_or_default();
                    for (count, fails) in failures.colours.iter_mut().zip(of_pair) {
                        *count += usize::from(fails);
                    }
                }
                Some(_) => {}
                None => {
                    for (count, ago) in failures.floats.iter_mut().zip([1, 2]) {
                        *count += usize::from(self.criteria.floated_down(node, ago));
                    }
                }
            }
        }
        failures
    }

    /// The digits of all pairs together.
    fn sum(&self) -> Vec<u64> {
        let mut sum = vec![0; self.criteria.digits()];
        let mut digits = sum.clone();
        for (node, mate) in self.mates.iter().enumerate() {
            if let Some(mate) = mate.filter(|&mate| node < mate) {
                digits.fill(0);
                self.criteria.fill(node, mate, &mut digits);
                for (total, digit) in sum.iter_mut().zip(&digits) {
                    *total += digit;
                }
            }
        }
        sum
    }

    /// The higher-ranked players of all pairs within the remainder.
    fn upper_half(&self, remainder: &[usize]) -> Vec<usize> {
        remainder
            .iter()
            .copied()
            .filter(|&node| self.mate_inside(node).is_some_and(|mate| node < mate))
            .collect()
    }

    /// Fixes, for each of the upper half in turn, the first partner that keeps the criteria. With `or_exchange` the pairs
    /// may also exchange players between the halves, as few as possible; nothing is fixed if they must.
    fn fix_transposition(&mut self, remainder: &[usize], half: &Half, or_exchange: bool) {
        let inside = self.criteria.inside();
        let width = (u64::BITS - (inside as u64).leading_zeros()) as usize;
        let at_once = (BITS_FOR_ORDER / width).max(1);
        for chunk in half.nodes.chunks(at_once) {
            let mut bounds = if or_exchange { half.exchange_bounds() } else { Vec::new() };
            let from = bounds.len();
            bounds.extend(chunk.iter().map(|_| inside as u64));
            let fill = |a: usize, b: usize, digits: &mut [u64]| {
                if or_exchange {
                    half.fill_exchange(a, digits);
                } else if !half.is_upper[a] || half.is_upper[b] {
                    return false;
                }
                if half.is_upper[a]
                    && !half.is_upper[b]
                    && let Ok(at) = chunk.binary_search(&a)
                {
                    digits[from + at] = (inside - b) as u64;
                }
                true
            };
            self.solve(&Order { bounds, fill });
            if or_exchange && self.upper_half(remainder) != half.nodes {
                return;
            }
            for &node in chunk {
                self.fix(node);
            }
        }
    }

    /// The upper half after the first exchange that keeps the criteria (article 4.3).
    fn choose_exchange(&mut self, remainder: &[usize], first: &Half) -> Half {
        let mut bounds = first.exchange_bounds();
        let from = bounds.len();
        let pairs = first.nodes.len();
        let lower: Vec<usize> = remainder[pairs..].to_vec();
        let leaving = pairs.div_ceil(CHOICES_A_DIGIT);
        let all = u64::from(u32::MAX);
        bounds.extend((0..leaving).map(|_| all * pairs as u64));
        bounds.extend((0..lower.len().div_ceil(CHOICES_A_DIGIT)).map(|_| all));
        let bit = |at: usize| 1_u64 << (CHOICES_A_DIGIT - 1 - at % CHOICES_A_DIGIT);
        let fill = |a: usize, _: usize, digits: &mut [u64]| {
            first.fill_exchange(a, digits);
            digits[from..from + leaving].fill(all);
            if let Ok(at) = first.nodes.binary_search(&a) {
                // Of those who leave the upper half, the one with the greatest number that differs should be greater.
                let from_below = pairs - 1 - at;
                digits[from + from_below / CHOICES_A_DIGIT] -= bit(from_below);
            } else if let Ok(at) = lower.binary_search(&a) {
                digits[from + leaving + at / CHOICES_A_DIGIT] = bit(at);
            }
            true
        };
        self.solve(&Order { bounds, fill });
        Half::of(self.upper_half(remainder), remainder, self.criteria.inside())
    }
}

/// The players of a remainder who are the higher-ranked of their pairs.
struct Half {
    nodes: Vec<usize>,
    is_upper: Vec<bool>,
    /// The number of each node within the remainder, from 0: a remainder is numbered anew (article 4.1).
    numbers: Vec<usize>,
    players: usize,
}

impl Half {
    /// The half that article 3.2 begins with.
    fn first(remainder: &[usize], pairs: usize, inside: usize) -> Self {
        Self::of(remainder[..pairs].to_vec(), remainder, inside)
    }

    fn of(nodes: Vec<usize>, remainder: &[usize], inside: usize) -> Self {
        let mut is_upper = vec![false; inside];
        for &node in &nodes {
            is_upper[node] = true;
        }
        let mut numbers = vec![0; inside];
        for (number, &node) in remainder.iter().enumerate() {
            numbers[node] = number;
        }
        Self { nodes, is_upper, numbers, players: remainder.len() }
    }

    /// Bounds of the two digits of an exchange: few players, and a small difference of their numbers.
    fn exchange_bounds(&self) -> Vec<u64> {
        let pairs = self.nodes.len() as u64;
        vec![pairs, pairs * self.players as u64]
    }

    /// Rewards a pair whose higher-ranked player is of this half, and else one who stands high.
    fn fill_exchange(&self, upper: usize, digits: &mut [u64]) {
        digits[0] = u64::from(self.is_upper[upper]);
        digits[1] = (self.players - self.numbers[upper]) as u64;
    }
}
