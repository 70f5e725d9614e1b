//! Results of boards for the tournaments they are played in.
//!
//! Only rows of the board's own seats are written, unless somebody lost on time: no move waits for another board.

use crate::boards::{Board, ServiceError};
use crate::ratings::board_ratings::score;
use knotpost_model::computer_player::level_of;
use knotpost_model::{
    BoardKey, LeaveReason, Millis, MoveKind, PlayerState, Score, SeatState, TournamentAction, TournamentForm,
    UserKey,
};
use knotpost_storage::{NewLogEntry, SeatResult, StoreError, Told, WriteTx};

/// Losses on time in a tournament with which a player is out.
const MOST_LOSSES_ON_TIME: i64 = 2;

/// Sets the points of a board that has just ended. One that ended before its loser had moved is not rated. Who lost on time
/// twice, or without ever having moved, is out.
pub(crate) async fn board_ended(
    tx: &mut WriteTx,
    board: &mut Board,
    now: Millis,
) -> Result<(), ServiceError> {
    let Some(pairing) = board.row.pairing_id else { return Ok(()) };
    let seats: Vec<(i64, UserKey)> = board.seats.iter().map(|row| (row.seat, row.user_id)).collect();
    let scores = score(&seats, board.row.winners.as_deref().unwrap_or_default());
    let is_tie = scores.iter().all(|(_, score)| *score == Score::Tied);
    let played = scores
        .iter()
        .filter(|(_, score)| is_tie || *score == Score::Lost)
        .all(|(user, _)| has_moved(board, *user));
    if !played && board.row.rated {
        board.row.rated = false;
        tx.set_unrated(board.row.id).await?;
    }
    let mut late = Vec::new();
    for (user, score) in scores {
        let points = match score {
            Score::Won => 2,
            Score::Tied => 1,
            Score::Lost => 0,
        };
        let forfeited =
            board.seats.iter().find(|row| row.user_id == user && row.state == SeatState::Forfeited);
        let on_time = forfeited.is_some();
        tx.set_points(board.row.id, SeatResult { user, points, played, on_time }).await?;
        // A computer player is late because the server is.
        if forfeited.is_some_and(|row| level_of(&row.userid).is_none()) {
            late.push(user);
        }
    }
    climb(tx, board.row.id, now).await?;
    for user in late {
        let Some((tournament, form, losses)) = tx.losses_on_time(pairing, user).await? else { continue };
        let why = if losses >= MOST_LOSSES_ON_TIME || !has_moved(board, user) {
            LeaveReason::Time
        } else if form == TournamentForm::Ladder {
            LeaveReason::Late
        } else {
            continue;
        };
        tx.withdraw_player(tournament, user, why, now).await?;
    }
    Ok(())
}

/// Lets a challenger on a ladder take the place of the challenged, once all boards of their pairing are over and the
/// challenger has more points. Nothing changes if one of both has left, or if the challenger stands above by now.
async fn climb(tx: &mut WriteTx, board: BoardKey, now: Millis) -> Result<(), StoreError> {
    let seats = tx.ladder_seats(board).await?;
    let at = |place: (i64, i64)| seats.iter().find(|seat| (seat.game, seat.seat) == place);
    let (Some(challenged), Some(challenger)) = (at((1, 1)), at((1, 2))) else { return Ok(()) };
    let points = |entry: i64| -> Option<i64> {
        seats.iter().filter(|seat| seat.entry == entry).map(|seat| seat.points).sum()
    };
    let (Some(own), Some(other)) = (points(challenger.entry), points(challenged.entry)) else {
        return Ok(());
    };
    let are_in = [challenger, challenged].iter().all(|seat| seat.state == PlayerState::In);
    if own <= other || !are_in || challenger.number < challenged.number {
        return Ok(());
    }
    tx.climb(challenger.id, challenger.entry, challenger.number, challenged.number).await?;
    let place = tx.ladder_place(challenger.id, challenged.number).await?;
    let entry = NewLogEntry {
        user: Some(challenger.user_id),
        subject: Some(challenged.user_id),
        board: Some(board),
        words: place.to_string(),
        ..NewLogEntry::of_server(TournamentAction::Climb)
    };
    tx.log_tournament(challenger.id, &entry, now).await
}

/// True if a user has moved on a board; a pass that the server made for them is no move.
fn has_moved(board: &Board, user: UserKey) -> bool {
    board.entries.iter().enumerate().any(|(index, entry)| {
        let is_move = match entry.row.kind {
            MoveKind::Move | MoveKind::Swap => true,
            MoveKind::Pass => !entry.row.auto,
            _ => false,
        };
        is_move && board.seat_row(board.present_seat(index)).is_some_and(|row| row.user_id == user)
    })
}

/// Counts a board as a tie if it still has no result: it was removed, or cannot be read. The director is told.
pub(crate) async fn count_as_tie(tx: &mut WriteTx, board: BoardKey, now: Millis) -> Result<(), StoreError> {
    let Some(tournament) = tx.tie_board(board).await? else { return Ok(()) };
    let entry = NewLogEntry {
        board: Some(board),
        told: Told::Director,
        ..NewLogEntry::of_server(TournamentAction::Removed)
    };
    tx.log_tournament(tournament, &entry, now).await?;
    climb(tx, board, now).await
}
