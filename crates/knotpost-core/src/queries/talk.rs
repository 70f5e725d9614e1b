//! What was said around a board.

use crate::app::App;
use crate::boards::{Board, ServiceError};
use knotpost_model::{BoardRef, Millis, RemarkKind};
pub use knotpost_storage::PulseRow as Pulse;
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
    /// When.
    pub at: Millis,
    /// With which move; `None`: in between.
    pub ply: Option<i64>,
}

/// The latest words around a board, in the order they were said.
///
/// # Errors
/// When the database fails.
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

/// What differs before and after something happened on a board.
///
/// # Errors
/// When the database fails.
pub async fn view_pulse(app: &App, name: &BoardRef) -> Result<Option<Pulse>, StoreError> {
    app.store.query().await?.board_pulse(&name.game, name.number).await
}
