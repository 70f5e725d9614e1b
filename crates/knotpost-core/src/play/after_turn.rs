//! Consequences of a turn: automatic moves, stored rows, the next player.

use crate::app::App;
use crate::boards::board::Standing;
use crate::boards::time::schedule;
use crate::boards::{Board, ServiceError};
use crate::play::notifications::notify_of_end;
use crate::play::stand_in::are_computer_players;
use crate::play::{opponents, queue, resignation, tournament_boards};
use crate::ratings::board_ratings;
use knotpost_model::{BoardState, Millis, SeatState};
use knotpost_storage::{MoveRow, StoreError, Turn, WriteTx};

/// Stores new moves (automatic ones included), position and turn.
pub(crate) async fn finish_turn(
    tx: &mut WriteTx,
    app: &App,
    board: &mut Board,
    stored: usize,
    now: Millis,
) -> Result<(), ServiceError> {
    play_for_the_absent(board, now)?;
    while queue::play_next(tx, app, board, now).await? {
        play_for_the_absent(board, now)?;
    }
    end_without_people(tx, board, now).await?;
    store_turn(tx, board, stored, now).await?;
    if board.row.state == BoardState::Over {
        tx.delete_submissions(board.row.id).await?;
        tournament_boards::board_ended(tx, board, now).await?;
        board_ratings::board_ended(tx, board, now).await?;
        opponents::seats_are_free(tx, app, board, now).await?;
        notify_of_end(tx, app, board, now).await?;
    }
    Ok(())
}

/// Plays and stores the passes that the first roll of a new board forces.
pub(crate) async fn begin(tx: &mut WriteTx, board: &mut Board, now: Millis) -> Result<(), ServiceError> {
    play_for_the_absent(board, now)?;
    store_turn(tx, board, 0, now).await
}

/// Stores the moves after the first `stored`, position and turn.
async fn store_turn(
    tx: &mut WriteTx,
    board: &mut Board,
    stored: usize,
    now: Millis,
) -> Result<(), ServiceError> {
    board.changed_from = Some(stored);
    let standing = board.standing();
    board.row.ply = board.entries.len() as i64;
    board.row.position = board.position_text();
    board.row.scores = board.position.scores().to_string();
    board.row.last_move_at = board.entries.last().map(|entry| entry.row.at.0);
    if let Standing::Over(outcome) = &standing {
        let winners: Vec<String> = outcome.winners().iter().map(ToString::to_string).collect();
        board.row.state = BoardState::Over;
        board.row.winners = Some(winners.join(","));
        board.row.reason = Some(outcome.reason.to_owned());
        board.row.ended_at = Some(now.0);
        // Its mails tell the time used.
        board.load_pauses(tx).await?;
    }
    let due = board.row.due_at;
    schedule(board, now);
    let moves: Vec<&MoveRow> = board.entries.iter().skip(stored).map(|entry| &entry.row).collect();
    let next = match &standing {
        Standing::ToMove(next) => Some(i64::from(next.number())),
        Standing::Over(_) => None,
    };
    let turn = Turn { board: &board.row, moves: &moves, next, is_rescheduled: board.row.due_at != due };
    tx.store_turn(turn).await?;
    resignation::pass_on_words(tx, board, stored, now).await?;
    for seat in &mut board.seats {
        seat.to_move = next == Some(seat.seat);
        if seat.state != SeatState::Playing {
            tx.update_seat(board.row.id, seat).await?;
        }
    }
    Ok(())
}

fn play_for_the_absent(board: &mut Board, now: Millis) -> Result<(), ServiceError> {
    while let Standing::ToMove(next) = board.standing() {
        let waiting = board.seats.iter_mut().find(|seat| {
            seat.seat == i64::from(next.number()) && seat.resign_pending && seat.state == SeatState::Playing
        });
        if let Some(seat) = waiting {
            seat.resign_pending = false;
            seat.state = SeatState::Resigned;
            board.retire(next, knotpost_model::MoveKind::Resign, true, now);
        } else if let Some(turn) = board.position.forced() {
            board.play(turn, true, now).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        } else {
            break;
        }
    }
    Ok(())
}

/// Computer players do not play on among themselves: when the last person has left, they agree on a draw.
async fn end_without_people(tx: &mut WriteTx, board: &mut Board, now: Millis) -> Result<(), StoreError> {
    let Standing::ToMove(next) = board.standing() else { return Ok(()) };
    let playing = board.seats.iter().filter(|seat| seat.state == SeatState::Playing);
    if board.seats.iter().all(|seat| seat.state == SeatState::Playing)
        || !are_computer_players(tx, playing).await?
    {
        return Ok(());
    }
    board.agree_on_draw(next, now);
    Ok(())
}
