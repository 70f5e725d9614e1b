//! Cached analysis of a finished board.

use crate::boards::Board;
use crate::commands::question_about;
use crate::replies::Analysis;
use crate::thinking::Thinking;

/// `None`: not cached, it must be requested.
pub fn view_analysis(thinking: &Thinking, board: &Board) -> Option<Analysis> {
    let thoughts = thinking.recall_analysis(question_about(board))?;
    Some(Analysis::of(board, &thoughts))
}
