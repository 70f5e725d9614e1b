//! Remarks and chat of a board.

use crate::app::App;
use crate::boards::{Board, ServiceError};
use knotpost_model::{BoardRef, BoardState, Millis, RemarkKind};
use knotpost_storage::StoreError;

const MOST: i64 = 200;

#[derive(Clone, Debug)]
pub struct TalkLine {
    /// Userid, or `The challenger`.
    pub who: String,
    pub text: String,
    pub at: Millis,
    /// `None`: between moves.
    pub ply: Option<i64>,
}

/// Latest lines, in chronological order.
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

/// At least one value changes with every event on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardVersion {
    pub ply: i64,
    pub moved_at: Option<i64>,
    pub state: BoardState,
    pub remark: Option<i64>,
    pub proposed_at: Option<i64>,
}

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
