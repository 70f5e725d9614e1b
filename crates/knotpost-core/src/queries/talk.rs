//! What was said around a board.

use crate::app::App;
use crate::boards::{Board, ServiceError};
use knotpost_model::{BoardRef, BoardState, Millis, RemarkKind};
use knotpost_storage::StoreError;

/// So much talk is shown.
const MOST: i64 = 200;

/// Something that was said.
#[derive(Clone, Debug)]
pub struct TalkLine {
    /// Who: `ann`, or `The challenger`.
    pub who: String,
    /// The words.
    pub text: String,
    pub at: Millis,
    /// With which move; `None`: in between.
    pub ply: Option<i64>,
}

/// The latest words around a board, in the order they were said.
pub async fn view_talk(app: &App, board: &Board) -> Result<Vec<TalkLine>, ServiceError> {
    let rows = app.store.query().await?.chat_lines(board.row.id, MOST).await?;
    let line = |row: knotpost_storage::ChatRow| TalkLine {
        who: row.userid.unwrap_or_else(|| "The challenger".to_owned()),
        text: row.text,
        at: row.at,
        ply: (row.kind == RemarkKind::Comment).then_some(row.ply),
    };
    Ok(rows.into_iter().map(line).collect())
}

/// The state of a board: at least one value changes whenever something happens there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardVersion {
    /// The number of the last move.
    pub ply: i64,
    /// When the last move was made.
    pub moved_at: Option<i64>,
    /// Active, over or removed.
    pub state: BoardState,
    /// The number of the last remark.
    pub remark: Option<i64>,
    /// When a proposal that is still open was made.
    pub proposed_at: Option<i64>,
}

/// The present state of a board, to be compared with an earlier one; `None`: there is no such board.
pub async fn view_board_version(app: &App, name: &BoardRef) -> Result<Option<BoardVersion>, StoreError> {
    let row = app.store.query().await?.board_pulse(&name.game, name.number).await?;
    Ok(row.map(|row| BoardVersion {
        ply: row.ply,
        moved_at: row.moved_at,
        state: row.state,
        remark: row.remark,
        proposed_at: row.proposed_at,
    }))
}
