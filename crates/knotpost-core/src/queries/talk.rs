//! Remarks and chat of a board.

use serde::Serialize;

use crate::boards::Board;
use knotpost_model::{BoardRef, Moment, RemarkKind};
pub use knotpost_storage::PulseRow as BoardVersion;
use knotpost_storage::{ReadTx, Store, StoreError};

const MOST: i64 = 200;

#[derive(Clone, Debug, Serialize)]
pub struct TalkLine {
    /// Userid, or `The challenger`.
    pub who: String,
    pub text: String,
    pub at: Moment,
    /// `None`: between moves.
    pub ply: Option<i64>,
}

/// Latest lines, in chronological order.
pub(super) async fn list_talk(tx: &mut ReadTx, board: &Board) -> Result<Vec<TalkLine>, StoreError> {
    let rows = tx.chat_lines(board.row.id, MOST).await?;
    let line = |row: knotpost_storage::ChatRow| TalkLine {
        who: row.userid.unwrap_or_else(|| "The challenger".to_owned()),
        text: row.text,
        at: row.at.into(),
        ply: (row.kind == RemarkKind::Comment).then_some(row.ply),
    };
    Ok(rows.into_iter().map(line).collect())
}

pub async fn view_board_version(store: &Store, name: &BoardRef) -> Result<Option<BoardVersion>, StoreError> {
    store.query().await?.board_pulse(&name.game, name.number).await
}
