//! Coalescing of board mails: an unsent mail about a board is merged into a newer one to the same reader.
//!
//! The newer mail then also tells what only the older one would have told. A mail that may have left already is never
//! changed, so that sending it again sends the same bytes. What a mail says of the reader's other boards is noted as well
//! when it is leased for the first time. [`can_coalesce`] is the one rule: it is asked when mails are
//! leased, and for mails that were dropped because moves were taken back. Knows nothing of how mails are built or sent.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use crate::boards::Board;
use crate::replies::{BoardFacts, Heading, Note, Ruling};
use knotpost_model::{Millis, OutboxKey, UserKey};
use knotpost_storage::{OutboxRow, StoreError, WriteTx};

/// Merges leased mails about the same board to the same user at the same address into the newest of them that was
/// certainly not delivered, and drops the older ones. Returns those that are left, in the order in which they were queued.
pub(super) async fn coalesce_leased(
    tx: &mut WriteTx,
    mut rows: Vec<OutboxRow>,
    now: Millis,
) -> Result<Vec<OutboxRow>, StoreError> {
    rows.sort_unstable_by_key(|row| Reverse((row.ply, row.id)));
    let waiting = count_others(tx, &rows).await?;
    let (mut rows, mut left) = (VecDeque::from(rows), Vec::new());
    while let Some(mut newest) = rows.pop_front() {
        let others = waiting.get(&newest.id).copied().unwrap_or_default();
        if let Some((facts, older)) = write_anew(&newest, &mut rows, others) {
            let facts = to_json(&facts)?;
            tx.coalesce_outbox(newest.id, &facts, &older, now).await?;
            newest.facts = Some(facts);
        }
        left.push(newest);
    }
    left.sort_unstable_by_key(|row| row.id);
    Ok(left)
}

/// Numbers of other boards that wait for the readers of these mails.
async fn count_others(tx: &mut WriteTx, rows: &[OutboxRow]) -> Result<HashMap<OutboxKey, i64>, StoreError> {
    let is_new = |row: &&OutboxRow| row.attempts == 1 && row.board_id.is_some();
    let new: Vec<OutboxKey> = rows.iter().filter(is_new).map(|row| row.id).collect();
    if new.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(tx.boards_waiting_beside(&new).await?.into_iter().collect())
}

/// The facts of a mail, merged with those of the mails that give way to it and with the number of the reader's other boards;
/// `None`: it stays as it is.
fn write_anew(
    newest: &OutboxRow,
    rows: &mut VecDeque<OutboxRow>,
    others: i64,
) -> Option<(BoardFacts, Vec<OutboxKey>)> {
    let merged = take_older(newest, rows);
    if others == 0 {
        return merged;
    }
    let (mut facts, older) = match merged {
        Some(merged) => merged,
        None => (from_json(newest.facts.as_deref()?).ok()?, Vec::new()),
    };
    if !older.is_empty() || tells_of_others(facts.heading) {
        if tells_of_others(facts.heading) {
            facts.others_waiting = others;
        }
        return Some((facts, older));
    }
    None
}

/// True if such a mail says how many other boards wait.
fn tells_of_others(heading: Heading) -> bool {
    matches!(heading, Heading::Summary | Heading::New | Heading::Nag)
}

/// Takes out the mails that give way to this one, and returns the merged facts; `None`: none does. `rows` are sorted, the
/// newest first.
fn take_older(newest: &OutboxRow, rows: &mut VecDeque<OutboxRow>) -> Option<(BoardFacts, Vec<OutboxKey>)> {
    let key = |row: &OutboxRow| (row.board_id, row.user_id);
    let ply = newest.ply.filter(|_| newest.board_id.is_some() && newest.unsure_attempts == 1)?;
    // A mail whose facts cannot be read is set aside when it is built.
    let mut merged = from_json(newest.facts.as_deref()?).ok()?;
    let mut older = Vec::new();
    rows.retain(|row| {
        let Some(since) = row.ply.map(|of_row| ply - of_row).filter(|since| *since > 0) else { return true };
        if key(row) != key(newest) || row.recipient != newest.recipient {
            return true;
        }
        let Some(facts) = row.facts.as_deref().and_then(|facts| from_json(facts).ok()) else { return true };
        if !can_coalesce(&facts, &merged) {
            return true;
        }
        merge(&mut merged, facts, since);
        older.push(row.id);
        false
    });
    (!older.is_empty()).then_some((merged, older))
}

/// The facts of a mail to this user at this address, merged with those of the mails it stands for that were dropped because
/// moves of the board were taken back.
pub(crate) fn with_dropped(board: &Board, reader: (UserKey, &str), mut facts: BoardFacts) -> BoardFacts {
    for (older, since) in dropped_for(board, reader, &facts).into_iter().rev() {
        merge(&mut facts, older, since);
    }
    facts
}

/// Remarks of dropped mails to a reader who gets no mail with `facts`: the facts of a mail that says no more.
pub(crate) fn dropped_words(
    board: &Board,
    reader: (UserKey, &str),
    facts: &BoardFacts,
) -> Option<BoardFacts> {
    let dropped = dropped_for(board, reader, facts).into_iter();
    let mut words: Vec<_> = dropped.flat_map(|(older, _)| older.remarks()).collect();
    words.sort_by_key(|remark| remark.0);
    words.dedup();
    let last = words.pop()?;
    Some(BoardFacts { remark: Some(last), earlier: words, ..BoardFacts::plain(Heading::Chat) })
}

/// The facts of the dropped mails to this user at this address that one with `facts` stands for, the oldest first, and
/// how many moves were made since; taken back, it is less than none.
fn dropped_for(
    board: &Board,
    (user, recipient): (UserKey, &str),
    facts: &BoardFacts,
) -> Vec<(BoardFacts, i64)> {
    let is_swapped = board.swap().is_some();
    let mut dropped = Vec::new();
    for mail in &board.dropped_mails {
        // Facts that cannot be read must not stop the game.
        if mail.user_id == Some(user)
            && mail.recipient == recipient
            && let Ok(mut older) = from_json(&mail.facts)
            && can_coalesce(&older, facts)
        {
            // The swap may be among the moves that were taken back.
            older.notes.retain(|note| is_swapped || !matches!(note, Note::Swapped { .. }));
            dropped.push((older, board.row.ply - mail.ply));
        }
    }
    dropped
}

/// The rule: whether an older board mail need not be sent when [`merge`] adds what it says to the newer one.
fn can_coalesce(older: &BoardFacts, newer: &BoardFacts) -> bool {
    // A newer board mail can say all that these say, and says all that matters about the board.
    matches!(older.heading, Heading::New | Heading::Summary | Heading::Chat | Heading::Show)
        && matches!(newer.heading, Heading::Summary | Heading::New)
}

fn from_json(facts: &str) -> Result<BoardFacts, StoreError> {
    serde_json::from_str(facts).map_err(|error| StoreError::Corrupt(error.to_string()))
}

fn to_json(facts: &BoardFacts) -> Result<String, StoreError> {
    serde_json::to_string(facts).map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// Adds to the newer mail the comments of the older one, its notes that still hold, all moves since, and what only the
/// mail of a new board says. `moves_since` is less than none when moves were taken back.
fn merge(merged: &mut BoardFacts, older: BoardFacts, moves_since: i64) {
    merged.earlier.extend(older.earlier);
    merged.earlier.extend(older.remark);
    merged.earlier.sort_by_key(|remark| remark.0);
    merged.earlier.dedup();
    // Of an administrator's rulings only the last says whether the board goes on.
    let is_ruled = merged.notes.iter().any(|note| matches!(note, Note::Ruled { .. }));
    let is_old_ruling = |note: &Note| {
        is_ruled && matches!(note, Note::Ruled { ruling: Ruling::Paused | Ruling::Resumed, .. })
    };
    let lasting = older.notes.into_iter().filter(|note| lasts(note) && !is_old_ruling(note));
    let mut notes: Vec<Note> = lasting.filter(|note| !merged.notes.contains(note)).collect();
    notes.append(&mut merged.notes);
    merged.notes = notes;
    let since = isize::try_from(moves_since).unwrap_or(0);
    merged.made = merged.made.max(older.made.saturating_add_signed(since));
    // A move that was not in sight is told, whatever its reader did since.
    merged.waits &= older.waits;
    merged.begins |= older.begins || older.heading == Heading::New;
}

/// True if a note still holds after further moves. Proposals are void then; who is away or gets no mail is
/// listed anew.
fn lasts(note: &Note) -> bool {
    match note {
        Note::Restarted { .. }
        | Note::Left { .. }
        | Note::Unrated
        | Note::Swapped { .. }
        | Note::Unheard { .. }
        | Note::Programs { .. }
        | Note::Substituted { .. }
        | Note::Paired
        | Note::Challenged { .. }
        | Note::Rematch { .. }
        | Note::Limits { .. }
        | Note::Forfeited { .. }
        | Note::NeverMoved { .. }
        | Note::SilentDraw
        | Note::Stopped { .. }
        | Note::Ruled { .. }
        | Note::OutOfTournament { .. }
        | Note::Deadline { .. }
        | Note::Awarded { .. }
        | Note::Agreed { .. } => true,
        Note::Reminder { .. }
        | Note::Away { .. }
        | Note::Suspended { .. }
        | Note::Unreached { .. }
        | Note::Proposed { .. }
        | Note::Rejected { .. }
        | Note::Submitted { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_model::RemarkKey;

    fn row(id: i64, user: i64, recipient: &str, ply: i64, facts: &BoardFacts) -> OutboxRow {
        OutboxRow {
            id: OutboxKey(id),
            kind: "board".to_owned(),
            recipient: recipient.to_owned(),
            user_id: Some(user),
            board_id: Some(1),
            ply: Some(ply),
            facts: Some(serde_json::to_string(facts).unwrap()),
            message_id: format!("{id}@here"),
            date: Millis(id),
            attempts: 1,
            unsure_attempts: 1,
        }
    }

    #[test]
    fn a_mail_takes_over_those_about_its_board_to_the_same_user_at_the_same_address() {
        let summary = BoardFacts { made: 1, ..BoardFacts::plain(Heading::Summary) };
        let newest = row(20, 1, "home@x.example", 5, &summary);
        let others = [
            row(16, 1, "home@x.example", 4, &summary),
            OutboxRow { facts: Some("broken".to_owned()), ..row(15, 1, "home@x.example", 4, &summary) },
            OutboxRow { board_id: Some(2), ..row(14, 1, "home@x.example", 4, &summary) },
            // A reminder does not give way, nor does what was said after the newest move.
            row(13, 1, "home@x.example", 3, &BoardFacts::plain(Heading::Nag)),
            row(21, 1, "home@x.example", 5, &BoardFacts::plain(Heading::Chat)),
            // A user who shares the address gets a mail of their own.
            row(12, 2, "home@x.example", 3, &summary),
            row(11, 1, "work@x.example", 3, &summary),
            // One that may have arrived gives way, too.
            OutboxRow { unsure_attempts: 2, ..row(10, 1, "home@x.example", 3, &summary) },
        ];
        let mut rows = VecDeque::from(others.clone());
        let (merged, older) = take_older(&newest, &mut rows).unwrap();
        assert_eq!((merged.made, older), (3, vec![OutboxKey(16), OutboxKey(10)]));
        assert_eq!(rows.iter().map(|row| row.id.0).collect::<Vec<_>>(), [15, 14, 13, 21, 12, 11]);
        for keeps in [
            // A mail that may have arrived never changes, and only a board that says all takes over.
            OutboxRow { unsure_attempts: 2, ..newest.clone() },
            row(20, 1, "home@x.example", 5, &BoardFacts::plain(Heading::Nag)),
            row(20, 1, "home@x.example", 5, &BoardFacts::plain(Heading::Chat)),
        ] {
            assert!(take_older(&keeps, &mut VecDeque::from(others.clone())).is_none(), "{keeps:?}");
        }
    }

    #[test]
    fn comments_and_lasting_notes_are_merged_in_the_order_in_which_they_came() {
        let older = BoardFacts {
            remark: Some(RemarkKey(7)),
            earlier: vec![RemarkKey(3)],
            notes: vec![
                Note::Unrated,
                Note::Rejected { by: "ann".into(), kind: knotpost_model::ProposalKind::Draw },
            ],
            made: 2,
            ..BoardFacts::plain(Heading::New)
        };
        let mut merged = BoardFacts {
            remark: Some(RemarkKey(9)),
            earlier: vec![RemarkKey(5)],
            notes: vec![Note::Paired],
            made: 1,
            ..BoardFacts::plain(Heading::Summary)
        };
        merge(&mut merged, older, 4);
        assert_eq!(merged.earlier, [RemarkKey(3), RemarkKey(5), RemarkKey(7)]);
        assert_eq!(merged.remark, Some(RemarkKey(9)));
        assert_eq!(merged.notes, [Note::Unrated, Note::Paired]);
        assert_eq!((merged.made, merged.heading, merged.begins), (6, Heading::Summary, true));
    }

    #[test]
    fn moves_that_were_taken_back_are_not_listed() {
        let facts = |made| BoardFacts { made, ..BoardFacts::plain(Heading::Summary) };
        for (older, since, made) in [(3, -1, 2), (1, -1, 0), (1, -2, 0), (1, 0, 1)] {
            let mut newer = facts(0);
            merge(&mut newer, facts(older), since);
            assert_eq!(newer.made, made);
        }
    }
}
