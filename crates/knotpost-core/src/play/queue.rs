//! Queued moves: storing and playing them.

use knotpost_rules::Turn;
use serde::Serialize;

use crate::app::App;
use crate::boards::board::Standing;
use crate::boards::{Board, Entry, Games, ServiceError};
use crate::mailing::post::post_to_user;
use crate::play::moves::exchange_users;
use crate::replies::{Content, Facts, Reply};
use knotpost_model::{Millis, MoveKind};
use knotpost_storage::{QueuedMoveRow, StoreError, WriteTx};

pub(crate) const SWAPPED: &str = "the players have changed sides";
pub(crate) const TAKEN_BACK: &str = "a move was taken back";

#[derive(Debug, Serialize)]
struct QueueStatus {
    title: String,
    number: u32,
    moves: Vec<String>,
    #[serde(skip)]
    dropped: Option<String>,
}

impl Content for QueueStatus {
    const TEMPLATE: &'static str = "queue";

    fn facts(&self) -> Facts {
        Facts::of(self).prose("dropped", self.dropped.as_ref().map(|why| format!("{why}.")))
    }
}

pub(crate) fn word(row: &QueuedMoveRow) -> String {
    let condition = row.condition.as_ref().map(|reply| format!("if:{reply} ")).unwrap_or_default();
    let number = row.number.map(|number| format!("#{number}")).unwrap_or_default();
    format!("{condition}{}{number}", row.text)
}

pub(crate) fn told(board: &Board, rows: &[QueuedMoveRow], dropped: Option<String>) -> Reply {
    let (title, number) = (board.title().to_owned(), board.row.number as u32);
    Reply::from(QueueStatus { title, number, moves: rows.iter().map(word).collect(), dropped })
}

pub(crate) async fn forget(tx: &mut WriteTx, board: &mut Board, seat: Option<i64>) -> Result<(), StoreError> {
    tx.delete_queue(board.row.id, seat).await?;
    for row in board.seats.iter_mut().filter(|row| seat.is_none_or(|seat| row.seat == seat)) {
        row.queued = false;
    }
    Ok(())
}

/// Clears all queues of a board and mails their owners the reason. Must run before seats are exchanged.
pub(crate) async fn drop_all(
    tx: &mut WriteTx,
    app: &App,
    board: &mut Board,
    why: &str,
    now: Millis,
) -> Result<(), StoreError> {
    let owners: Vec<_> = board.seats.iter().filter(|row| row.queued).cloned().collect();
    for row in owners {
        let queue = tx.queued_moves(board.row.id, row.seat).await?;
        if !queue.is_empty() {
            post_to_user(tx, app, &told(board, &queue, Some(why.to_owned())), row.user_id, now).await?;
        }
        forget(tx, board, Some(row.seat)).await?;
    }
    Ok(())
}

/// Plays the next queued move of the seat to move. `false`: none fits, so the board waits.
pub(crate) async fn play_next(
    tx: &mut WriteTx,
    app: &App,
    board: &mut Board,
    now: Millis,
) -> Result<bool, ServiceError> {
    let Standing::ToMove(next) = board.standing() else {
        if board.seats.iter().any(|seat| seat.queued) {
            forget(tx, board, None).await?;
        }
        return Ok(false);
    };
    let seat = i64::from(next.number());
    let Some(row) = board.seats.iter().find(|row| row.seat == seat && row.queued).cloned() else {
        return Ok(false);
    };
    let queue = tx.queued_moves(board.row.id, seat).await?;
    let Some(first) = queue.first() else { return Ok(false) };
    let next_number = board.next_number();
    let problem = if let Some(number) = first.number.filter(|number| *number != next_number) {
        Some(format!("`{}` was to be move {number}, but your turn is move {next_number}", first.text))
    } else if condition_holds(&app.games, board, seat, first)? {
        let played = board.play(Turn::from_word(&first.text), false, now);
        played.err().map(|error| error.to_string())
    } else {
        let condition = first.condition.as_deref().unwrap_or_default();
        Some(format!("the reply was not `{condition}`"))
    };
    if let Some(problem) = problem {
        let reply = told(board, &queue, Some(problem));
        forget(tx, board, Some(seat)).await?;
        post_to_user(tx, app, &reply, row.user_id, now).await?;
        return Ok(false);
    }
    tx.delete_queued(board.row.id, seat, first.place).await?;
    if board.entries.last().is_some_and(|entry| entry.row.kind == MoveKind::Swap) {
        if queue.len() == 1 {
            forget(tx, board, Some(seat)).await?;
        }
        drop_all(tx, app, board, SWAPPED, now).await?;
        exchange_users(tx, board).await?;
    } else if queue.len() == 1 {
        forget(tx, board, Some(seat)).await?;
    }
    Ok(true)
}

/// True if the reply was the expected one, in any spelling.
fn condition_holds(games: &Games, board: &Board, seat: i64, row: &QueuedMoveRow) -> Result<bool, StoreError> {
    let Some(expected) = &row.condition else { return Ok(true) };
    let Some((index, reply)) = find_reply(board.entries.iter(), seat, row.ply) else { return Ok(false) };
    let mut before = board.at(games, index)?;
    let played = before.position.play(Turn::from_word(expected));
    Ok(played.is_ok_and(|played| played.canonical == reply.row.text))
}

/// First move of another seat since the seat's own last one and since ply `ply`. Automatic moves and
/// resignations are no replies.
fn find_reply<'a, I>(entries: I, seat: i64, ply: i64) -> Option<(usize, &'a Entry)>
where
    I: DoubleEndedIterator<Item = &'a Entry> + ExactSizeIterator + Clone,
{
    let made = |entry: &Entry| {
        !entry.row.auto && matches!(entry.row.kind, MoveKind::Move | MoveKind::Pass | MoveKind::Swap)
    };
    let own = entries.clone().rposition(|entry| entry.row.seat == seat && made(entry));
    let since = own.map_or(0, |index| index + 1).max(usize::try_from(ply).unwrap_or(0));
    let mut later = entries.enumerate().skip(since);
    later.find(|(_, entry)| entry.row.seat != seat && made(entry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_storage::MoveRow;

    fn entry(number: i64, seat: i64, kind: MoveKind, auto: bool) -> Entry {
        let row = MoveRow { number, seat, kind, text: String::new(), auto, at: Millis(0) };
        Entry { row, text: String::new(), gain: 0 }
    }

    fn reply(entries: &[Entry], seat: i64, ply: i64) -> Option<usize> {
        find_reply(entries.iter(), seat, ply).map(|(index, _)| index)
    }

    #[test]
    fn a_reply_is_made_by_another_after_the_own_move_and_after_queueing() {
        let entries: Vec<Entry> = [1, 2, 3, 1]
            .into_iter()
            .zip(1..)
            .map(|(seat, n)| entry(n, seat, MoveKind::Move, false))
            .collect();
        assert_eq!(reply(&entries, 2, 0), Some(2));
        assert_eq!(reply(&entries, 2, 3), Some(3));
        assert_eq!(reply(&entries, 2, 4), None);
        assert_eq!(reply(&entries, 1, 0), None);
    }

    #[test]
    fn what_the_server_plays_and_giving_up_are_no_replies() {
        let entries = [
            entry(1, 1, MoveKind::Move, false),
            entry(2, 2, MoveKind::Pass, true),
            entry(3, 3, MoveKind::Resign, false),
            entry(4, 1, MoveKind::Pass, true),
            entry(5, 2, MoveKind::Pass, false),
        ];
        assert_eq!(reply(&entries[..4], 1, 0), None);
        assert_eq!(reply(&entries, 1, 0), Some(4), "the own pass was the server's too");
    }
}
