//! Check that every stored board still matches its moves under the present rules.

use crate::boards::{Board, Games};
use knotpost_model::{BoardKey, BoardRef};
use knotpost_storage::{Store, StoreError};

/// Boards per snapshot, so that a long check blocks nobody.
const PAGE: i64 = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub board: BoardRef,
    pub what: String,
}

#[derive(Clone, Debug, Default)]
pub struct Replayed {
    pub boards: usize,
    pub total: usize,
    pub differences: Vec<Difference>,
    last: Option<BoardKey>,
}

/// Replays the next boards, removed ones included; `false`: done. A board that does not replay is a
/// difference, not an error.
pub async fn replay_next(store: &Store, games: &Games, so_far: &mut Replayed) -> Result<bool, StoreError> {
    let mut tx = store.read().await?;
    let mut seen = 0;
    let before = so_far.last;
    if before.is_none() {
        so_far.total = usize::try_from(tx.count_all_boards().await?).unwrap_or(0);
    }
    for row in tx.boards_after(before.unwrap_or(BoardKey(0)), PAGE).await? {
        seen += 1;
        so_far.last = Some(row.id);
        let name = BoardRef { game: row.game.clone(), number: row.number as u32 };
        let (position, scores, ply) = (row.position.clone(), row.scores.clone(), row.ply);
        let what = match Board::from_row(&mut tx, games, row).await {
            Ok(board) => difference(&board, &position, &scores, ply),
            Err(StoreError::Corrupt(what)) => Some(what),
            Err(error) => return Err(error),
        };
        so_far.differences.extend(what.map(|what| Difference { board: name, what }));
    }
    so_far.boards += seen;
    Ok(seen > 0)
}

fn difference(board: &Board, position: &str, scores: &str, ply: i64) -> Option<String> {
    let now = board.position_text();
    if now != position {
        return Some(format!("stored as {position}, replayed as {now}"));
    }
    let now = board.position.scores().to_string();
    if now != scores {
        return Some(format!("scores stored as {scores}, replayed as {now}"));
    }
    let made = board.entries.len() as i64;
    (made != ply).then(|| format!("{ply} moves by its row, {made} in its list"))
}
