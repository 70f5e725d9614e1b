//! Account deletion: resigns all boards and deletes the user's private data. The name stays taken, and
//! visible on their boards.

use crate::app::App;
use crate::boards::board::seat_at;
use crate::boards::{Board, ServiceError, Standing};
use crate::play::after_turn::finish_turn;
use crate::play::notifications::{notify_of_removal, notify_readers};
use crate::play::resignation::{Left, removed, take_out};
use crate::ratings::board_ratings;
use crate::replies::{BoardFacts, Heading, Note};
use knotpost_commands::Remarks;
use knotpost_model::{BoardState, LeaveReason, Millis, MoveKind, SeatState, UserKey};
use knotpost_storage::{BoardFilter, UserRow, UserState, WriteTx};

const PAGE: i64 = 100;

/// Deletes a user in one transaction, so that no deleted user still plays. Memory holds one page of boards.
pub(crate) async fn leave(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    remarks: Remarks,
    now: Millis,
) -> Result<(), ServiceError> {
    // First, so that their own boards do not mail them any more.
    tx.forget_user(user.id).await?;
    tx.end_broadcasts(user.id, now).await?;
    tx.set_password_hash(user.id, None, now).await?;
    tx.set_user_state(user.id, UserState::Deleted).await?;
    // Before their boards end, since games finished by play are counted.
    tx.leave_tournaments(user.id, LeaveReason::Deleted, now).await?;
    tx.leave_directed(user.id).await?;
    if user.role == "admin" {
        tx.set_user_role(user.id, "player").await?;
    }
    let mut filter =
        BoardFilter { user: Some(user.id), state: Some(BoardState::Active), ..BoardFilter::default() };
    loop {
        let page = tx.list_boards(&filter, PAGE).await?;
        for row in &page {
            let number = u32::try_from(row.number).unwrap_or_default();
            if let Some(board) = Board::load(tx, &app.games, &row.game, number).await? {
                resign_for_good(tx, app, board, user, now).await?;
            }
        }
        // Boards finished by now are skipped.
        filter.after = page.last().map(|row| row.id);
        if (page.len() as i64) < PAGE {
            break;
        }
    }
    // Again: finishing their boards has queued rows for them.
    tx.forget_user(user.id).await?;
    if remarks == Remarks::Removed {
        tx.remove_remarks(user.id).await?;
    }
    board_ratings::review_all_activity(tx, user.id, now).await?;
    Ok(())
}

/// Declines in the first round, else resigns all seats of the user, on or off turn. The others are told that
/// they have left.
async fn resign_for_good(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    user: &UserRow,
    now: Millis,
) -> Result<(), ServiceError> {
    let left = |restarted| Note::Left { userid: user.userid.clone(), restarted };
    if board.can_be_declined() {
        if take_out(tx, app.entropy.as_ref(), &mut board, user.id, now).await? == Left::Nobody {
            let reply = removed(&board, user, "", true);
            return Ok(notify_of_removal(tx, app, &board, &reply, now).await?);
        }
        let facts = BoardFacts { notes: vec![left(true)], ..BoardFacts::plain(Heading::New) };
        notify_readers(tx, app, &board, facts, now).await?;
        return Ok(());
    }
    resign_seats(tx, app, board, user.id, left(false), now).await
}

/// Resigns all seats of a user, on or off turn, for the reason that the note gives.
pub(crate) async fn resign_seats(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    user: UserKey,
    note: Note,
    now: Millis,
) -> Result<(), ServiceError> {
    let stored = board.entries.len();
    tx.delete_proposal(board.row.id).await?;
    for index in 0..board.seats.len() {
        let Some(row) = board.seats.get_mut(index) else { continue };
        if row.user_id != user || row.state != SeatState::Playing {
            continue;
        }
        row.state = SeatState::Resigned;
        row.resign_pending = false;
        let seat = seat_at(row.seat);
        board.retire(seat, MoveKind::Resign, false, now);
        if matches!(board.standing(), Standing::Over(_)) {
            break;
        }
    }
    let made = board.entries.len() - stored;
    finish_turn(tx, app, &mut board, stored, now).await?;
    let facts = BoardFacts { notes: vec![note], made, ..BoardFacts::plain(Heading::Summary) };
    notify_readers(tx, app, &board, facts, now).await?;
    Ok(())
}
