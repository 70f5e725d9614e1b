//! Boards that somebody has just looked at: their moves and their position, so that the next turn need neither read
//! nor replay them.
//!
//! What is kept is true of one list of moves alone, which its digest names; whoever loads a board compares it with
//! the digest in the row. So it does not matter whether a transaction was undone, moves were taken back, or another
//! process has moved: what does not fit is not used.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use knotpost_rules::{Position, Seat};

use super::History;
use crate::domain::BoardKey;

/// All boards together weigh no more than this.
const MOST: usize = 50_000;
/// What a board weighs beside its moves, each of which weighs one and takes about 200 bytes.
const BOARD: usize = 8;

/// A board as it was after some of its moves.
#[derive(Clone)]
pub(super) struct Recent {
    pub(super) entries: History,
    pub(super) position: Box<dyn Position>,
    pub(super) retired: Vec<Seat>,
}

/// Boards in memory, those that nobody asked for longest leaving first.
#[derive(Default)]
pub struct RecentBoards(Mutex<Shelf>);

#[derive(Default)]
struct Shelf {
    boards: HashMap<BoardKey, (u64, Recent)>,
    /// By when they were asked for.
    order: BTreeMap<u64, BoardKey>,
    weight: usize,
    /// Counts what is asked for.
    now: u64,
}

impl Shelf {
    fn remove(&mut self, board: BoardKey) {
        if let Some((used, recent)) = self.boards.remove(&board) {
            self.order.remove(&used);
            self.weight -= weight(&recent.entries);
        }
    }

    fn insert(&mut self, board: BoardKey, recent: Recent) {
        self.remove(board);
        self.now += 1;
        self.weight += weight(&recent.entries);
        self.order.insert(self.now, board);
        self.boards.insert(board, (self.now, recent));
    }
}

fn weight(entries: &History) -> usize {
    entries.len() + BOARD
}

impl RecentBoards {
    /// What was kept of a board, if it had no more than `ply` moves then.
    pub(super) fn find(&self, board: BoardKey, ply: i64) -> Option<Recent> {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Shelf { boards, order, now, .. } = &mut *shelf;
        let (used, recent) = boards.get_mut(&board)?;
        if recent.entries.len() as i64 > ply {
            return None;
        }
        *now += 1;
        order.remove(used);
        order.insert(*now, board);
        *used = *now;
        Some(recent.clone())
    }

    /// Whether a board with these moves is worth keeping: somebody has moved, and it is not here already.
    pub(super) fn wants(&self, board: BoardKey, entries: &History) -> bool {
        if entries.is_empty() || weight(entries) > MOST {
            return false;
        }
        let shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.boards.get(&board).is_none_or(|(_, recent)| recent.entries.digest() != entries.digest())
    }

    /// Keeps a board.
    pub(super) fn keep(&self, board: BoardKey, recent: Recent) {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.insert(board, recent);
        while shelf.weight > MOST {
            let Some(oldest) = shelf.order.first_key_value().map(|(_, board)| *board) else { break };
            shelf.remove(oldest);
        }
    }
}
