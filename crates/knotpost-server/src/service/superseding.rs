//! Board mails that wait while the board moves on: the older gives way to the newer, which takes over what only the
//! older one would have told. Nothing is taken over by a mail that may have left already, so that a mail that is
//! sent again still says the same.

use super::post::{BoardFacts, Heading, Note, Ruling};
use crate::app::App;
use crate::domain::{Millis, UserKey};
use crate::store::{OutboxRow, StoreError, Tx, WaitingMail};

/// Drops this board mail if a newer one to the same address waits untouched, and says whether it did.
///
/// # Errors
/// When the database fails, or the facts of a mail cannot be read.
pub async fn give_way(app: &App, row: &OutboxRow) -> Result<bool, StoreError> {
    let (Some(board), Some(ply), Some(facts)) = (row.board_id, row.ply, &row.facts) else { return Ok(false) };
    let older = read(facts)?;
    if !gives_way(&older) {
        return Ok(false);
    }
    let (key, recipient, now) = (row.id, row.recipient.clone(), app.clock.now());
    app.store
        .write_queue(move |tx| {
            let (older, recipient) = (older.clone(), recipient.clone());
            Box::pin(async move {
                let Some(newer) = tx.newer_board_mail(board, &recipient, ply).await? else {
                    return Ok(false);
                };
                let facts = read(&newer.facts)?;
                if !takes_over(&facts) {
                    return Ok(false);
                }
                let merged = take_over(facts, older, newer.ply - ply);
                let merged =
                    serde_json::to_string(&merged).map_err(|error| StoreError::Corrupt(error.to_string()))?;
                // Untouched still: whoever leased it meanwhile sends what it said before.
                if !tx.replace_outbox_facts(newer.id, &newer.facts, &merged).await? {
                    return Ok(false);
                }
                tx.finish_outbox(key, "dropped", Some("superseded"), now).await?;
                Ok(true)
            })
        })
        .await
}

/// Of mails that were taken together, those about one board to one address give way to the newest, if that was never
/// tried before: it takes over from them, and they are dropped. Those that are left.
///
/// # Errors
/// When the database fails.
pub async fn give_way_among(
    tx: &mut Tx,
    mut rows: Vec<OutboxRow>,
    now: Millis,
) -> Result<Vec<OutboxRow>, StoreError> {
    let mut index = 0;
    while let Some(row) = rows.get(index) {
        let Some((newest, merged)) = newest_over(&rows, row) else {
            index += 1;
            continue;
        };
        let (older, newer) = (row.id, &mut rows[newest]);
        tx.set_outbox_facts(newer.id, &merged).await?;
        newer.facts = Some(merged);
        tx.finish_outbox(older, "dropped", Some("superseded"), now).await?;
        rows.remove(index);
    }
    Ok(rows)
}

/// Which of these this one gives way to, and what that one then says.
fn newest_over(rows: &[OutboxRow], row: &OutboxRow) -> Option<(usize, String)> {
    let (board, ply, facts) = (row.board_id?, row.ply?, row.facts.as_deref()?);
    let is_newer = |other: &OutboxRow| {
        other.board_id == Some(board) && other.recipient == row.recipient && other.ply > Some(ply)
    };
    let candidates = rows.iter().enumerate().filter(|(_, other)| is_newer(other) && other.attempts == 1);
    let (index, newest) = candidates.max_by_key(|(_, other)| (other.ply, other.id))?;
    // What cannot be read is set aside when its turn comes.
    let (older, newer) = (read(facts).ok()?, read(newest.facts.as_deref()?).ok()?);
    if !gives_way(&older) || !takes_over(&newer) {
        return None;
    }
    let merged = take_over(newer, older, newest.ply? - ply);
    Some((index, serde_json::to_string(&merged).ok()?))
}

/// The facts of a new mail about a board after `ply` moves, which takes over from those of `waiting` that go to the
/// same reader at the same address, and which mails those are.
pub(super) fn take_over_from<'w>(
    waiting: &'w [WaitingMail],
    (user, recipient): (UserKey, &str),
    facts: &BoardFacts,
    ply: i64,
) -> (BoardFacts, Vec<&'w WaitingMail>) {
    let (mut facts, mut superseded) = (facts.clone(), Vec::new());
    if !takes_over(&facts) {
        return (facts, superseded);
    }
    let is_his = |mail: &&WaitingMail| mail.user_id == Some(user) && mail.recipient == recipient;
    for mail in waiting.iter().filter(is_his).filter(|mail| mail.ply < ply) {
        // One that cannot be read is set aside when its turn comes; it must not stop the game.
        if let Ok(older) = read(&mail.facts)
            && gives_way(&older)
        {
            facts = take_over(facts, older, ply - mail.ply);
            superseded.push(mail);
        }
    }
    (facts, superseded)
}

/// Whether a newer mail about the board makes one like this superfluous.
fn gives_way(older: &BoardFacts) -> bool {
    matches!(older.heading, Heading::New | Heading::Summary | Heading::Chat | Heading::Show)
}

/// Whether one like this tells all that matters of the board.
fn takes_over(newer: &BoardFacts) -> bool {
    matches!(newer.heading, Heading::Summary | Heading::New)
}

fn read(facts: &str) -> Result<BoardFacts, StoreError> {
    serde_json::from_str(facts).map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// What the newer mail tells when the older one is never sent: what was said, what happened to the board, and all
/// moves since. What only the mail of a new board tells is told as well.
fn take_over(newer: BoardFacts, older: BoardFacts, moves_since: i64) -> BoardFacts {
    let mut merged = newer;
    merged.earlier.extend(older.earlier);
    merged.earlier.extend(older.remark);
    merged.earlier.sort_by_key(|remark| remark.0);
    merged.earlier.dedup();
    // What an administrator did last tells whether a board goes on.
    let is_ruled = merged.notes.iter().any(|note| matches!(note, Note::Ruled { .. }));
    let is_old_ruling = |note: &Note| {
        is_ruled && matches!(note, Note::Ruled { ruling: Ruling::Paused | Ruling::Resumed, .. })
    };
    let lasting = older.notes.into_iter().filter(|note| lasts(note) && !is_old_ruling(note));
    let mut notes: Vec<Note> = lasting.filter(|note| !merged.notes.contains(note)).collect();
    notes.append(&mut merged.notes);
    merged.notes = notes;
    let since = usize::try_from(moves_since).unwrap_or(0);
    merged.made = merged.made.max(older.made.saturating_add(since));
    merged.begins |= older.begins || older.heading == Heading::New;
    merged
}

/// Whether it is still worth telling after further moves. Proposals are void then, and who is away is told anew.
fn lasts(note: &Note) -> bool {
    match note {
        Note::Restarted { .. }
        | Note::Unrated
        | Note::Swapped { .. }
        | Note::Paired
        | Note::Forfeited { .. }
        | Note::NeverMoved { .. }
        | Note::SilentDraw
        | Note::Stopped { .. }
        | Note::Ruled { .. }
        | Note::Agreed { .. } => true,
        Note::Reminder { .. }
        | Note::Away { .. }
        | Note::Proposed { .. }
        | Note::Rejected { .. }
        | Note::Submitted { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{OutboxKey, RemarkKey};

    #[test]
    fn a_mail_takes_over_from_those_for_the_same_reader_at_the_same_address() {
        let facts = serde_json::to_string(&BoardFacts::plain(Heading::Summary)).unwrap();
        let waiting = |id, user, recipient: &str, ply, facts: &str| WaitingMail {
            id: OutboxKey(id),
            recipient: recipient.to_owned(),
            user_id: user,
            ply,
            facts: facts.to_owned(),
            is_untouched: true,
        };
        let (ann, bob) = (UserKey(1), UserKey(2));
        let waiting = [
            waiting(10, Some(ann), "home@x.example", 3, &facts),
            // Who shares the address gets his own.
            waiting(11, Some(bob), "home@x.example", 3, &facts),
            waiting(12, Some(ann), "work@x.example", 3, &facts),
            waiting(13, None, "home@x.example", 3, &facts),
            waiting(14, Some(ann), "home@x.example", 4, "broken"),
            waiting(15, Some(ann), "home@x.example", 4, &facts),
            waiting(16, Some(ann), "home@x.example", 5, &facts),
        ];
        let newer = BoardFacts { made: 1, ..BoardFacts::plain(Heading::Summary) };
        let (facts, older) = take_over_from(&waiting, (ann, "home@x.example"), &newer, 5);
        assert_eq!(older.iter().map(|mail| mail.id.0).collect::<Vec<_>>(), [10, 15]);
        assert_eq!(facts.made, 2);
        let nag = BoardFacts::plain(Heading::Nag);
        assert!(take_over_from(&waiting, (ann, "home@x.example"), &nag, 5).1.is_empty());
    }

    #[test]
    fn words_and_lasting_notes_are_taken_over_in_the_order_in_which_they_came() {
        let older = BoardFacts {
            remark: Some(RemarkKey(7)),
            earlier: vec![RemarkKey(3)],
            notes: vec![
                Note::Unrated,
                Note::Rejected { by: "ann".into(), kind: crate::domain::ProposalKind::Draw },
            ],
            made: 2,
            ..BoardFacts::plain(Heading::New)
        };
        let newer = BoardFacts {
            remark: Some(RemarkKey(9)),
            earlier: vec![RemarkKey(5)],
            notes: vec![Note::Paired],
            made: 1,
            ..BoardFacts::plain(Heading::Summary)
        };
        let merged = take_over(newer, older, 4);
        assert_eq!(merged.earlier, [RemarkKey(3), RemarkKey(5), RemarkKey(7)]);
        assert_eq!(merged.remark, Some(RemarkKey(9)));
        assert_eq!(merged.notes, [Note::Unrated, Note::Paired]);
        assert_eq!((merged.made, merged.heading, merged.begins), (6, Heading::Summary, true));
    }
}
