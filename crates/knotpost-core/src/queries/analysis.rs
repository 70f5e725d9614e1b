//! Cached analysis of a finished board.

use crate::app::App;
use crate::boards::Board;
use crate::commands::question_about;
use crate::replies::Analysis;

/// `None`: not cached, it must be requested.
pub fn view_analysis(app: &App, board: &Board) -> Option<Analysis> {
    let thoughts = app.thinking.recall_analysis(question_about(board))?;
    Some(Analysis::of(board, &thoughts))
}
