//! The proposal that waits on a board, and the players who have not answered it.

use crate::boards::{Board, Standing};
use knotpost_model::{BoardState, ProposalKind, SeatState, UserKey};
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

/// The user of the seat to move: who is not asked whether a computer player goes on for them.
pub(crate) fn user_to_move(board: &Board) -> Option<UserKey> {
    let Standing::ToMove(next) = board.standing() else { return None };
    let seat = i64::from(next.number());
    board.seats.iter().find(|row| row.seat == seat).map(|row| row.user_id)
}

/// Users who still play and have not agreed; the proposer counts as agreed in all their seats.
pub(crate) fn still_to_answer(board: &Board, proposal: &ProposalRow) -> Vec<String> {
    let agreed: Vec<i64> = proposal.seats_that_agreed().chain([proposal.seat]).collect();
    let users: Vec<_> =
        board.seats.iter().filter(|row| agreed.contains(&row.seat)).map(|row| row.user_id).collect();
    let absent = (proposal.kind == ProposalKind::Substitute).then(|| user_to_move(board)).flatten();
    let mut waiting: Vec<String> = Vec::new();
    for row in board.seats.iter().filter(|row| Some(row.user_id) != absent) {
        if row.state == SeatState::Playing && !users.contains(&row.user_id) && !waiting.contains(&row.userid)
        {
            waiting.push(row.userid.clone());
        }
    }
    waiting
}
