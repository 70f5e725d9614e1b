//! The criteria of the Dutch system (article 2) as the digits of one layout of numbers, to be maximised by a matching.
//!
//! The nodes are the players of a bracket (moved-down players, then residents), those of the next score group, where
//! they are needed the players below, and the bye. A criterion that minimises a number of players is a reward for the pairs
//! that spare one, since the number of pairs is fixed by a digit above.

use crate::record::{Colour, Points};

use super::colour::Strength;
use super::field::{Field, Float};
use super::matching::Layout;

/// The criteria for one bracket and the players below it.
#[derive(Debug)]
pub(super) struct Criteria<'a> {
    field: &'a Field,
    /// The entrant of each node; none is the bye.
    nodes: Vec<Option<usize>>,
    /// The nodes before this one are moved-down players.
    moved_down: usize,
    /// The nodes before this one are in the bracket.
    inside: usize,
    /// The nodes before this one are in the bracket or in the next score group.
    following: usize,
    /// True if every node must be matched: all players below and the bye are among the nodes.
    complete: bool,
    /// The score of the player who gets the bye (criterion 5).
    bye_score: Option<Points>,
    /// The greatest number of unplayed games, where criterion 9 counts.
    most_unplayed: Option<u64>,
    /// The distinct scores in the bracket, and how many nodes have them; the highest first.
    scores: Vec<(Points, u64)>,
    bounds: Vec<u64>,
}

/// A bracket and its surroundings, by entrants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    pub(super) moved_down: &'a [usize],
    pub(super) residents: &'a [usize],
    pub(super) next: &'a [usize],
    /// All other players; empty if it is left to the caller that they can be paired.
    pub(super) below: &'a [usize],
    pub(super) complete: bool,
    pub(super) bye_score: Option<Points>,
}

impl<'a> Criteria<'a> {
    pub(super) fn new(field: &'a Field, around: Surroundings<'_>) -> Self {
        let mut nodes: Vec<Option<usize>> = Vec::new();
        for part in [around.moved_down, around.residents, around.next, around.below] {
            nodes.extend(part.iter().copied().map(Some));
        }
        if around.complete && around.bye_score.is_some() {
            nodes.push(None);
        }
        let mut scores: Vec<(Points, u64)> = Vec::new();
        for &entrant in around.moved_down.iter().chain(around.residents) {
            let score = field.score(entrant);
            match scores.last_mut() {
                Some((last, count)) if *last == score => *count += 1,
                _ => scores.push((score, 1)),
            }
        }
        let inside = around.moved_down.len() + around.residents.len();
        let mut criteria = Self {
            field,
            nodes,
            moved_down: around.moved_down.len(),
            inside,
            following: inside + around.next.len(),
            complete: around.complete,
            bye_score: around.bye_score,
            most_unplayed: None,
            scores,
            bounds: Vec::new(),
        };
        criteria.bounds = criteria.list_bounds();
        criteria
    }

    /// Lets criterion 9 count: the one downfloater of this bracket gets the bye.
    pub(super) fn count_unplayed(&mut self) {
        self.most_unplayed = self.field.entrants.iter().map(|entrant| entrant.unplayed as u64).max();
        self.bounds = self.list_bounds();
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn entrant(&self, node: usize) -> Option<usize> {
        self.nodes[node]
    }

    pub(super) fn is_inside(&self, a: usize, b: usize) -> bool {
        a < self.inside && b < self.inside
    }

    pub(super) fn inside(&self) -> usize {
        self.inside
    }

    pub(super) fn moved_down(&self) -> usize {
        self.moved_down
    }

    /// The number of nodes in the bracket and the next score group.
    pub(super) fn following(&self) -> usize {
        self.following
    }

    pub(super) fn digits(&self) -> usize {
        self.bounds.len()
    }

    pub(super) fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        for &bound in &self.bounds {
            layout.push(bound);
        }
        layout
    }

    /// The greatest sum of each digit. A digit that cannot decide anything in this bracket has the bound 0.
    fn list_bounds(&self) -> Vec<u64> {
        let pairs = (self.inside / 2) as u64;
        let residents = self.moved_down..self.inside;
        let had = |node: usize, ago: usize, float: Float| {
            self.nodes[node].is_some_and(|entrant| self.field.had(entrant, ago, float))
        };
        let count = |range: std::ops::Range<usize>, ago: usize, float: Float| {
            range.filter(|&node| had(node, ago, float)).count() as u64
        };
        let moved_scores = || self.scores.iter().take(self.scores.len().saturating_sub(1));
        let any = |found: bool, bound: u64| if found { bound } else { 0 };
        let topscorers = self.has_topscorers();

        let mut bounds = vec![any(self.complete, self.len() as u64 / 2), pairs];
        if self.moved_down > 0 {
            bounds.extend(moved_scores().map(|&(_, players)| players));
        }
        bounds.push((self.following / 2) as u64);
        bounds.extend(self.scores.iter().map(|&(_, players)| players));
        bounds.push(self.most_unplayed.unwrap_or(0));
        bounds.extend([any(topscorers, pairs), any(topscorers, pairs), pairs, pairs]);
        for ago in [1, 2] {
            let down = count(residents.clone(), ago, Float::Down);
            let up = count(residents.clone(), ago, Float::Up);
            bounds.extend([down, any(self.moved_down > 0 && up > 0, pairs)]);
        }
        if self.moved_down > 0 {
            for ago in [1, 2] {
                let down = count(0..self.moved_down, ago, Float::Down) > 0;
                let up = count(residents.clone(), ago, Float::Up) > 0;
                bounds.extend(moved_scores().map(|&(_, players)| any(down, players)));
                bounds.extend(moved_scores().map(|&(_, players)| any(up, players)));
            }
        }
        bounds
    }

    /// The number of pairs to try in order before a matching decides.
    pub(super) fn patience(&self) -> usize {
        self.field.patience
    }

    /// The colour that a player wants.
    pub(super) fn wish(&self, node: usize) -> Option<Colour> {
        self.nodes[node].and_then(|entrant| self.field.entrants[entrant].colours.wish)
    }

    /// The strength of what a player wants.
    pub(super) fn strength(&self, node: usize) -> Strength {
        self.nodes[node].map_or(Strength::None, |entrant| self.field.entrants[entrant].colours.strength)
    }

    /// True if a player floated down this many rounds ago.
    pub(super) fn floated_down(&self, node: usize, ago: usize) -> bool {
        self.nodes[node].is_some_and(|entrant| self.field.had(entrant, ago, Float::Down))
    }

    /// True if a player of the bracket is a topscorer.
    pub(super) fn has_topscorers(&self) -> bool {
        self.entrants_inside().any(|entrant| self.field.entrants[entrant].topscorer)
    }

    /// Criteria 10 to 13 for two players of the bracket: true for each that one of them fails. None if they must not meet.
    pub(super) fn failures(&self, a: usize, b: usize) -> Option<[bool; 4]> {
        let (x, y) = (self.nodes[a]?, self.nodes[b]?);
        self.field.may_meet(x, y).then(|| self.colour_failures(x, y))
    }

    fn entrants_inside(&self) -> impl Iterator<Item = usize> {
        self.nodes[..self.inside].iter().copied().flatten()
    }

    /// Fills the digits of a pair of nodes, the smaller first; false if they must not be paired.
    pub(super) fn fill(&self, a: usize, b: usize, digits: &mut [u64]) -> bool {
        let Some(x) = self.nodes[a] else { return false };
        let Some(y) = self.nodes[b] else { return self.fill_bye(a, x, digits) };
        if b < self.moved_down || !self.field.may_meet(x, y) {
            return false;
        }
        digits[0] = 1;
        if b < self.inside {
            self.fill_inside(a, x, y, digits);
        } else if b < self.following {
            let at = 2 + self.moved_digits();
            digits[at] = 1;
            if a < self.inside {
                digits[at + 1 + self.score_digit(x)] = 1;
            }
        }
        for (digit, &bound) in digits.iter_mut().zip(&self.bounds) {
            *digit = (*digit).min(bound);
        }
        true
    }

    fn fill_bye(&self, a: usize, x: usize, digits: &mut [u64]) -> bool {
        let entrant = &self.field.entrants[x];
        if !entrant.may_have_bye || Some(entrant.score) != self.bye_score {
            return false;
        }
        digits[0] = 1;
        if let Some(most) = self.most_unplayed.filter(|_| a < self.inside) {
            digits[2 + self.moved_digits() + 1 + self.scores.len()] = most - entrant.unplayed as u64;
        }
        true
    }

    /// The number of digits that hold one score of moved-down players each.
    fn moved_digits(&self) -> usize {
        if self.moved_down > 0 { self.scores.len() - 1 } else { 0 }
    }

    fn score_digit(&self, entrant: usize) -> usize {
        let score = self.field.score(entrant);
        self.scores.iter().position(|&(other, _)| other == score).unwrap_or(0)
    }

    fn fill_inside(&self, a: usize, x: usize, y: usize, digits: &mut [u64]) {
        let field = self.field;
        let moved = self.moved_digits();
        digits[1] = 1;
        if a < self.moved_down {
            digits[2 + self.score_digit(x)] = 1;
        }
        let mut at = 2 + moved + 1 + self.scores.len() + 1;
        let mut put = |value: bool| {
            digits[at] = u64::from(value);
            at += 1;
        };
        let [imbalance, third, wish, strong] = self.colour_failures(x, y);
        put(!imbalance);
        put(!third);
        put(!wish);
        put(!strong);
        let of_moved_down = a < self.moved_down;
        for ago in [1, 2] {
            let spared = u64::from(field.had(y, ago, Float::Down))
                + u64::from(!of_moved_down && field.had(x, ago, Float::Down));
            digits[at] = spared;
            digits[at + 1] = u64::from(!(of_moved_down && field.had(y, ago, Float::Up)));
            at += 2;
        }
        if of_moved_down {
            let digit = self.score_digit(x);
            for ago in [1, 2] {
                digits[at + digit] = u64::from(field.had(x, ago, Float::Down));
                digits[at + moved + digit] = u64::from(!field.had(y, ago, Float::Up));
                at += 2 * moved;
            }
        }
    }

    /// Criteria 10 to 13: true for each that one of the two fails, with the colours they would get.
    fn colour_failures(&self, x: usize, y: usize) -> [bool; 4] {
        let colour = self.field.colour_of_higher(x, y);
        let pair = [(&self.field.entrants[x], colour), (&self.field.entrants[y], colour.opposite())];
        let any = |fails: &dyn Fn(&super::field::Entrant, Colour) -> bool| {
            pair.iter().any(|&(entrant, colour)| fails(entrant, colour))
        };
        let top = pair.iter().any(|(entrant, _)| entrant.topscorer);
        let denied =
            |entrant: &super::field::Entrant, colour| entrant.colours.wish.is_some_and(|wish| wish != colour);
        [
            top && any(&|entrant, colour| entrant.colours.difference_after(colour).abs() > 2),
            top && any(&|entrant, colour| entrant.colours.would_be_third(colour)),
            any(&denied),
            any(&|entrant, colour| denied(entrant, colour) && entrant.colours.strength == Strength::Strong),
        ]
    }
}
