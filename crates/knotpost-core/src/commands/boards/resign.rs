//! `resign`: on turn, off turn, or as a refusal in the first round.

use knotpost_rules::Seat;
use serde_json::json;

use crate::app::App;
use crate::boards::board::seat_at;
use crate::boards::{Board, ServiceError, Standing};
use crate::commands::authorize::authorize_on_board;
use crate::mailing::post::post_to_user;
use crate::play::after_turn::finish_turn;
use crate::play::boards::answer_with_board;
use crate::play::moves::{check_plays, keep_comment};
use crate::play::resignation::{decline, keep_words};
use crate::replies::{Answer, BoardFacts, Heading, Reply};
use crate::requests::Ready;
use knotpost_model::{BoardState, Millis, MoveKind, SeatState};
use knotpost_storage::{SeatRow, StoreError, UserRow, WriteTx};

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: &str,
    number: u32,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let (board, user) = authorize_on_board(tx, app, ready, game, number).await?;
    if let Err(refusal) = check_plays(&board, &user) {
        return Err(refusal.about(board).into());
    }
    let Some(seat) = board.seat_of(user.id).cloned() else {
        return Err(StoreError::Corrupt("a player without a seat".to_owned()).into());
    };
    if board.can_be_declined() {
        return decline(tx, app, &ready.body, board, &user, now).await;
    }
    match board.standing() {
        Standing::ToMove(next) if i64::from(next.number()) == seat.seat => {
            on_turn(tx, app, ready, board, next, &user, now).await
        }
        _ => out_of_turn(tx, app, ready, board, seat, now).await,
    }
}

async fn on_turn(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    mut board: Board,
    seat: Seat,
    user: &UserRow,
    now: Millis,
) -> Result<Answer, ServiceError> {
    tx.delete_proposal(board.row.id).await?;
    board.retire(seat, MoveKind::Resign, false, now);
    if let Some(row) = board.seats.iter_mut().find(|row| seat_at(row.seat) == seat) {
        row.state = SeatState::Resigned;
        row.resign_pending = false;
    }
    let ply = board.entries.len();
    finish_turn(tx, app, &mut board, ply - 1, now).await?;
    if board.row.state == BoardState::Active {
        // The user keeps watching while others play.
        tx.subscribe(board.row.id, user.id).await?;
    }
    let mut facts = BoardFacts::plain(Heading::Summary);
    keep_comment(tx, &board, (ply, user, &ready.body), &mut facts, now).await?;
    answer_with_board(tx, app, &board, facts, now).await
}

/// Noted until the seat's turn; sent again, it is cancelled.
async fn out_of_turn(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    board: Board,
    mut seat: SeatRow,
    now: Millis,
) -> Result<Answer, ServiceError> {
    seat.resign_pending = !seat.resign_pending;
    if seat.resign_pending {
        // A player who leaves can neither make nor accept an offer.
        tx.delete_proposal(board.row.id).await?;
        keep_words(tx, &board, seat.seat, &ready.body, now).await?;
    } else {
        tx.delete_submission(board.row.id, seat.seat).await?;
    }
    tx.update_seat(board.row.id, &seat).await?;
    let to_move = match board.standing() {
        Standing::ToMove(next) => board.userid_at(i64::from(next.number())).to_owned(),
        Standing::Over(_) => String::new(),
    };
    let facts = json!({
        "title": board.title(),
        "number": board.row.number,
        "userid": seat.userid,
        "to_move": to_move,
        "cancelled": !seat.resign_pending,
        "has_words": seat.resign_pending && !ready.body.trim().is_empty(),
    });
    let reply = Reply::said("resign_noted", facts);
    post_to_user(tx, app, &reply, seat.user_id, now).await?;
    Ok(Answer::to_registered(reply).about(board.name()))
}
