//! Noted resignations, and challenges declined in the first round.

use serde_json::json;

use crate::app::App;
use crate::boards::time::schedule;
use crate::boards::{Board, ServiceError};
use crate::mailing::post::post_to_user;
use crate::play::boards::answer_with_board;
use crate::play::notifications::notify_of_removal;
use crate::play::stand_in::are_computer_players;
use crate::play::tournament_boards;
use crate::ratings::board_ratings;
use crate::replies::{Answer, BoardFacts, Heading, Note, Reply};
use knotpost_model::{BoardState, Millis, MoveKind, RemarkKind, UserKey};
use knotpost_platform::clock::{Entropy, random_bytes};
use knotpost_storage::{NewSeat, SeatRow, StoreError, SubmissionRow, UserRow, WriteTx};

/// Notice of a removed board: all but one declined or left.
pub(crate) fn removed(board: &Board, user: &UserRow, said: &str, has_left: bool) -> Reply {
    let facts = json!({
        "title": board.title(),
        "number": board.row.number,
        "userid": user.userid,
        "text": said.trim(),
        "has_left": has_left,
    });
    Reply::said("removed", facts)
}

/// Tells a player that they were taken out while the others play on; no more mails about the board follow.
pub(crate) async fn tell_declined(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    (user, userid): (UserKey, &str),
    never_moved: bool,
    now: Millis,
) -> Result<(), StoreError> {
    let facts = json!({
        "title": board.title(),
        "game": board.row.game,
        "number": board.row.number,
        "userid": userid,
        "never_moved": never_moved,
    });
    let reply = Reply::said("declined", facts);
    post_to_user(tx, app, &reply, user, now).await
}

/// Queue text of a noted resignation.
const RESIGNS: &str = "resign";
/// Impossible move number: a submission stored with it can never be confirmed.
const NEVER: i64 = -1;

/// Stores the remark on a noted resignation until it takes effect.
pub(crate) async fn keep_words(
    tx: &mut WriteTx,
    board: &Board,
    seat: i64,
    said: &str,
    now: Millis,
) -> Result<(), StoreError> {
    if said.trim().is_empty() {
        return Ok(());
    }
    let row = SubmissionRow { ply: NEVER, text: RESIGNS.to_owned(), comment: said.trim_end().to_owned() };
    tx.save_submission(board.row.id, seat, &row, now).await
}

/// Publishes the remarks of resignations that took effect since the board had `stored` moves.
pub(crate) async fn pass_on_words(
    tx: &mut WriteTx,
    board: &mut Board,
    stored: usize,
    now: Millis,
) -> Result<(), StoreError> {
    let entries = board.entries.iter().skip(stored);
    let resigned: Vec<(i64, i64)> = entries
        .filter(|entry| entry.row.kind == MoveKind::Resign)
        .map(|entry| (entry.row.number, entry.row.seat))
        .collect();
    for (number, seat) in resigned {
        let waiting = tx.submission(board.row.id, seat).await?.filter(|row| row.ply == NEVER);
        let user = board.seats.iter().find(|row| row.seat == seat).map(|row| row.user_id);
        if let (Some(row), Some(user)) = (waiting, user) {
            let kind = RemarkKind::Comment;
            let remark = tx.say(board.row.id, number, user, kind, &row.comment, now).await?;
            board.parting_words.extend(remark);
            tx.delete_submission(board.row.id, seat).await?;
        }
    }
    Ok(())
}

/// Declines in the first round, when nobody can lose anything: the player is taken out.
pub(crate) async fn decline(
    tx: &mut WriteTx,
    app: &App,
    said: &str,
    mut board: Board,
    user: &UserRow,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let is_unheard = !said.trim().is_empty() && tx.is_shunned_on(board.row.id, user.id).await?;
    let said = if is_unheard { "" } else { said };
    if take_out(tx, app.entropy.as_ref(), &mut board, user.id, now).await? == Left::Nobody {
        let reply = removed(&board, user, said, false);
        notify_of_removal(tx, app, &board, &reply, now).await?;
        return Ok(Answer::to_registered(reply).about(board.name()));
    }
    tell_declined(tx, app, &board, (user.id, &user.userid), false, now).await?;
    let mut facts = BoardFacts::plain(Heading::New);
    facts.notes.push(Note::Restarted { declined: user.userid.clone() });
    if !said.trim().is_empty() {
        facts.remark = tx.say(board.row.id, 0, user.id, RemarkKind::Comment, said, now).await?;
    }
    answer_with_board(tx, app, &board, facts, now).await
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    Others,
    Nobody,
}

/// Takes a user out in the first round: restarts with two or more players left, otherwise removes the board.
/// Notifies nobody.
pub(crate) async fn take_out(
    tx: &mut WriteTx,
    entropy: &dyn Entropy,
    board: &mut Board,
    user: UserKey,
    now: Millis,
) -> Result<Left, ServiceError> {
    let left: Vec<SeatRow> = board.seats.iter().filter(|seat| seat.user_id != user).cloned().collect();
    let players = board.game.meta().players.clone();
    let is_deserted = Box::pin(are_computer_players(tx, left.iter())).await?;
    if is_deserted || left.len() < 2 || left.len() < *players.start() {
        remove(tx, board, now).await?;
        return Ok(Left::Nobody);
    }
    board.dropped_mails.extend(tx.drop_board_mails(board.row.id, now).await?);
    tx.delete_submissions(board.row.id).await?;
    restart(tx, entropy, board, left, now).await?;
    board_ratings::review_activity(tx, &board.row.game, user, now).await?;
    Ok(Left::Others)
}

pub(crate) async fn remove(tx: &mut WriteTx, board: &mut Board, now: Millis) -> Result<(), StoreError> {
    tx.drop_board_mails(board.row.id, now).await?;
    tx.delete_submissions(board.row.id).await?;
    tx.drop_notes_on(board.row.id).await?;
    board.row.state = BoardState::Removed;
    board.row.ended_at = Some(now.0);
    board.row.due_at = None;
    tx.update_board(&board.row).await?;
    if board.row.pairing_id.is_some() {
        tournament_boards::count_as_tie(tx, board.row.id, now).await?;
    }
    for seat in &mut board.seats {
        seat.to_move = false;
        tx.update_seat(board.row.id, seat).await?;
    }
    for seat in &board.seats {
        board_ratings::review_activity(tx, &board.row.game, seat.user_id, now).await?;
    }
    Ok(())
}

/// Restarts the game: same order, seats renumbered, new seed.
async fn restart(
    tx: &mut WriteTx,
    entropy: &dyn Entropy,
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
    let seed = random_bytes(entropy).map_err(StoreError::from)?;
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
