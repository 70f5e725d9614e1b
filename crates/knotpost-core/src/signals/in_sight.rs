//! Boards in sight of users: a visible page says so again and again, to whatever process, which tells the others.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use knotpost_model::{BoardRef, Millis, UserKey};

/// Time for which a page counts as visible after it said so.
const LASTS_MS: i64 = 60_000;
/// Most boards that are kept; further ones count as out of sight.
const MOST: usize = 50_000;

#[derive(Debug, Default)]
pub struct BoardsInSight(Mutex<HashMap<(BoardRef, UserKey), Millis>>);

impl BoardsInSight {
    pub(crate) fn note(&self, board: BoardRef, user: UserKey, now: Millis) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() == seen.capacity().min(MOST) {
            seen.retain(|_, at| lasts(*at, now));
        }
        let key = (board, user);
        if seen.len() < MOST || seen.contains_key(&key) {
            seen.insert(key, now);
        }
    }

    /// True if a page of this user showed the board within the last minute.
    pub fn has(&self, board: &BoardRef, user: UserKey, now: Millis) -> bool {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(&(board.clone(), user)).is_some_and(|at| lasts(*at, now))
    }
}

fn lasts(at: Millis, now: Millis) -> bool {
    now.since(at).0 <= LASTS_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn board(number: u32) -> BoardRef {
        BoardRef { game: "osbox".to_owned(), number }
    }

    #[test]
    fn a_board_is_in_sight_for_a_minute_and_of_that_user_alone() {
        let boards = BoardsInSight::default();
        let (ann, bob, now) = (UserKey(1), UserKey(2), Millis(5 * MINUTE));
        boards.note(board(101), ann, now);
        assert!(boards.has(&board(101), ann, now.plus(MINUTE)));
        assert!(!boards.has(&board(101), ann, now.plus(MINUTE + 1)));
        assert!(!boards.has(&board(101), bob, now) && !boards.has(&board(102), ann, now));
    }

    #[test]
    fn what_is_out_of_sight_is_forgotten_and_there_is_an_end_to_what_is_kept() {
        let boards = BoardsInSight::default();
        let many = u32::try_from(MOST).expect("a small number") + 10;
        (0..many).for_each(|number| boards.note(board(number), UserKey(1), Millis(0)));
        assert!(boards.has(&board(0), UserKey(1), Millis(0)));
        assert!(boards.0.lock().expect("nobody died").len() <= MOST);
        let later = Millis(2 * MINUTE);
        (0..many).for_each(|number| boards.note(board(number + many), UserKey(1), later));
        assert!(boards.has(&board(many), UserKey(1), later) && !boards.has(&board(0), UserKey(1), later));
    }
}
