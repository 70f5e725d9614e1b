//! The analysis of a finished board, where it was made a while ago.

use crate::app::App;
use crate::boards::Board;
use crate::commands::question_about;
use crate::replies::Analysis;

/// The analysis of this board, as far as it is kept; `None`: it has to be asked for.
pub fn view_analysis(app: &App, board: &Board) -> Option<Analysis> {
    let thoughts = app.thinking.recall_analysis(question_about(board))?;
    Some(Analysis::of(board, &thoughts))
}
