//! The nodes of a tree and their edges. When and how often it is searched is not known here.

use super::{Policy, bound};
use crate::state::{Action, State};
use knotpost_rules::Game;
use std::ops::ControlFlow;

/// The node of the position that is asked about.
pub(super) const ROOT: usize = 0;
/// No node: the root is nobody's child.
const NONE: u32 = 0;

/// The step from a node to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge<S> {
    /// One step more of a move.
    Step(S),
    /// The begun move is played as it is, though it could go on.
    Stop,
    Pass,
    Swap,
}

struct Node<S> {
    edge: Option<Edge<S>>,
    /// The part of the parent's visits that the estimate gives this edge.
    share: f32,
    visits: u32,
    /// The sum of values for the player who chooses this node.
    total: f32,
    /// The player who wins from here, whatever the others do.
    winner: Option<u8>,
    child: u32,
    sibling: u32,
    /// The round in which the edge was legal last.
    round: u32,
}

/// A tree; nodes are named by their places in a list.
pub(super) struct Tree<G: Game> {
    nodes: Vec<Node<G::Step>>,
    /// The round of the last extension: edges of an older one are not legal now.
    round: u32,
}

impl<G: Game> Tree<G> {
    pub(super) fn new() -> Self {
        let root = Node {
            edge: None,
            share: 1.0,
            visits: 0,
            total: 0.0,
            winner: None,
            child: NONE,
            sibling: NONE,
            round: 0,
        };
        Self { nodes: vec![root], round: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn visits(&self, node: usize) -> u32 {
        self.nodes.get(node).map_or(0, |node| node.visits)
    }

    pub(super) fn edge(&self, node: usize) -> Option<Edge<G::Step>> {
        self.nodes.get(node)?.edge
    }

    pub(super) fn winner(&self, node: usize) -> Option<usize> {
        self.nodes.get(node)?.winner.map(usize::from)
    }

    pub(super) fn set_winner(&mut self, node: usize, winner: Option<usize>) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.winner = winner.map(|winner| winner as u8);
        }
    }

    pub(super) fn is_grown(&self, node: usize) -> bool {
        self.nodes.get(node).is_some_and(|node| node.child != NONE)
    }

    fn children(&self, node: usize) -> impl Iterator<Item = (usize, &Node<G::Step>)> {
        let first = self.nodes.get(node).map_or(NONE, |node| node.child);
        let get = |at: u32| Some((at as usize, self.nodes.get(at as usize).filter(|_| at != NONE)?));
        std::iter::successors(get(first), move |(_, node)| get(node.sibling))
    }

    /// The child behind an edge.
    pub(super) fn find(&self, node: usize, edge: &Edge<G::Step>) -> Option<usize> {
        self.children(node).find(|(_, child)| child.edge.as_ref() == Some(edge)).map(|(at, _)| at)
    }

    /// Makes sure that a node has these edges, and marks them as those that are legal now. `shares` go with the edges.
    pub(super) fn extend(&mut self, node: usize, edges: &[Edge<G::Step>], shares: &[f32]) {
        self.round += 1;
        let round = self.round;
        let grown = self.is_grown(node);
        let mut added = Vec::new();
        for (index, edge) in edges.iter().enumerate() {
            let known = if grown { self.find(node, edge) } else { None };
            if let Some(known) = known.and_then(|known| self.nodes.get_mut(known)) {
                known.round = round;
                continue;
            }
            let share = shares.get(index).copied().unwrap_or(0.0);
            added.push(Node {
                edge: Some(*edge),
                share,
                visits: 0,
                total: 0.0,
                winner: None,
                child: NONE,
                sibling: NONE,
                round,
            });
        }
        let mut next = self.nodes.get(node).map_or(NONE, |node| node.child);
        for mut child in added.into_iter().rev() {
            child.sibling = next;
            next = self.nodes.len() as u32;
            self.nodes.push(child);
        }
        if let Some(node) = self.nodes.get_mut(node) {
            node.child = next;
            node.round = round;
        }
    }

    /// The legal children of a node that was extended last in this round.
    fn legal(&self, node: usize) -> impl Iterator<Item = (usize, &Node<G::Step>)> {
        let round = self.nodes.get(node).map_or(0, |node| node.round);
        self.children(node).filter(move |(_, child)| child.round >= round)
    }

    /// The child to go to for the player who chooses.
    pub(super) fn choose(&self, node: usize, chooser: usize, policy: Policy) -> Option<usize> {
        let parent = self.nodes.get(node)?;
        // A certain loss is not looked at again.
        let lost = |child: &Node<G::Step>| child.winner.is_some_and(|winner| usize::from(winner) != chooser);
        let (mut sum, mut visits) = (0.0, 0);
        for (_, child) in self.legal(node) {
            sum += child.total;
            visits += child.visits;
        }
        let mean = if visits == 0 { 0.5 } else { sum / visits as f32 };
        let root = (visits.max(1) as f32).sqrt();
        let urge = |child: &Node<G::Step>| {
            let value = if child.visits == 0 { mean } else { child.total / child.visits as f32 };
            match policy {
                _ if lost(child) => -1.0,
                Policy::Plain | Policy::Uct if child.visits == 0 => f32::INFINITY,
                Policy::Plain | Policy::Uct => value + bound(visits, child.visits),
                Policy::Biased { explore, .. } => {
                    value + explore * child.share * root / (1 + child.visits) as f32
                }
            }
        };
        debug_assert!(parent.child != NONE);
        let mut best = None;
        for (at, child) in self.legal(node) {
            let urge = urge(child);
            if best.is_none_or(|(most, _)| urge > most) {
                best = Some((urge, at));
            }
        }
        best.map(|(_, at)| at)
    }

    /// The best child of a node among these edges for the player who chooses: a proven win, else the most visited that is
    /// not lost; `None` when nothing is known of any.
    pub(super) fn best(&self, node: usize, chooser: usize, edges: &[Edge<G::Step>]) -> Option<usize> {
        let rank = |child: &Node<G::Step>| match child.winner {
            Some(winner) if usize::from(winner) == chooser => 2,
            Some(_) => 0,
            None => 1,
        };
        let known = self.children(node).filter(|(_, child)| child.visits > 0 || child.winner.is_some());
        let legal = known.filter(|(_, child)| child.edge.is_some_and(|edge| edges.contains(&edge)));
        let mut best = None;
        for (at, child) in legal {
            let merit = (rank(child), child.visits);
            if best.is_none_or(|(most, _)| merit > most) {
                best = Some((merit, at));
            }
        }
        best.map(|(_, at)| at)
    }

    pub(super) fn add_visit(&mut self, node: usize, value: f32) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.visits += 1;
            node.total += value;
        }
    }

    /// The player who wins whichever child is chosen.
    pub(super) fn common_winner(&self, node: usize) -> Option<usize> {
        let mut children = self.children(node);
        let (_, first) = children.next()?;
        let winner = first.winner?;
        children.all(|(_, child)| child.winner == Some(winner)).then_some(usize::from(winner))
    }
}

/// Every edge that is legal in a position after a move has been begun.
pub(super) fn list_edges<G: Game>(state: &State<G>, begun: Option<&G::Move>) -> Vec<Edge<G::Step>> {
    let game = state.game();
    let mut edges = Vec::new();
    // A move that cannot go on has no further steps.
    let _ = game.each_step(begun, &mut |step| {
        edges.push(Edge::Step(step));
        ControlFlow::Continue(())
    });
    match begun {
        Some(begun) if game.is_complete(begun) => edges.push(Edge::Stop),
        Some(_) => {}
        None => {
            if game.may_pass() {
                edges.push(Edge::Pass);
            }
            if game.may_swap() {
                edges.push(Edge::Swap);
            }
        }
    }
    edges
}

/// The action that an edge completes, if it does.
pub(super) fn action<G: Game>(
    state: &State<G>,
    begun: Option<&G::Move>,
    edge: Edge<G::Step>,
) -> Option<Action<G::Move>> {
    match edge {
        Edge::Step(step) => {
            let mv = G::join(begun, step);
            let game = state.game();
            let mut further = false;
            if !game.is_complete(&mv) {
                return None;
            }
            let _ = game.each_step(Some(&mv), &mut |_| {
                further = true;
                ControlFlow::Break(())
            });
            (!further).then_some(Action::Move(mv))
        }
        Edge::Stop => begun.cloned().map(Action::Move),
        Edge::Pass => Some(Action::Pass),
        Edge::Swap => Some(Action::Swap),
    }
}

/// Goes along an edge; `false` when that is not legal.
pub(super) fn follow<G: Game>(
    state: &mut State<G>,
    begun: &mut Option<G::Move>,
    edge: Edge<G::Step>,
) -> bool {
    match (action(state, begun.as_ref(), edge), edge) {
        (Some(action), _) => {
            *begun = None;
            state.act(&action).is_some()
        }
        (None, Edge::Step(step)) => {
            *begun = Some(G::join(begun.as_ref(), step));
            true
        }
        (None, _) => false,
    }
}

/// The share of visits that each edge is given by the estimate of the position behind it: the best ones most. Edges that
/// do not complete an action are judged like the position as it is.
pub(super) fn share<G: Game>(
    state: &State<G>,
    begun: Option<&G::Move>,
    edges: &[Edge<G::Step>],
    sharp: f32,
) -> Vec<f32> {
    let mover = state.mover();
    let judge = |edge: &Edge<G::Step>| {
        let Some(action) = action(state, begun, *edge) else { return state.estimate(mover) };
        state.after(&action).map_or(i32::MIN / 2, |after| after.estimate(mover))
    };
    let estimates: Vec<i32> = edges.iter().map(judge).collect();
    let best = estimates.iter().copied().max().unwrap_or_default();
    let weigh = |estimate: &i32| {
        let gap = 1.0 + best.saturating_sub(*estimate) as f32 / sharp;
        1.0 / (gap * gap)
    };
    let weights: Vec<f32> = estimates.iter().map(weigh).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}
