//! Coalescing of board mails: an unsent mail about a board is merged into a newer one to the same address.
//!
//! The newer mail then also tells what only the older one would have told. A mail that may have left already is never
//! changed, so that sending it again sends the same bytes. [`can_coalesce`] is the one rule: it is asked when a mail is
//! queued, when mails are leased, and just before a mail is sent. Knows nothing of how mails are built or sent.

use crate::app::App;
use crate::boards::Board;
use crate::mailing::outbox::LeasedMail;
use crate::replies::{BoardFacts, Heading, Note, Ruling};
use knotpost_model::{Millis, OutboxKey, UserKey};
use knotpost_storage::{CoalescedMail, DroppedMail, OutboxRow, StoreError, WaitingMail, WriteTx};

/// Coalesces board mails that wait with newer ones that are about to be queued.
pub(crate) struct Coalescing<'w> {
    waiting: &'w [WaitingMail],
    /// Those that were dropped because the moves of the board changed.
    gone: &'w [DroppedMail],
    /// After how many moves the newer mails show the board.
    ply: i64,
    /// Whether the sides are exchanged then.
    is_swapped: bool,
    updated: Vec<CoalescedMail>,
    dropped: Vec<OutboxKey>,
}

impl<'w> Coalescing<'w> {
    pub(crate) fn new(waiting: &'w [WaitingMail], board: &'w Board) -> Self {
        let (gone, ply) = (board.dropped_mails.as_slice(), board.row.ply);
        let is_swapped = board.swap().is_some();
        Self { waiting, gone, ply, is_swapped, updated: Vec::new(), dropped: Vec::new() }
    }

    /// Coalesces the mails that wait for this user at this address with a newer one. The facts of the mail to be
    /// queued; `None`: one that waits shows the newer board instead.
    ///
    /// # Errors
    /// When the facts cannot be encoded.
    pub(crate) fn add(
        &mut self,
        reader: (UserKey, &str),
        facts: &BoardFacts,
    ) -> Result<Option<String>, StoreError> {
        let (facts, mut older) = coalesce_waiting(self.waiting, reader, facts, self.ply);
        let gone = self.gone_for(reader, &facts);
        let merged = gone.into_iter().rev().fold(facts, |facts, (older, since)| merge(facts, older, since));
        let facts = to_json(&merged)?;
        // The newest mail is updated in place, unless its Message-ID may have been seen.
        let updated = older.iter().rposition(|mail| mail.is_untouched).map(|index| older.remove(index).id);
        self.dropped.extend(older.into_iter().map(|mail| mail.id));
        let Some(mail) = updated else { return Ok(Some(facts)) };
        self.updated.push(CoalescedMail { mail, facts });
        Ok(None)
    }

    /// What was said in dropped mails to a reader who gets no mail with `facts`: the facts of a mail that says no more.
    pub(crate) fn words_for(&self, reader: (UserKey, &str), facts: &BoardFacts) -> Option<BoardFacts> {
        let gone = self.gone_for(reader, facts).into_iter();
        let mut words: Vec<_> = gone.flat_map(|(older, _)| older.remarks().collect::<Vec<_>>()).collect();
        words.sort_by_key(|remark| remark.0);
        words.dedup();
        let last = words.pop()?;
        Some(BoardFacts { remark: Some(last), earlier: words, ..BoardFacts::plain(Heading::Chat) })
    }

    /// The facts of the dropped mails to this user at this address that one with `facts` stands for, the oldest first, and
    /// how many moves were made since; taken back, it is less than none.
    fn gone_for(&self, (user, recipient): (UserKey, &str), facts: &BoardFacts) -> Vec<(BoardFacts, i64)> {
        let is_theirs = |mail: &&DroppedMail| mail.user_id == Some(user) && mail.recipient == recipient;
        let mut gone = Vec::new();
        for mail in self.gone.iter().filter(is_theirs) {
            // As with a mail that waits: facts that cannot be read must not stop the game.
            if let Ok(mut older) = from_json(&mail.facts)
                && can_coalesce(&older, facts)
            {
                // The swap may be among the moves that were taken back.
                older.notes.retain(|note| self.is_swapped || !matches!(note, Note::Swapped { .. }));
                gone.push((older, self.ply - mail.ply));
            }
        }
        gone
    }

    /// Writes what became of the mails that waited.
    pub(crate) async fn write(self, tx: &mut WriteTx, now: Millis) -> Result<(), StoreError> {
        tx.drop_coalesced_mails(&self.dropped, now).await?;
        tx.update_coalesced_mails(&self.updated, self.ply, now).await
    }
}

/// Coalesces a board mail that is about to be sent with a newer one to the same address that waits and was certainly not
/// delivered, and says whether it did.
///
/// # Errors
/// When the database fails, or the facts of a mail cannot be read.
pub async fn coalesce_before_sending(app: &App, mail: &LeasedMail) -> Result<bool, StoreError> {
    let row = &mail.row;
    let (Some(board), Some(ply), Some(facts)) = (row.board_id, row.ply, &row.facts) else { return Ok(false) };
    let older = from_json(facts)?;
    if !is_replaceable(&older) {
        return Ok(false);
    }
    let (key, recipient, now) = (row.id, row.recipient.clone(), app.clock.now());
    app.store
        .write_queue(move |tx| {
            let (older, recipient) = (older.clone(), recipient.clone());
            Box::pin(async move {
                let Some(newer) = tx.newer_waiting_mail(board, &recipient, ply).await? else {
                    return Ok(false);
                };
                let facts = from_json(&newer.facts)?;
                if !can_coalesce(&older, &facts) {
                    return Ok(false);
                }
                let merged = merge(facts, older, newer.ply - ply);
                // A process that has leased it meanwhile sends its former facts.
                if !tx.coalesce_into_waiting(newer.id, (&newer.facts, &to_json(&merged)?), now).await? {
                    return Ok(false);
                }
                tx.finish_outbox(key, "dropped", Some("superseded"), now).await?;
                Ok(true)
            })
        })
        .await
}

/// Coalesces mails that were leased together: those about one board to one address are merged into the newest and
/// dropped, if that one was certainly not delivered before. The mails that are left.
pub(super) async fn coalesce_leased(
    tx: &mut WriteTx,
    mut rows: Vec<OutboxRow>,
    now: Millis,
) -> Result<Vec<OutboxRow>, StoreError> {
    let mut index = 0;
    while let Some(row) = rows.get(index) {
        let Some((newest, merged)) = find_newest(&rows, row) else {
            index += 1;
            continue;
        };
        let (older, newer) = (row.id, &mut rows[newest]);
        tx.coalesce_into_leased(newer.id, &merged).await?;
        newer.facts = Some(merged);
        tx.finish_outbox(older, "dropped", Some("superseded"), now).await?;
        rows.remove(index);
    }
    Ok(rows)
}

/// The newest mail that this one can be coalesced with, and the merged facts.
fn find_newest(rows: &[OutboxRow], row: &OutboxRow) -> Option<(usize, String)> {
    let (board, ply, facts) = (row.board_id?, row.ply?, row.facts.as_deref()?);
    let is_newer = |other: &OutboxRow| {
        other.board_id == Some(board) && other.recipient == row.recipient && other.ply > Some(ply)
    };
    let candidates =
        rows.iter().enumerate().filter(|(_, other)| is_newer(other) && other.unsure_attempts == 1);
    let (index, newest) = candidates.max_by_key(|(_, other)| (other.ply, other.id))?;
    // A mail whose facts cannot be read is set aside when it is built.
    let (older, newer) = (from_json(facts).ok()?, from_json(newest.facts.as_deref()?).ok()?);
    if !can_coalesce(&older, &newer) {
        return None;
    }
    Some((index, to_json(&merge(newer, older, newest.ply? - ply)).ok()?))
}

/// The facts of a new mail about a board after `ply` moves, merged with those of `waiting` to the same user at the same
/// address, and the mails that were merged.
fn coalesce_waiting<'w>(
    waiting: &'w [WaitingMail],
    (user, recipient): (UserKey, &str),
    facts: &BoardFacts,
    ply: i64,
) -> (BoardFacts, Vec<&'w WaitingMail>) {
    let (mut facts, mut coalesced) = (facts.clone(), Vec::new());
    if !is_complete(&facts) {
        return (facts, coalesced);
    }
    let is_theirs = |mail: &&WaitingMail| mail.user_id == Some(user) && mail.recipient == recipient;
    for mail in waiting.iter().filter(is_theirs).filter(|mail| mail.ply < ply) {
        // A mail whose facts cannot be read is set aside when it is built; it must not stop the game.
        if let Ok(older) = from_json(&mail.facts)
            && can_coalesce(&older, &facts)
        {
            facts = merge(facts, older, ply - mail.ply);
            coalesced.push(mail);
        }
    }
    (facts, coalesced)
}

/// The rule: whether an older board mail need not be sent when [`merge`] adds what it says to the newer one.
fn can_coalesce(older: &BoardFacts, newer: &BoardFacts) -> bool {
    is_replaceable(older) && is_complete(newer)
}

/// Whether a newer board mail can say all that one like this says.
fn is_replaceable(older: &BoardFacts) -> bool {
    matches!(older.heading, Heading::New | Heading::Summary | Heading::Chat | Heading::Show)
}

/// Whether a mail like this says all that matters about the board.
fn is_complete(newer: &BoardFacts) -> bool {
    matches!(newer.heading, Heading::Summary | Heading::New)
}

fn from_json(facts: &str) -> Result<BoardFacts, StoreError> {
    serde_json::from_str(facts).map_err(|error| StoreError::Corrupt(error.to_string()))
}

fn to_json(facts: &BoardFacts) -> Result<String, StoreError> {
    serde_json::to_string(facts).map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// Adds to the newer mail the comments of the older one, its notes that still hold, all moves since, and what only the
/// mail of a new board says. `moves_since` is less than none when moves were taken back.
fn merge(newer: BoardFacts, older: BoardFacts, moves_since: i64) -> BoardFacts {
    let mut merged = newer;
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
    merged.begins |= older.begins || older.heading == Heading::New;
    merged
}

/// Whether a note still holds after further moves. Proposals are void then; who is away or gets no mail is
/// listed anew.
fn lasts(note: &Note) -> bool {
    match note {
        Note::Restarted { .. }
        | Note::Left { .. }
        | Note::Unrated
        | Note::Swapped { .. }
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
    use knotpost_model::{OutboxKey, RemarkKey};

    #[test]
    fn a_mail_coalesces_those_for_the_same_user_at_the_same_address() {
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
            // A user who shares the address gets a mail of their own.
            waiting(11, Some(bob), "home@x.example", 3, &facts),
            waiting(12, Some(ann), "work@x.example", 3, &facts),
            waiting(13, None, "home@x.example", 3, &facts),
            waiting(14, Some(ann), "home@x.example", 4, "broken"),
            waiting(15, Some(ann), "home@x.example", 4, &facts),
            waiting(16, Some(ann), "home@x.example", 5, &facts),
        ];
        let newer = BoardFacts { made: 1, ..BoardFacts::plain(Heading::Summary) };
        let (facts, older) = coalesce_waiting(&waiting, (ann, "home@x.example"), &newer, 5);
        assert_eq!(older.iter().map(|mail| mail.id.0).collect::<Vec<_>>(), [10, 15]);
        assert_eq!(facts.made, 2);
        let nag = BoardFacts::plain(Heading::Nag);
        assert!(coalesce_waiting(&waiting, (ann, "home@x.example"), &nag, 5).1.is_empty());
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
        let newer = BoardFacts {
            remark: Some(RemarkKey(9)),
            earlier: vec![RemarkKey(5)],
            notes: vec![Note::Paired],
            made: 1,
            ..BoardFacts::plain(Heading::Summary)
        };
        let merged = merge(newer, older, 4);
        assert_eq!(merged.earlier, [RemarkKey(3), RemarkKey(5), RemarkKey(7)]);
        assert_eq!(merged.remark, Some(RemarkKey(9)));
        assert_eq!(merged.notes, [Note::Unrated, Note::Paired]);
        assert_eq!((merged.made, merged.heading, merged.begins), (6, Heading::Summary, true));
    }

    #[test]
    fn moves_that_were_taken_back_are_not_listed() {
        let facts = |made| BoardFacts { made, ..BoardFacts::plain(Heading::Summary) };
        for (older, since, made) in [(3, -1, 2), (1, -1, 0), (1, -2, 0), (1, 0, 1)] {
            assert_eq!(merge(facts(0), facts(older), since).made, made);
        }
    }
}
