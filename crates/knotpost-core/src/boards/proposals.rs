//! The pending proposal of a board: open answers, the meaning of silence, and the ban on repeating it.

use crate::boards::time::end_of_answer;
use crate::boards::{Board, Code, Refusal};
use knotpost_model::{BoardState, Millis, ProposalKind, SeatState, UserKey};
use knotpost_storage::{ProposalRow, ReadTx, RefusedOffer, SeatRow, StoreError};

pub async fn pending_proposal(tx: &mut ReadTx, board: &Board) -> Result<Option<ProposalRow>, StoreError> {
    if board.row.state != BoardState::Active {
        return Ok(None);
    }
    let proposal = tx.proposal(board.row.id).await?;
    Ok(proposal.filter(|proposal| is_pending(proposal, board)))
}

/// False after any further move, which makes a proposal void.
pub(crate) fn is_pending(proposal: &ProposalRow, board: &Board) -> bool {
    board.row.state == BoardState::Active && proposal.ply == board.entries.len() as i64
}

pub(crate) fn user_to_move(board: &Board) -> Option<UserKey> {
    board.mover().map(|row| row.user_id)
}

/// Users still playing who have not agreed, one seat each; the proposer has agreed in all their seats.
fn still_asked<'a>(board: &'a Board, proposal: &ProposalRow) -> Vec<&'a SeatRow> {
    let agreed: Vec<i64> = proposal.seats_that_agreed().chain([proposal.seat]).collect();
    let users: Vec<_> =
        board.seats.iter().filter(|row| agreed.contains(&row.seat)).map(|row| row.user_id).collect();
    let absent = (proposal.kind == ProposalKind::Substitute).then(|| user_to_move(board)).flatten();
    let mut asked: Vec<&SeatRow> = Vec::new();
    for row in board.seats.iter().filter(|row| Some(row.user_id) != absent) {
        if row.state == SeatState::Playing
            && !users.contains(&row.user_id)
            && asked.iter().all(|other| other.user_id != row.user_id)
        {
            asked.push(row);
        }
    }
    asked
}

pub(crate) fn still_to_answer(board: &Board, proposal: &ProposalRow) -> Vec<String> {
    still_asked(board, proposal).into_iter().map(|row| row.userid.clone()).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) kind: ProposalKind,
    /// True if made by the player whose time is up.
    pub(crate) is_own: bool,
}

/// A player still to answer, other than the one whose time is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// End of vacation; in the past if not away.
    pub(crate) away_until: Millis,
    pub(crate) end: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    Forfeits,
    Draws,
    Waits(Millis),
}

/// Rule for silence. It never favours the silent: a draw counts as accepted on timeout only if somebody else
/// offered it, and nothing is decided while a player who must answer is away.
pub(crate) fn judge_silence(offer: Option<Offer>, asked: &[Asked], now: Millis) -> Silence {
    let Some(Offer { kind, is_own }) = offer else { return Silence::Forfeits };
    let later = |at: &Millis| *at > now;
    if let Some(back) = asked.iter().map(|player| player.away_until).filter(later).min() {
        return Silence::Waits(back);
    }
    if kind != ProposalKind::Draw || is_own {
        return Silence::Forfeits;
    }
    match asked.iter().map(|player| player.end).filter(later).min() {
        Some(end) => Silence::Waits(end),
        None => Silence::Draws,
    }
}

/// [`judge_silence`] for a board with its pauses loaded.
pub(crate) fn silence_on(board: &Board, proposal: Option<&ProposalRow>, now: Millis) -> Silence {
    let Some(proposal) = proposal else { return Silence::Forfeits };
    let mover = user_to_move(board);
    let asked: Vec<Asked> = still_asked(board, proposal)
        .into_iter()
        .filter(|row| Some(row.user_id) != mover)
        .map(|row| Asked {
            away_until: row.away_until.map(Millis).unwrap_or_default(),
            end: end_of_answer(board, row.user_id, proposal.at.min(now)),
        })
        .collect();
    let is_own = maker(board, proposal) == mover;
    judge_silence(Some(Offer { kind: proposal.kind, is_own }), &asked, now)
}

/// Player whose timeout would accept the proposal: the one to move, for a draw offered by another.
pub(crate) fn silent_player<'a>(board: &'a Board, proposal: &ProposalRow) -> Option<&'a str> {
    let mover = user_to_move(board).filter(|mover| maker(board, proposal) != Some(*mover))?;
    let row = still_asked(board, proposal).into_iter().find(|row| row.user_id == mover)?;
    (proposal.kind == ProposalKind::Draw).then_some(row.userid.as_str())
}

pub(crate) fn maker(board: &Board, proposal: &ProposalRow) -> Option<UserKey> {
    board.seat_row(proposal.seat).map(|row| row.user_id)
}

/// Refuses to repeat a refused offer before everybody still playing has moved.
pub(crate) fn check_repeated(
    board: &Board,
    refused: &[RefusedOffer],
    (user, kind): (UserKey, ProposalKind),
) -> Result<(), Refusal> {
    let Some(offer) = refused.iter().find(|offer| offer.user_id == user && offer.kind == kind) else {
        return Ok(());
    };
    let first = usize::try_from(offer.ply).unwrap_or_default();
    let has_moved =
        |seat: &SeatRow| (first..board.entries.len()).any(|index| board.present_seat(index) == seat.seat);
    if board.seats.iter().filter(|seat| seat.state == SeatState::Playing).all(has_moved) {
        return Ok(());
    }
    Err(Refusal::new(Code::Conflict, format!("you have proposed {kind} already, and it was refused"))
        .hint("You can propose that again when everybody who still plays has moved once more.")
        .hint("The others can propose it to you at any time."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_000);

    /// `here`: asked, and has time. `away`: on vacation. `late`: their time to answer is up.
    fn player(state: &str) -> Asked {
        let (away_until, end) = match state {
            "here" => (0, 1_500),
            "back" => (900, 1_700),
            "away" => (2_000, 2_500),
            "late" => (0, 1_000),
            _ => unreachable!("{state}"),
        };
        Asked { away_until: Millis(away_until), end: Millis(end) }
    }

    #[test]
    fn silence_never_speaks_for_the_one_who_gains() {
        use Silence::{Draws, Forfeits, Waits};
        let (others, own) = (false, true);
        // Players yet to answer; whether the late player made the offer; expected result for a draw and for
        // other offers.
        let cases: [(&[&str], bool, Silence, Silence); 14] = [
            (&[], others, Draws, Forfeits),
            (&["here"], own, Forfeits, Forfeits),
            (&["late"], own, Forfeits, Forfeits),
            (&["back"], own, Forfeits, Forfeits),
            (&["away"], own, Waits(Millis(2_000)), Waits(Millis(2_000))),
            (&["here", "away"], own, Waits(Millis(2_000)), Waits(Millis(2_000))),
            (&["here"], others, Waits(Millis(1_500)), Forfeits),
            (&["back"], others, Waits(Millis(1_700)), Forfeits),
            (&["late"], others, Draws, Forfeits),
            (&["away"], others, Waits(Millis(2_000)), Waits(Millis(2_000))),
            (&["here", "back"], others, Waits(Millis(1_500)), Forfeits),
            (&["late", "here"], others, Waits(Millis(1_500)), Forfeits),
            (&["late", "late"], others, Draws, Forfeits),
            (&["late", "away"], others, Waits(Millis(2_000)), Waits(Millis(2_000))),
        ];
        assert_eq!(judge_silence(None, &[], NOW), Forfeits, "nothing is offered");
        for (asked, is_own, draw, other) in cases {
            let players: Vec<Asked> = asked.iter().map(|state| player(state)).collect();
            for (kind, expected) in
                [(ProposalKind::Draw, draw), (ProposalKind::Undo, other), (ProposalKind::Substitute, other)]
            {
                let found = judge_silence(Some(Offer { kind, is_own }), &players, NOW);
                assert_eq!(found, expected, "{kind:?}, {asked:?}, own: {is_own}");
            }
        }
    }
}
