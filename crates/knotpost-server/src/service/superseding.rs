//! Board mails that wait while the board moves on: the older gives way to the newer, which takes over what only the
//! older one would have told. Nothing is taken over by a mail that may have left already, so that a mail that is
//! sent again still says the same.

use super::post::{BoardFacts, Heading, Note, Ruling};
use crate::app::App;
use crate::store::{OutboxRow, StoreError};

/// Drops this board mail if a newer one to the same address waits untouched, and says whether it did.
///
/// # Errors
/// When the database fails, or the facts of a mail cannot be read.
pub async fn give_way(app: &App, row: &OutboxRow) -> Result<bool, StoreError> {
    let (Some(board), Some(ply), Some(facts)) = (row.board_id, row.ply, &row.facts) else { return Ok(false) };
    let older = read(facts)?;
    if !matches!(older.heading, Heading::New | Heading::Summary | Heading::Chat | Heading::Show) {
        return Ok(false);
    }
    let waits = app.store.glance().await?.newer_board_mail(board, &row.recipient, ply).await?;
    if waits.is_none() {
        return Ok(false);
    }
    let (key, recipient, now) = (row.id, row.recipient.clone(), app.clock.now());
    app.store
        .write(move |tx| {
            let (older, recipient) = (older.clone(), recipient.clone());
            Box::pin(async move {
                let Some(newer) = tx.newer_board_mail(board, &recipient, ply).await? else {
                    return Ok(false);
                };
                let facts = read(&newer.facts)?;
                if !matches!(facts.heading, Heading::Summary | Heading::New) {
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
    use crate::domain::RemarkKey;

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
