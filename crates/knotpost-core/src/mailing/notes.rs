//! Notes of board mails that are looked up when the mail is written.

use crate::boards::{Board, pending_proposal};
use crate::replies::Note;
use crate::replies::facts::note_of;
use knotpost_storage::{ReadTx, StoreError};

/// Looks up the note on the proposal that waits on a board, for its readers.
pub(crate) async fn note_of_proposal(tx: &mut ReadTx, board: &Board) -> Result<Option<Note>, StoreError> {
    let pending = pending_proposal(tx, board).await?;
    Ok(pending.map(|proposal| note_of(board, &proposal)))
}
