use crate::boards::{Board, Standing};
use crate::replies::{BoardFacts, Heading, Note, Ruling};
use knotpost_model::{ProposalKind, words};

words! {
    /// Something that happens on a board, or in a tournament. The words are those of the board's server-sent events, `turn`
    /// and `tournament`.
    #[derive(PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    HookEvent {
        /// It is the webhook's owner's turn.
        Turn = "turn",
        /// Somebody moved, passed, swapped or resigned, or lost on time.
        Move = "move",
        /// Somebody said something.
        Chat = "chat",
        /// Something was proposed, or answered.
        Proposal = "proposal",
        /// The game is over.
        Over = "over",
        /// A tournament that its owner plays in or directs began, went on to its next round, or is over. Its messages are
        /// of the types `tournament.started`, `tournament.round` and `tournament.over`.
        Tournament = "tournament",
    }
}

/// Events implied by these facts, in the order of delivery.
pub(super) fn happened(board: &Board, facts: &BoardFacts) -> Vec<HookEvent> {
    let is_over = matches!(board.standing(), Standing::Over(_));
    let is_waiting = !is_over && board.row.paused_at.is_none();
    let resumed = |note: &Note| matches!(note, Note::Ruled { ruling: Ruling::Resumed, .. });
    let spoken = facts.remark.is_some();
    let told = match facts.heading {
        Heading::New => [(spoken, HookEvent::Chat), (is_waiting, HookEvent::Turn)].to_vec(),
        Heading::Summary => {
            let has_changed = board.changed_from.is_some();
            let moved = board.changed_from.is_some_and(|from| from < board.entries.len());
            let turned = has_changed || facts.notes.iter().any(resumed);
            vec![
                (moved, HookEvent::Move),
                (spoken, HookEvent::Chat),
                (facts.notes.iter().any(|note| proposal(note).is_some()), HookEvent::Proposal),
                (has_changed && is_over, HookEvent::Over),
                (turned && is_waiting, HookEvent::Turn),
            ]
        }
        Heading::Chat => vec![(spoken, HookEvent::Chat)],
        Heading::Notification => vec![(true, HookEvent::Over)],
        Heading::Show | Heading::Preview | Heading::Puzzle | Heading::Submit | Heading::Nag => Vec::new(),
    };
    told.into_iter().filter_map(|(happened, event)| happened.then_some(event)).collect()
}

/// Kind and state of a proposal that a note tells of, and who made or refused it.
pub(super) fn proposal(note: &Note) -> Option<(ProposalKind, Option<&str>, &'static str)> {
    match note {
        Note::Proposed { by, kind, .. } => Some((*kind, Some(by), "waiting")),
        Note::Rejected { by, kind } => Some((*kind, Some(by), "rejected")),
        Note::Agreed { kind } => Some((*kind, None, "agreed")),
        Note::SilentDraw => Some((ProposalKind::Draw, None, "agreed")),
        _ => None,
    }
}
