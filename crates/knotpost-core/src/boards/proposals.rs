//! The proposal that waits on a board, and the players who have not answered it.

use crate::boards::Board;
use knotpost_model::{BoardState, SeatState};
use knotpost_storage::{ProposalRow, ReadTx, StoreError};

/// The proposal that waits on a board, if there is one that no move has made void.
///
/// # Errors
/// When the database fails.
pub async fn pending_proposal(tx: &mut ReadTx, board: &Board) -> Result<Option<ProposalRow>, StoreError> {
    if board.row.state != BoardState::Active {
        return Ok(None);
    }
    let proposal = tx.proposal(board.row.id).await?;
    Ok(proposal.filter(|proposal| is_pending(proposal, board)))
}

/// Whether a proposal of this board is still to be answered: every further move makes it void.
pub(crate) fn is_pending(proposal: &ProposalRow, board: &Board) -> bool {
    board.row.state == BoardState::Active && proposal.ply == board.entries.len() as i64
}

/// Users who still play and have not agreed; the proposer counts as agreed in all their seats.
pub(crate) fn still_to_answer(board: &Board, proposal: &ProposalRow) -> Vec<String> {
    let agreed: Vec<i64> = proposal.seats_that_agreed().chain([proposal.seat]).collect();
    let users: Vec<_> =
        board.seats.iter().filter(|row| agreed.contains(&row.seat)).map(|row| row.user_id).collect();
    let mut waiting: Vec<String> = Vec::new();
    for row in &board.seats {
        if row.state == SeatState::Playing && !users.contains(&row.user_id) && !waiting.contains(&row.userid)
        {
            waiting.push(row.userid.clone());
        }
    }
    waiting
}
