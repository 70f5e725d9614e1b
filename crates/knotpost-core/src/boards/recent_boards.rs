//! Boards that somebody has just looked at: their moves and their position, so that the next turn need neither read
//! nor replay them.
//!
//! An entry is true of one list of moves alone, which its digest names; whoever loads a board compares it with
//! the digest in the row. So it does not matter whether a transaction was undone, moves were taken back, or another
//! process has moved: what does not fit is not used.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use knotpost_rules::Seat;

use crate::boards::{History, Scene};
use knotpost_model::BoardKey;

/// All boards together weigh no more than this.
const MOST: usize = 50_000;
/// How many of them, those asked for last, keep their rendered positions: some 20 kB each, by estimate.
const DRAWN: usize = 64;
/// What a board weighs beside its moves, each of which weighs one and takes about 200 bytes.
const BOARD: usize = 8;

/// A board as it was after some of its moves.
#[derive(Clone)]
pub(crate) struct Recent {
    pub(crate) entries: History,
    pub(crate) position: Scene,
    pub(crate) retired: Vec<Seat>,
}

/// Boards in memory, those that nobody asked for longest leaving first.
#[derive(Default)]
pub struct RecentBoards(Mutex<Cache>);

#[derive(Default)]
struct Cache {
    boards: HashMap<BoardKey, (u64, Recent)>,
    /// By when they were asked for.
    order: BTreeMap<u64, BoardKey>,
    /// When those were asked for that may keep their drawings, or were before they were asked for again.
    drawn: VecDeque<u64>,
    weight: usize,
    /// Counts what is asked for.
    now: u64,
}

impl Cache {
    fn remove(&mut self, board: BoardKey) {
        if let Some((used, recent)) = self.boards.remove(&board) {
            self.order.remove(&used);
            self.weight -= weight(&recent.entries);
        }
    }

    fn insert(&mut self, board: BoardKey, recent: Recent) {
        self.remove(board);
        self.weight += weight(&recent.entries);
        self.boards.insert(board, (0, recent));
        self.put_first(board);
    }

    /// This one was asked for last.
    fn put_first(&mut self, board: BoardKey) {
        let Some((used, _)) = self.boards.get_mut(&board) else { return };
        self.now += 1;
        self.order.remove(used);
        self.order.insert(self.now, board);
        *used = self.now;
        self.drawn.push_back(self.now);
        if self.drawn.len() > DRAWN
            && let Some(board) = self.drawn.pop_front().and_then(|used| self.order.get(&used))
            && let Some((_, recent)) = self.boards.get_mut(board)
        {
            recent.position.forget_drawings();
        }
    }
}

fn weight(entries: &History) -> usize {
    entries.len() + BOARD
}

impl RecentBoards {
    /// What was kept of a board, if it had no more than `ply` moves then.
    pub(crate) fn find(&self, board: BoardKey, ply: i64) -> Option<Recent> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, recent) = cache.boards.get(&board)?;
        if recent.entries.len() as i64 > ply {
            return None;
        }
        let found = recent.clone();
        cache.put_first(board);
        Some(found)
    }

    /// Whether a board with these moves is to be cached: it is not too long, and not here already.
    pub(crate) fn wants(&self, board: BoardKey, entries: &History) -> bool {
        if weight(entries) > MOST {
            return false;
        }
        let cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cache.boards.get(&board).is_none_or(|(_, recent)| recent.entries.digest() != entries.digest())
    }

    /// Caches a board.
    pub(crate) fn insert(&self, board: BoardKey, recent: Recent) {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(board, recent);
        while cache.weight > MOST {
            let Some(oldest) = cache.order.first_key_value().map(|(_, board)| *board) else { break };
            cache.remove(oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use knotpost_rules::{Cast, Registry, Seed, Viewer};

    use super::*;
    use crate::boards::rendered_position::Scene;

    fn recent() -> Recent {
        let registry = Registry::standard();
        let game = registry.find("osbox").expect("a game");
        let options = game.parse_options(&[], 2).expect("defaults");
        let position = Scene::new(game, game.setup(&options, 2, &Seed::default()));
        Recent { entries: History::new(&[]), position, retired: Vec::new() }
    }

    #[test]
    fn the_boards_asked_for_last_keep_their_drawings() {
        let boards = RecentBoards::default();
        let find = |board| boards.find(BoardKey(board), 0).expect("it was kept").position;
        for board in 0..DRAWN as i64 {
            boards.insert(BoardKey(board), recent());
        }
        let drawn = [0, 1].map(|board| find(board).view_for(Viewer::Spectator, &Cast::default()));
        let is_there =
            |board, view| Arc::ptr_eq(&find(board).view_for(Viewer::Spectator, &Cast::default()), view);
        assert!(is_there(0, &drawn[0]) && is_there(1, &drawn[1]));
        for board in 100..100 + DRAWN as i64 - 1 {
            boards.insert(BoardKey(board), recent());
        }
        assert!(is_there(1, &drawn[1]), "asked for last before those came");
        assert!(!is_there(0, &drawn[0]), "one too many came since");
        let cache = boards.0.lock().expect("nobody died");
        assert_eq!((cache.drawn.len(), cache.order.len()), (DRAWN, 2 * DRAWN - 1));
    }
}
