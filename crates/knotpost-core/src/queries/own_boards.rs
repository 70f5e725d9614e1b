//! State of a user's boards with a version, polled by pages that follow it.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

use crate::identity::ProvenUser;
use crate::identity::authentication::find_proven;
use knotpost_model::{BoardRef, UserKey};
use knotpost_platform::secret::to_hex;
use knotpost_storage::{OwnBoardRow, ReadTx, Store, StoreError};

const MOST: i64 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnBoards {
    pub waiting: usize,
    /// Changes whenever a board begins, ends, moves, pauses or resumes.
    pub version: String,
    boards: HashSet<BoardRef>,
}

impl OwnBoards {
    pub fn has(&self, board: &BoardRef) -> bool {
        self.boards.contains(board)
    }

    fn of(rows: &[OwnBoardRow]) -> Self {
        let mut digest = Sha256::new();
        for OwnBoardRow { game, number, ply, last_move_at, paused_at, turn } in rows {
            digest.update(format!("{game} {number} {ply} {last_move_at:?} {paused_at:?} {turn:?}\n"));
        }
        let digest = digest.finalize();
        let name = |row: &OwnBoardRow| BoardRef {
            game: row.game.clone(),
            number: u32::try_from(row.number).unwrap_or_default(),
        };
        Self {
            waiting: rows.iter().filter(|row| row.turn.is_some() && row.paused_at.is_none()).count(),
            version: to_hex(digest.get(..8).unwrap_or(&digest)),
            boards: rows.iter().map(name).collect(),
        }
    }
}

pub async fn view_own_state(store: &Store, user: UserKey) -> Result<OwnBoards, StoreError> {
    state_of(&mut store.read().await?, user).await
}

pub async fn follow_own_state(store: &Store, proven: &ProvenUser) -> Result<Option<OwnBoards>, StoreError> {
    let mut tx = store.read().await?;
    if find_proven(&mut tx, proven).await?.is_none() {
        return Ok(None);
    }
    state_of(&mut tx, proven.user).await.map(Some)
}

async fn state_of(tx: &mut ReadTx, user: UserKey) -> Result<OwnBoards, StoreError> {
    Ok(OwnBoards::of(&tx.own_boards(user, MOST).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> OwnBoardRow {
        OwnBoardRow {
            game: "osbox".to_owned(),
            number: 101,
            ply: 3,
            last_move_at: Some(2_000),
            paused_at: None,
            turn: Some(1),
        }
    }

    #[test]
    fn whatever_a_page_shows_is_in_the_version() {
        let state = OwnBoards::of(&[row()]);
        assert_eq!((state.waiting, &state), (1, &OwnBoards::of(&[row()])));
        assert!(state.has(&BoardRef { game: "osbox".to_owned(), number: 101 }));
        let others: [Vec<OwnBoardRow>; 6] = [
            vec![],
            vec![OwnBoardRow { ply: 4, ..row() }],
            vec![OwnBoardRow { last_move_at: Some(2_001), ..row() }],
            vec![OwnBoardRow { paused_at: Some(2_000), ..row() }],
            vec![OwnBoardRow { turn: None, ..row() }],
            vec![row(), OwnBoardRow { number: 102, ..row() }],
        ];
        for (rows, waiting) in others.iter().zip([0, 1, 1, 0, 0, 2]) {
            let other = OwnBoards::of(rows);
            assert_ne!(other.version, state.version, "{rows:?}");
            assert_eq!(other.waiting, waiting, "{rows:?}");
        }
    }
}
