//! Leaving for good: all boards are resigned, and whatever is the user's alone is forgotten. The name stays
//! taken, and on the boards they played.

use crate::app::App;
use crate::boards::{Board, ServiceError, Standing};
use crate::play::after_turn::finish_turn;
use crate::play::notifications::notify_readers;
use crate::play::resignation::decline;
use crate::ratings::board_ratings;
use crate::replies::{BoardFacts, Heading};
use knotpost_model::{BoardState, Millis, MoveKind, SeatState};
use knotpost_storage::{BoardFilter, UserRow, UserState, WriteTx};

/// Boards read at once while a user leaves.
const PAGE: i64 = 100;

/// Deletes a user in one transaction, so that no deleted user still plays. Of their boards no more
/// than a page is in memory.
pub(crate) async fn leave(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    now: Millis,
) -> Result<(), ServiceError> {
    // First, so that their own boards do not write to them any more.
    tx.forget_user(user.id, now).await?;
    tx.set_password_hash(user.id, None, now).await?;
    tx.set_user_state(user.id, UserState::Deleted).await?;
    let mut filter =
        BoardFilter { user: Some(user.id), state: Some(BoardState::Active), ..BoardFilter::default() };
    loop {
        let page = tx.list_boards(&filter, PAGE).await?;
        for row in &page {
            let number = u32::try_from(row.number).unwrap_or_default();
            if let Some(board) = Board::load_to_change(tx, app, &row.game, number).await? {
                resign_for_good(tx, app, board, user, now).await?;
            }
        }
        // Boards that are over by now lie before the next page.
        filter.after = page.last().map(|row| row.id);
        if (page.len() as i64) < PAGE {
            break;
        }
    }
    // Who resigns goes on watching; not they.
    tx.forget_user(user.id, now).await?;
    board_ratings::review_all_activity(tx, user.id, now).await?;
    Ok(())
}

/// Declines in the first round, else resigns every seat of the user: now where it is on turn, as soon as it
/// is where not.
async fn resign_for_good(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    user: &UserRow,
    now: Millis,
) -> Result<(), ServiceError> {
    if board.entries.len() < board.seats.len() {
        decline(tx, app, "", board, user, now).await?;
        return Ok(());
    }
    let stored = board.entries.len();
    let turn = match board.standing() {
        Standing::ToMove(seat) => Some(seat),
        Standing::Over(_) => None,
    };
    let mut retired = None;
    for seat in &mut board.seats {
        if seat.user_id != user.id || seat.state != SeatState::Playing {
            continue;
        }
        if turn.is_some_and(|turn| i64::from(turn.number()) == seat.seat) {
            seat.state = SeatState::Resigned;
            seat.resign_pending = false;
            retired = turn;
        } else {
            seat.resign_pending = true;
        }
        tx.update_seat(board.row.id, seat).await?;
    }
    tx.delete_proposal(board.row.id).await?;
    let Some(seat) = retired else {
        // The board's row is touched too: a move made at the same moment must see this.
        tx.update_board(&board.row).await?;
        return Ok(());
    };
    board.retire(seat, MoveKind::Resign, false, now);
    finish_turn(tx, app, &mut board, stored, now).await?;
    notify_readers(tx, app, &board, BoardFacts::plain(Heading::Summary), now).await?;
    Ok(())
}
