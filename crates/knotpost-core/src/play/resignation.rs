//! Resignations that were noted, and boards that a player declines in the first round.

use serde::Serialize;

use crate::app::App;
use crate::boards::time::schedule;
use crate::boards::{Board, ServiceError};
use crate::play::boards::answer_with_board;
use crate::play::notifications::notify_of_removal;
use crate::ratings::board_ratings;
use crate::replies::{Answer, BoardFacts, Content, Facts, Heading, Note, Reply};
use knotpost_model::{BoardState, Millis, RemarkKind, UserKey};
use knotpost_platform::clock::random_bytes;
use knotpost_storage::{NewSeat, SeatRow, StoreError, UserRow, WriteTx};

/// A challenge was declined by all but one.
#[derive(Debug, Serialize)]
struct Removed {
    /// The game's title.
    title: String,
    /// The board's number.
    number: u32,
    /// Who declined.
    userid: String,
    /// What they said with it.
    text: String,
}

impl Content for Removed {
    fn template(&self) -> &'static str {
        "removed"
    }

    fn facts(&self) -> Facts {
        Facts::of(self)
    }
}

/// In the first round nobody has lost anything yet: who resigns is taken out.
pub(crate) async fn decline(
    tx: &mut WriteTx,
    app: &App,
    said: &str,
    mut board: Board,
    user: &UserRow,
    now: Millis,
) -> Result<Answer, ServiceError> {
    if take_out(tx, app, &mut board, user.id, now).await? == Left::Nobody {
        let reply = Reply::from(Removed {
            title: board.title().to_owned(),
            number: board.row.number as u32,
            userid: user.userid.clone(),
            text: said.trim().to_owned(),
        });
        notify_of_removal(tx, app, &board, &reply, now).await?;
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
pub(crate) enum Left {
    /// Enough are left: the game has begun again.
    Others,
    /// The board is removed.
    Nobody,
}

/// Takes a user out in the first round. With two or more left the game begins again without them
/// and they watch it, otherwise the board is removed. Tells nobody.
pub(crate) async fn take_out(
    tx: &mut WriteTx,
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
    board_ratings::review_activity(tx, &board.row.game, user, now).await?;
    Ok(Left::Others)
}

/// Takes a board off the server. Tells nobody.
pub(crate) async fn remove(tx: &mut WriteTx, board: &mut Board, now: Millis) -> Result<(), StoreError> {
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
        board_ratings::review_activity(tx, &board.row.game, seat.user_id, now).await?;
    }
    Ok(())
}

/// The same game from an empty board: same order, seats renumbered, new seed.
async fn restart(
    tx: &mut WriteTx,
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
