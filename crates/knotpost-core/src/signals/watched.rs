//! Boards watched live at this process, by an open event stream.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use knotpost_model::{BoardRef, UserKey};

#[derive(Debug, Default)]
pub struct WatchedBoards(Mutex<HashMap<(BoardRef, UserKey), usize>>);

#[derive(Debug)]
pub struct Watching {
    boards: Arc<WatchedBoards>,
    watched: (BoardRef, UserKey),
}

impl WatchedBoards {
    pub fn watch(self: &Arc<Self>, board: BoardRef, user: UserKey) -> Watching {
        let watched = (board, user);
        *self.lock().entry(watched.clone()).or_default() += 1;
        Watching { boards: Arc::clone(self), watched }
    }

    pub fn is_watched(&self, board: &BoardRef, user: UserKey) -> bool {
        self.lock().contains_key(&(board.clone(), user))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(BoardRef, UserKey), usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut counts = self.boards.lock();
        if let Some(count) = counts.get_mut(&self.watched) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.watched);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_watched_until_its_last_stream_of_that_user_is_gone() {
        let boards = Arc::new(WatchedBoards::default());
        let board = BoardRef { game: "osbox".to_owned(), number: 101 };
        let (ann, bob) = (UserKey(1), UserKey(2));
        let (one, other) = (boards.watch(board.clone(), ann), boards.watch(board.clone(), ann));
        drop(one);
        assert!(boards.is_watched(&board, ann) && !boards.is_watched(&board, bob));
        drop(other);
        assert!(!boards.is_watched(&board, ann) && boards.lock().is_empty());
    }
}
