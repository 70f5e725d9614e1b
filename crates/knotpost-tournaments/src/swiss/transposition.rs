//! The first transposition that is as good as a known best, found by trying partners in order (article 4.2).
//!
//! Most brackets need no more than this. The search is short of breath on purpose: where it would have to go back often, it
//! gives up, and the matching decides.

use crate::record::Colour;

use super::colour::Strength;
use super::criteria::Criteria;

/// Failures that a candidate may have.
#[derive(Clone, Copy, Default)]
pub(super) struct Failures {
    /// Of criteria 10 to 13.
    pub(super) colours: [usize; 4],
    /// Of criteria 14 and 16: players who float down again.
    pub(super) floats: [usize; 2],
}

struct Search<'a> {
    criteria: &'a Criteria<'a>,
    upper: &'a [usize],
    lower: &'a [usize],
    taken: Vec<bool>,
    chosen: Vec<usize>,
    left: [usize; 4],
    floats: [usize; 2],
    upper_wishes: Wishes,
    lower_wishes: Wishes,
    tried: usize,
}

/// Players by the colour they want: white, black, none; and those of the first two who want it mildly.
#[derive(Clone, Copy, Default)]
struct Wishes {
    all: [usize; 3],
    mild: [usize; 2],
}

impl Wishes {
    fn of(criteria: &Criteria<'_>, nodes: &[usize]) -> Self {
        let mut wishes = Self::default();
        for &node in nodes {
            let (place, mild) = Self::place(criteria, node);
            wishes.all[place] += 1;
            if mild {
                wishes.mild[place] += 1;
            }
        }
        wishes
    }

    fn place(criteria: &Criteria<'_>, node: usize) -> (usize, bool) {
        let place = match criteria.wish(node) {
            Some(Colour::White) => 0,
            Some(Colour::Black) => 1,
            None => 2,
        };
        (place, place < 2 && criteria.strength(node) == Strength::Mild)
    }

    fn remove(&mut self, criteria: &Criteria<'_>, node: usize) {
        let (place, mild) = Self::place(criteria, node);
        self.all[place] -= 1;
        if mild {
            self.mild[place] -= 1;
        }
    }

    fn add(&mut self, criteria: &Criteria<'_>, node: usize) {
        let (place, mild) = Self::place(criteria, node);
        self.all[place] += 1;
        if mild {
            self.mild[place] += 1;
        }
    }

    /// The fewest pairs with equal wishes, and the fewest of these without a mild wish, if all of these players find a
    /// partner among the others.
    fn fewest_clashes(self, others: Self) -> (usize, usize) {
        let clashes =
            [0, 1].map(|colour| self.all[colour].saturating_sub(others.all[1 - colour] + others.all[2]));
        let strong =
            [0, 1].map(|colour| clashes[colour].saturating_sub(self.mild[colour] + others.mild[colour]));
        (clashes.iter().sum(), strong.iter().sum())
    }
}

/// The partners of the upper half, in its order, of the first transposition with no more failures than `allowed`. None if
/// there is none, or if it takes too long to tell.
pub(super) fn first_transposition(
    criteria: &Criteria<'_>,
    upper: &[usize],
    lower: &[usize],
    allowed: Failures,
) -> Option<Vec<usize>> {
    let mut search = Search {
        criteria,
        upper,
        lower,
        taken: vec![false; lower.len()],
        chosen: Vec::with_capacity(upper.len()),
        left: allowed.colours,
        floats: allowed.floats,
        upper_wishes: Wishes::of(criteria, upper),
        lower_wishes: Wishes::of(criteria, lower),
        tried: 0,
    };
    search.go_on().then_some(search.chosen)
}

impl Search<'_> {
    /// Finds partners for all who have none yet; where it returns false, nothing has changed.
    fn go_on(&mut self) -> bool {
        let Some(&node) = self.upper.get(self.chosen.len()) else { return self.spares_floaters() };
        for at in 0..self.lower.len() {
            if self.taken[at] {
                continue;
            }
            self.tried += 1;
            if self.tried > self.criteria.patience() {
                return false;
            }
            let partner = self.lower[at];
            let Some(failures) = self.criteria.failures(node, partner) else { continue };
            if failures.iter().zip(self.left).any(|(&fails, left)| usize::from(fails) > left) {
                continue;
            }
            self.put(node, at, failures);
            if self.has_prospect() && self.go_on() {
                return true;
            }
            self.take_back(node, at, failures);
        }
        false
    }

    /// True if those who are left over may float.
    fn spares_floaters(&self) -> bool {
        let floaters =
            || self.lower.iter().zip(&self.taken).filter(|&(_, &taken)| !taken).map(|(&node, _)| node);
        [1, 2].into_iter().zip(self.floats).all(|(ago, allowed)| {
            floaters().filter(|&node| self.criteria.floated_down(node, ago)).count() <= allowed
        })
    }

    /// False if the wishes alone rule out that the others can be paired.
    fn has_prospect(&self) -> bool {
        let (clashes, strong) = self.upper_wishes.fewest_clashes(self.lower_wishes);
        // Of two topscorers with absolute wishes neither has the strong one that criterion 13 is about.
        clashes <= self.left[2] && (strong <= self.left[3] || self.criteria.has_topscorers())
    }

    fn put(&mut self, node: usize, at: usize, failures: [bool; 4]) {
        self.taken[at] = true;
        self.chosen.push(self.lower[at]);
        self.upper_wishes.remove(self.criteria, node);
        self.lower_wishes.remove(self.criteria, self.lower[at]);
        for (left, fails) in self.left.iter_mut().zip(failures) {
            *left -= usize::from(fails);
        }
    }

    fn take_back(&mut self, node: usize, at: usize, failures: [bool; 4]) {
        self.taken[at] = false;
        self.chosen.pop();
        self.upper_wishes.add(self.criteria, node);
        self.lower_wishes.add(self.criteria, self.lower[at]);
        for (left, fails) in self.left.iter_mut().zip(failures) {
            *left += usize::from(fails);
        }
    }
}
