//! Reminders and losses on time. Each board gets its own transaction, which checks everything again.

use std::sync::Arc;

use knotpost_rules::Seat;
use serde_json::json;

use crate::app::App;
use crate::boards::board::seat_at;
use crate::boards::proposals::{Silence, silence_on};
use crate::boards::time::{Judgement, TimeUp, judge, waiting_since};
use crate::boards::{Board, ServiceError, pending_proposal};
use crate::clock::clock_leader::{Watch, keep_watch, may_judge};
use crate::play::after_turn::finish_turn;
use crate::play::notifications::{notify_of_removal, notify_readers, notify_users};
use crate::play::opponents::wake_seeks;
use crate::play::proposals::agree_on_draw;
use crate::play::resignation::{Left, take_out, tell_declined};
use crate::play::tournament_boards::count_as_tie;
use crate::replies::facts::note_of_proposal;
use crate::replies::{BoardFacts, Heading, Note, Reply};
use knotpost_model::{BoardRef, BoardState, Millis, MoveKind, SeatState};
use knotpost_storage::{DueBoard, StoreError, WriteTx};

const BATCH: i64 = 20;
/// Delay of a loss while mail is still unread.
const READING_MS: i64 = 10_000;
const SET_ASIDE_MS: i64 = 3_600_000;

/// Judges due boards if this process runs the clock; returns true if more may be due. On hold nobody runs it,
/// and that time counts for nobody. A board that cannot be judged is set aside.
pub async fn work_due(app: &Arc<App>, holder: &str) -> Result<bool, StoreError> {
    if app.hold.is_some() || keep_watch(app, holder).await? == Watch::Theirs {
        return Ok(false);
    }
    let due = app.store.query().await?.due_boards(app.clock.now(), BATCH).await?;
    let more = due.len() as i64 == BATCH;
    for board in due {
        if !look_at(app, holder, board).await? {
            return Ok(false);
        }
    }
    if !more && app.leader_watch.is_time_to_pair(app.clock.now()) {
        wake_seeks(app).await?;
    }
    Ok(more)
}

async fn look_at(app: &Arc<App>, holder: &str, due: DueBoard) -> Result<bool, StoreError> {
    let (holder, name) = (holder.to_owned(), due.clone());
    let done = app
        .write(async move |tx, app| {
            let now = app.clock.now();
            if !may_judge(tx, &holder, now).await? {
                return Ok(false);
            }
            judge_board(tx, app, &due, now).await.map_err(store_error)?;
            Ok::<_, StoreError>(true)
        })
        .await;
    match done {
        Ok(ours) => {
            app.signals.outbox.notify_one();
            let number = u32::try_from(name.number).ok();
            let board = number.map(|number| BoardRef { game: name.game.clone(), number });
            app.signals.tell_boards(board.as_slice());
            Ok(ours)
        }
        Err(error) if error.is_transient() => Err(error),
        Err(error) => {
            tracing::error!(
                game = name.game,
                board = name.number,
                error = error.with_causes(),
                "the clock cannot judge this board; it is set aside for an hour"
            );
            let (key, later) = (name.id, app.clock.now().plus(SET_ASIDE_MS));
            app.store.write_queue(async move |tx| tx.put_off(key, later).await).await?;
            let now = app.clock.now();
            app.store.write(async move |tx| count_as_tie(tx, key, now).await).await?;
            Ok(true)
        }
    }
}

fn store_error(error: ServiceError) -> StoreError {
    match error {
        ServiceError::Store(error) => error,
        ServiceError::Refused(refusal) => StoreError::Corrupt(refusal.message),
    }
}

async fn judge_board(tx: &mut WriteTx, app: &App, due: &DueBoard, now: Millis) -> Result<(), ServiceError> {
    let number = u32::try_from(due.number).unwrap_or_default();
    let Some(mut board) = Board::load(tx, &app.games, &due.game, number).await? else {
        return Ok(tx.set_due(due.id, None, None).await?);
    };
    if board.row.due_at.is_none_or(|at| at > now.0) {
        return Ok(());
    }
    board.load_pauses(tx).await?;
    let nagged = board.row.nagged_at.map(Millis);
    let active = board.row.state == BoardState::Active && board.row.paused_at.is_none();
    match judge(&board, now).filter(|_| active) {
        None => tx.set_due(due.id, None, None).await?,
        Some((_, Judgement::Wait(at))) => tx.set_due(due.id, Some(at), nagged).await?,
        Some((seat, Judgement::Nag { next, end })) => {
            remind(tx, app, &board, seat, end, now).await?;
            tx.set_due(due.id, Some(next), Some(now)).await?;
        }
        // A move that arrived in time counts, however late it is read.
        Some((_, Judgement::Lost { end, .. })) if tx.is_mail_waiting(end).await? => {
            tx.set_due(due.id, Some(now.plus(READING_MS)), nagged).await?;
        }
        Some((seat, Judgement::Lost { up, .. })) => lose(tx, app, board, seat, up, now).await?,
    }
    Ok(())
}

async fn remind(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    seat: Seat,
    end: Millis,
    now: Millis,
) -> Result<(), StoreError> {
    let Some(row) = board.seats.iter().find(|row| seat_at(row.seat) == seat) else { return Ok(()) };
    let note = Note::Reminder {
        userid: row.userid.clone(),
        since: waiting_since(board).to_readable(),
        end: end.to_readable(),
    };
    let notes = [Some(note), note_of_proposal(tx, board).await?].into_iter().flatten().collect();
    let facts = BoardFacts { notes, ..BoardFacts::plain(Heading::Nag) };
    notify_users(tx, app, board, &facts, vec![row.user_id], now).await
}

/// Loss on time; in the first round it counts as declining the challenge.
async fn lose(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    seat: Seat,
    up: TimeUp,
    now: Millis,
) -> Result<(), ServiceError> {
    let Some(row) = board.seats.iter().find(|row| seat_at(row.seat) == seat).cloned() else {
        return Err(StoreError::Corrupt("nobody sits in the seat to move".to_owned()).into());
    };
    if board.can_be_declined() {
        return silently_decline(tx, app, board, row, now).await;
    }
    let pending = pending_proposal(tx, &board).await?;
    match silence_on(&board, pending.as_ref(), now) {
        Silence::Forfeits => {}
        Silence::Waits(until) => {
            let nagged = board.row.nagged_at.map(Millis);
            return Ok(tx.set_due(board.row.id, Some(until), nagged).await?);
        }
        Silence::Draws => {
            agree_on_draw(tx, app, &mut board, now).await?;
            let facts = BoardFacts { notes: vec![Note::SilentDraw], ..BoardFacts::plain(Heading::Summary) };
            notify_readers(tx, app, &board, facts, now).await?;
            return Ok(());
        }
    }
    tx.delete_proposal(board.row.id).await?;
    let stored = board.entries.len();
    board.retire(seat, MoveKind::Forfeit, false, now);
    if let Some(row) = board.seats.iter_mut().find(|row| seat_at(row.seat) == seat) {
        row.state = SeatState::Forfeited;
        row.resign_pending = false;
    }
    finish_turn(tx, app, &mut board, stored, now).await?;
    if board.row.state == BoardState::Active {
        // If others play on, the loser keeps watching.
        tx.subscribe(board.row.id, row.user_id).await?;
    }
    let note = Note::Forfeited { userid: row.userid, up };
    let facts = BoardFacts { notes: vec![note], ..BoardFacts::plain(Heading::Summary) };
    notify_readers(tx, app, &board, facts, now).await?;
    Ok(())
}

async fn silently_decline(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    row: knotpost_storage::SeatRow,
    now: Millis,
) -> Result<(), ServiceError> {
    match take_out(tx, app.entropy.as_ref(), &mut board, row.user_id, now).await? {
        Left::Nobody => {
            let facts = json!({ "title": board.title(), "number": board.row.number, "userid": row.userid });
            let reply = Reply::said("never_begun", facts);
            notify_of_removal(tx, app, &board, &reply, now).await?;
        }
        Left::Others => {
            tell_declined(tx, app, &board, (row.user_id, &row.userid), true, now).await?;
            let note = Note::NeverMoved { userid: row.userid };
            let facts = BoardFacts { notes: vec![note], ..BoardFacts::plain(Heading::New) };
            notify_readers(tx, app, &board, facts, now).await?;
        }
    }
    Ok(())
}
