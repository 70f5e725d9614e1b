//! Monte Carlo tree search (Kocsis and Szepesvári 2006; survey by Browne et al. 2012).
//!
//! An edge of the tree is a step of a move, so that moves made of parts share what their beginnings have in common. In a
//! game without chance during play, wins and losses are proven (Winands, Björnsson and Saito 2008). With chance the tree
//! is open loop: a node stands for all positions that the same steps lead to, each visit draws anew, and only the steps
//! that are legal then are chosen from.

mod tree;

use crate::{
    chance::Chance,
    limit::Limit,
    state::{Action, State},
    values::{self, Values},
};
use knotpost_rules::{Game, Seed};
use tree::{Edge, ROOT, Tree};

/// The choices and judgements of a search.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The choice of the next edge.
    pub policy: Policy,
    /// Plies of a play-out before the estimates of the position judge it.
    pub playout: u32,
    /// A lead by estimate that promises three quarters.
    pub scale: i32,
    /// Play-outs of a position before it gets edges of its own.
    pub ripe: u32,
}

/// The choice of the next edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// Every edge once in an order by chance, then by upper confidence bounds. Play-outs are uniform.
    Plain,
    /// The same with play-outs of what is likely, and a move that ends the game at once is seen.
    Uct,
    /// By value and by how much the estimate of the position gains, the less the more visits there are (PUCT).
    Biased {
        /// The weight of what is not visited.
        explore: f32,
        /// The estimate that halves an edge's share.
        sharp: f32,
    },
}

/// The result of a search.
pub(crate) struct Found<M> {
    /// The best actions, that of the player on turn first.
    pub line: Vec<Action<M>>,
    pub values: Values,
    pub proven: bool,
    /// The longest way from the root in plies, or the depth searched in full.
    pub depth: u32,
}

/// The most nodes of a tree; after that it grows no more.
const MOST_NODES: usize = 1 << 20;

/// The plies of a play-out after which scores decide, for games that may go on for ever.
pub const ENDLESS: u32 = 2000;

/// A search in progress.
struct Search<'a, G: Game> {
    root: &'a State<G>,
    settings: Settings,
    chance: Chance,
    players: usize,
    /// True if chance decides during play.
    open: bool,
    tree: Tree<G>,
    /// The sum of all values.
    total: Values,
    visits: u32,
    depth: u32,
}

/// A node on the way down, and the player who chose it.
type Way = Vec<(usize, usize)>;

/// Searches until the limit is reached or the result is proven; a play-out is a node of the limit.
pub(crate) fn search<G: Game>(
    root: &State<G>,
    settings: Settings,
    seed: &Seed,
    limit: &mut Limit<'_>,
) -> Option<Found<G::Move>> {
    let mut search = Search {
        root,
        settings,
        chance: Chance::new(seed, 1),
        players: root.players(),
        open: root.game().roll().is_some(),
        tree: Tree::new(),
        total: Values::default(),
        visits: 0,
        depth: 0,
    };
    while search.tree.winner(ROOT).is_none() && limit.spend(1) {
        search.descend();
    }
    search.conclude()
}

impl<G: Game> Search<'_, G> {
    /// One way down the tree, a play-out, and the way back.
    fn descend(&mut self) {
        let mut state = self.root.clone();
        if self.open {
            state.reseed(&self.chance.seed());
        }
        let (mut begun, mut node, mut plies) = (None, ROOT, 0);
        let mut way: Way = vec![(ROOT, self.root.mover())];
        let values = loop {
            if begun.is_none() {
                if state.is_over() {
                    if !self.open {
                        self.tree.set_winner(node, state.winner());
                    }
                    break state.rewards();
                }
                if node != ROOT && self.tree.visits(node) < self.settings.ripe {
                    break self.play_out(state);
                }
            }
            if let Some(winner) = self.tree.winner(node) {
                break self.win_of(winner);
            }
            if !self.grow(node, &state, begun.as_ref()) {
                break self.play_out(state);
            }
            if let Some(winner) = self.tree.winner(node) {
                break self.win_of(winner);
            }
            let mover = state.mover();
            let Some(next) = self.tree.choose(node, mover, self.settings.policy) else {
                break self.play_out(state);
            };
            way.push((next, mover));
            if let Some(edge) = self.tree.edge(next)
                && !tree::follow(&mut state, &mut begun, edge)
            {
                break state.rewards();
            }
            plies += u32::from(begun.is_none());
            node = next;
        };
        self.depth = self.depth.max(plies);
        self.note(&way, &values);
    }

    /// Gives a node its edges. In the open loop the edges that are legal in this position are marked each time.
    fn grow(&mut self, node: usize, state: &State<G>, begun: Option<&G::Move>) -> bool {
        if self.tree.is_grown(node) && !self.open {
            return true;
        }
        if self.tree.len() > MOST_NODES && !self.tree.is_grown(node) {
            return false;
        }
        let mut edges = tree::list_edges(state, begun);
        let sharp = match self.settings.policy {
            Policy::Plain | Policy::Uct => {
                self.shuffle(&mut edges);
                None
            }
            Policy::Biased { sharp, .. } => Some(sharp),
        };
        let is_new = |edge: &Edge<G::Step>| self.tree.find(node, edge).is_none();
        let shares = match sharp {
            Some(sharp) if edges.iter().any(is_new) => tree::share(state, begun, &edges, sharp),
            _ => Vec::new(),
        };
        self.tree.extend(node, &edges, &shares);
        if self.settings.policy == Policy::Uct && !self.open && state.game().may_end() {
            self.find_win(node, state, begun, &edges);
        }
        !edges.is_empty()
    }

    /// Proves a new node won where one of its edges ends the game so. Play-outs by chance seldom find that one edge, so a
    /// four in a row would not be answered.
    fn find_win(&mut self, node: usize, state: &State<G>, begun: Option<&G::Move>, edges: &[Edge<G::Step>]) {
        let mover = Some(state.mover());
        let wins = |edge: &&Edge<G::Step>| {
            let action = tree::action(state, begun, **edge);
            action.and_then(|action| state.after(&action)).is_some_and(|after| after.winner() == mover)
        };
        if let Some(child) = edges.iter().find(wins).and_then(|edge| self.tree.find(node, edge)) {
            self.tree.set_winner(child, mover);
            self.tree.set_winner(node, mover);
        }
    }

    /// With fewer play-outs than edges, the first of the list would be the only ones that are looked at.
    fn shuffle(&mut self, edges: &mut [Edge<G::Step>]) {
        for last in (1..edges.len()).rev() {
            edges.swap(last, self.chance.below(last as u32 + 1) as usize);
        }
    }

    fn win_of(&self, winner: usize) -> Values {
        let mut values = Values::default();
        let others = 0.25 * 0.5;
        for (player, value) in values.iter_mut().enumerate().take(self.players) {
            *value = match player {
                _ if player == winner => 1.0,
                _ if self.players == 2 => 0.0,
                _ => others,
            };
        }
        values
    }

    /// Plays by chance to the end, or as far as the settings say.
    fn play_out(&mut self, mut state: State<G>) -> Values {
        for _ in 0..self.settings.playout {
            if state.is_over() {
                return state.rewards();
            }
            let picked = match self.settings.policy {
                Policy::Plain => state.pick(&mut self.chance),
                Policy::Uct | Policy::Biased { .. } => state.pick_likely(&mut self.chance),
            };
            let Some(action) = picked else { return state.rewards() };
            state.act(&action);
        }
        if state.is_over() || self.settings.playout >= ENDLESS {
            return state.rewards();
        }
        state.promises(self.players, self.settings.scale)
    }

    /// Counts a visit on all nodes of the way and proves what follows from its end.
    fn note(&mut self, way: &Way, values: &Values) {
        self.visits += 1;
        for (sum, value) in self.total.iter_mut().zip(values) {
            *sum += value;
        }
        for (node, chooser) in way {
            self.tree.add_visit(*node, values.get(*chooser).copied().unwrap_or_default());
        }
        for pair in way.windows(2).rev() {
            let [(parent, _), (child, chooser)] = *pair else { break };
            let Some(winner) = self.tree.winner(child) else { break };
            let known = if winner == chooser { Some(winner) } else { self.tree.common_winner(parent) };
            if known.is_none() {
                break;
            }
            self.tree.set_winner(parent, known);
        }
    }

    /// The best line and what it is worth.
    fn conclude(mut self) -> Option<Found<G::Move>> {
        let line = self.best_line();
        let proven = self.tree.winner(ROOT);
        let values = match proven {
            Some(winner) => self.win_of(winner),
            None => self.total.map(|sum| sum / self.visits.max(1) as f32),
        };
        (!line.is_empty()).then_some(Found { line, values, proven: proven.is_some(), depth: self.depth })
    }

    /// The most visited edges; as far as the first action where chance decides what follows.
    fn best_line(&mut self) -> Vec<Action<G::Move>> {
        let (mut state, mut begun, mut node) = (self.root.clone(), None, ROOT);
        let mut line = Vec::new();
        loop {
            if self.open && !line.is_empty() {
                return line;
            }
            let mover = state.mover();
            let edges = tree::list_edges(&state, begun.as_ref());
            let best = self.tree.best(node, mover, &edges);
            let edge = match best {
                Some(next) => {
                    node = next;
                    self.tree.edge(next)
                }
                // A move that has been begun is finished, whatever the tree knows.
                None if begun.is_some() || line.is_empty() => edges.first().copied(),
                None => return line,
            };
            let Some(edge) = edge else { return line };
            if let Some(action) = tree::action(&state, begun.as_ref(), edge) {
                line.push(action);
            }
            if !tree::follow(&mut state, &mut begun, edge) || state.is_over() {
                return line;
            }
        }
    }
}

/// The square root of a number of visits, weighed by their logarithm, for upper confidence bounds.
fn bound(parent: u32, visits: u32) -> f32 {
    const NATURAL: f32 = core::f32::consts::LN_2;
    (2.0 * NATURAL * values::log2(parent) / visits.max(1) as f32).sqrt()
}
