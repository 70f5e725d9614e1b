//! Resigning: on turn, out of turn, and declining in the first round.

use knotpost_rules::Seat;

use super::Prepared;
use super::board::seat_at;
use super::boards::{answer_with_board, find_board, find_game, tell_all};
use super::execute::authorize_on;
use super::moves::{check_plays, comment};
use super::post::{BoardFacts, Heading, Note, post_to_user};
use super::settle::settle;
use super::time::schedule;
use super::{Answer, Board, Reply, ServiceError, Standing, ratings};
use crate::app::App;
use crate::clock::random_bytes;
use crate::domain::{BoardState, Millis, MoveKind, RemarkKind, SeatState, UserKey};
use crate::store::{NewSeat, SeatRow, StoreError, Tx, UserRow};

pub(super) async fn resign(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    number: u32,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game)?.meta().name;
    let board = find_board(tx, app, game, number).await?;
    let (board, user) = authorize_on(tx, prepared, board).await?;
    if let Err(refusal) = check_plays(&board, &user) {
        return Err(refusal.about(board).into());
    }
    let Some(seat) = board.seat_of(user.id).cloned() else {
        return Err(StoreError::Corrupt("a player without a seat".to_owned()).into());
    };
    // The first round: fewer moves made than there are players.
    if board.entries.len() < board.seats.len() {
        return decline(tx, app, &prepared.body, board, &user, now).await;
    }
    match board.standing() {
        Standing::ToMove(next) if i64::from(next.number()) == seat.seat => {
            on_turn(tx, app, prepared, board, next, &user, now).await
        }
        _ => out_of_turn(tx, app, board, seat, now).await,
    }
}

async fn on_turn(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
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
    settle(tx, app, &mut board, ply - 1, now).await?;
    if board.row.state == BoardState::Active {
        // With others still playing he goes on watching.
        tx.subscribe(board.row.id, user.id).await?;
    }
    let mut facts = BoardFacts::plain(Heading::Summary);
    facts.remark = comment(tx, &board, ply, user, prepared, now).await?;
    answer_with_board(tx, app, &board, facts, now).await
}

/// Noted until the seat's turn comes; sent again it is cancelled.
async fn out_of_turn(
    tx: &mut Tx,
    app: &App,
    board: Board,
    mut seat: SeatRow,
    now: Millis,
) -> Result<Answer, ServiceError> {
    seat.resign_pending = !seat.resign_pending;
    if seat.resign_pending {
        // Who leaves agrees to nothing any more, and nobody can agree with him.
        tx.delete_proposal(board.row.id).await?;
    }
    tx.update_seat(board.row.id, &seat).await?;
    // The board's row is touched too: a move made at the same moment must see this.
    tx.update_board(&board.row).await?;
    let to_move = match board.standing() {
        Standing::ToMove(next) => board.userid_at(i64::from(next.number())).to_owned(),
        Standing::Over(_) => String::new(),
    };
    let reply = Reply::ResignNoted {
        title: board.title().to_owned(),
        number: board.row.number as u32,
        userid: seat.userid.clone(),
        to_move,
        cancelled: !seat.resign_pending,
    };
    post_to_user(tx, app, &reply, seat.user_id, now).await?;
    Ok(Answer::to_registered(reply).about(board.name()))
}

/// In the first round nobody has lost anything yet: who resigns is taken out.
pub(super) async fn decline(
    tx: &mut Tx,
    app: &App,
    said: &str,
    mut board: Board,
    user: &UserRow,
    now: Millis,
) -> Result<Answer, ServiceError> {
    if take_out(tx, app, &mut board, user.id, now).await? == Left::Nobody {
        let reply = Reply::Removed {
            title: board.title().to_owned(),
            number: board.row.number as u32,
            userid: user.userid.clone(),
            text: said.trim().to_owned(),
        };
        tell_all(tx, app, &board, &reply, now).await?;
        return Ok(Answer::to_registered(reply).about(board.name()));
    }
    let mut facts = BoardFacts::plain(Heading::New);
    facts.notes.push(Note::Restarted { declined: user.userid.clone() });
    if !said.trim().is_empty() {
        let remark = tx.insert_remark(board.row.id, 0, Some(user.id), RemarkKind::Comment, said, now);
        facts.remark = Some(remark.await?);
    }
    answer_with_board(tx, app, &board, facts, now).await
}

/// What became of a board after a player was taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Enough are left: the game has begun again.
    Others,
    /// The board is removed.
    Nobody,
}

/// Takes a user out in the first round. With two or more left the game begins again without him
/// and he watches it, otherwise the board is removed. Tells nobody.
pub(super) async fn take_out(
    tx: &mut Tx,
    app: &App,
    board: &mut Board,
    user: UserKey,
    now: Millis,
) -> Result<Left, ServiceError> {
    let left: Vec<SeatRow> = board.seats.iter().filter(|seat| seat.user_id != user).cloned().collect();
    let players = board.game.meta().players.clone();
    if left.len() < 2 || left.len() < *players.start() {
        remove(tx, board, now).await?;
        return Ok(Left::Nobody);
    }
    tx.drop_board_mails(board.row.id, now).await?;
    tx.delete_submissions(board.row.id).await?;
    restart(tx, app, board, left, now).await?;
    tx.subscribe(board.row.id, user).await?;
    ratings::review_activity(tx, &board.row.game, user, now).await?;
    Ok(Left::Others)
}

/// Takes a board off the server. Tells nobody.
pub(super) async fn remove(tx: &mut Tx, board: &mut Board, now: Millis) -> Result<(), StoreError> {
    tx.drop_board_mails(board.row.id, now).await?;
    tx.delete_submissions(board.row.id).await?;
    board.row.state = BoardState::Removed;
    board.row.ended_at = Some(now.0);
    board.row.due_at = None;
    tx.update_board(&board.row).await?;
    for seat in &mut board.seats {
        seat.to_move = false;
        tx.update_seat(board.row.id, seat).await?;
    }
    for seat in &board.seats {
        ratings::review_activity(tx, &board.row.game, seat.user_id, now).await?;
    }
    Ok(())
}

/// The same game from an empty board: same order, seats renumbered, new seed.
async fn restart(
    tx: &mut Tx,
    app: &App,
    board: &mut Board,
    left: Vec<SeatRow>,
    now: Millis,
) -> Result<(), ServiceError> {
    let seats: Vec<SeatRow> = left
        .into_iter()
        .enumerate()
        .map(|(index, seat)| SeatRow { seat: index as i64 + 1, resign_pending: false, queued: false, ..seat })
        .collect();
    tx.delete_moves(board.row.id).await?;
    tx.delete_proposal(board.row.id).await?;
    tx.delete_queue(board.row.id, None).await?;
    tx.delete_seats(board.row.id).await?;
    let seed = random_bytes(app.entropy.as_ref()).map_err(StoreError::from)?;
    board.restart(seed, seats);
    let first = i64::from(board.position.next_seat().number());
    for seat in &board.seats {
        let new = NewSeat { seat: seat.seat, user: seat.user_id, to_move: seat.seat == first };
        tx.insert_seat(board.row.id, new).await?;
    }
    let first_user = board.seats.first().map(|seat| seat.user_id);
    board.row.rated = board.row.rated && board.seats.iter().any(|seat| Some(seat.user_id) != first_user);
    board.row.started_at = now;
    board.row.last_move_at = None;
    board.row.ply = 0;
    board.row.position = board.position.position();
    board.row.scores = board.position.scores().to_string();
    schedule(board, now);
    tx.update_board(&board.row).await?;
    Ok(())
}
