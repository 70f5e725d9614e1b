//! Which boards somebody watches live at this process: those whose page has an open stream of events.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use knotpost_model::BoardRef;

/// How many watch each board.
#[derive(Debug, Default)]
pub struct WatchedBoards(Mutex<HashMap<BoardRef, usize>>);

/// Somebody who watches a board, until dropped.
#[derive(Debug)]
pub struct Watching {
    boards: Arc<WatchedBoards>,
    board: BoardRef,
}

impl WatchedBoards {
    /// Notes somebody who watches a board.
    pub fn watch(self: &Arc<Self>, board: BoardRef) -> Watching {
        *self.lock().entry(board.clone()).or_default() += 1;
        Watching { boards: Arc::clone(self), board }
    }

    /// Whether somebody watches a board.
    pub fn is_watched(&self, board: &BoardRef) -> bool {
        self.lock().contains_key(board)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BoardRef, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut counts = self.boards.lock();
        if let Some(count) = counts.get_mut(&self.board) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.board);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_watched_until_the_last_watcher_is_gone() {
        let boards = Arc::new(WatchedBoards::default());
        let board = BoardRef { game: "osbox".to_owned(), number: 101 };
        let (one, other) = (boards.watch(board.clone()), boards.watch(board.clone()));
        drop(one);
        assert!(boards.is_watched(&board));
        drop(other);
        assert!(!boards.is_watched(&board) && boards.lock().is_empty());
    }
}
