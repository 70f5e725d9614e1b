//! Long boards that somebody has just looked at: their moves and their position, so that the next turn need not
//! replay them.
//!
//! What is kept is true of one list of moves alone, which its digest names; whoever loads a board compares it with
//! the digest in the row. So it does not matter whether a transaction was undone, moves were taken back, or another
//! process has moved: what does not fit is not used.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use knotpost_rules::{Position, Seat};

use super::History;
use crate::domain::BoardKey;

/// Boards with fewer moves are loaded as quickly as they are found here.
const LEAST_MOVES: usize = 48;
/// All boards together have no more moves than this; one takes about 200 bytes.
const MOST_MOVES: usize = 50_000;

/// A board as it was after some of its moves.
#[derive(Clone)]
pub(super) struct Recent {
    pub(super) entries: History,
    pub(super) position: Box<dyn Position>,
    pub(super) retired: Vec<Seat>,
}

/// Long boards in memory, those that nobody asked for longest leaving first.
#[derive(Default)]
pub struct RecentBoards(Mutex<Shelf>);

#[derive(Default)]
struct Shelf {
    boards: HashMap<BoardKey, (u64, Recent)>,
    moves: usize,
    /// Counts what is asked for.
    now: u64,
}

impl RecentBoards {
    /// What was kept of a board, if it had no more than `ply` moves then.
    pub(super) fn find(&self, board: BoardKey, ply: i64) -> Option<Recent> {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.now += 1;
        let now = shelf.now;
        let (used, recent) = shelf.boards.get_mut(&board)?;
        if recent.entries.len() as i64 > ply {
            return None;
        }
        *used = now;
        Some(recent.clone())
    }

    /// Whether a board with these moves is worth keeping: it is a long one, and not here already.
    pub(super) fn wants(&self, board: BoardKey, entries: &History) -> bool {
        if !(LEAST_MOVES..=MOST_MOVES).contains(&entries.len()) {
            return false;
        }
        let shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.boards.get(&board).is_none_or(|(_, recent)| recent.entries.digest() != entries.digest())
    }

    /// Keeps a board.
    pub(super) fn keep(&self, board: BoardKey, recent: Recent) {
        let length = recent.entries.len();
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.now += 1;
        let now = shelf.now;
        let before = shelf.boards.insert(board, (now, recent));
        shelf.moves += length;
        shelf.moves -= before.map_or(0, |(_, recent)| recent.entries.len());
        while shelf.moves > MOST_MOVES {
            let oldest = shelf.boards.iter().min_by_key(|(_, (used, _))| *used).map(|(board, _)| *board);
            let Some((_, left)) = oldest.and_then(|oldest| shelf.boards.remove(&oldest)) else { break };
            shelf.moves -= left.entries.len();
        }
    }
}
