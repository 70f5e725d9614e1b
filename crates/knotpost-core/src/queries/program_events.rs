//! Event feed of all boards of an account played by a program. Stores nothing: each look compares the boards
//! with the previous look, and the first one with a time given by the program.

use std::collections::HashMap;

use crate::app::App;
use crate::identity::ProvenUser;
use crate::identity::authentication::find_proven;
use knotpost_model::{BoardRef, BoardState, Millis, words};
use knotpost_storage::{ProgramBoard, StoreError};

const MOST_BOARDS: i64 = 1_000;
/// Boards per game that ended while the feed was closed.
const MOST_ENDED: i64 = 200;
/// Overlap of looks: clocks of servers differ and commits come after their timestamps, so some events are
/// repeated rather than lost.
const OVERLAP_MS: i64 = 30_000;
/// Older events are not repeated.
const LONGEST_MS: i64 = 7 * 86_400_000;

words! {
    ProgramEvent {
        Start = "start",
        Chat = "chat",
        Proposal = "proposal",
        Turn = "turn",
        /// Game over, or the account no longer plays there.
        Over = "over",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramNews {
    pub event: ProgramEvent,
    pub board: BoardRef,
    pub ply: i64,
}

#[derive(Clone, Debug)]
pub enum ProgramLook {
    /// Events in order, and the time covered.
    News(Vec<ProgramNews>, Millis),
    /// No account of a program, or the key has ended.
    Gone,
}

#[derive(Debug)]
pub struct ProgramFeed {
    proven: ProvenUser,
    /// Time from which unknown boards count as new; `None`: the first look reports turns alone.
    since: Option<Millis>,
    has_looked: bool,
    known: HashMap<i64, ProgramBoard>,
}

impl ProgramFeed {
    /// Continues from `since`, or starts now.
    pub fn new(proven: ProvenUser, since: Option<Millis>) -> Self {
        Self { proven, since, has_looked: false, known: HashMap::new() }
    }

    /// Compares all boards with the previous look.
    pub async fn look(&mut self, app: &App) -> Result<ProgramLook, StoreError> {
        let (now, user) = (app.clock.now(), self.proven.user);
        let mut tx = app.store.read().await?;
        if !find_proven(&mut tx, &self.proven).await?.is_some_and(|row| row.is_bot()) {
            return Ok(ProgramLook::Gone);
        }
        let mut boards = tx.program_boards(user, MOST_BOARDS).await?;
        if let Some(since) = self.threshold(now).filter(|_| !self.has_looked) {
            for game in app.games.registry.iter() {
                boards.extend(
                    tx.ended_program_boards(user, game.meta().name, Millis(since), MOST_ENDED).await?,
                );
            }
        }
        let seen: Vec<i64> = boards.iter().map(|board| board.board.0).collect();
        let gone: Vec<ProgramBoard> =
            self.known.values().filter(|board| !seen.contains(&board.board.0)).cloned().collect();
        for board in gone {
            let number = u32::try_from(board.number).unwrap_or_default();
            boards.extend(tx.program_board(user, &board.game, number).await?);
        }
        boards.sort_by_key(|board| board.board);
        let news = boards.into_iter().flat_map(|board| self.note(board, now)).collect();
        // From now on an unknown board is a new one.
        self.since.get_or_insert(now);
        self.has_looked = true;
        Ok(ProgramLook::News(news, now))
    }

    pub async fn look_at(&mut self, app: &App, name: &BoardRef) -> Result<ProgramLook, StoreError> {
        let (now, user) = (app.clock.now(), self.proven.user);
        let found = app.store.query().await?.program_board(user, &name.game, name.number).await?;
        // The end of a board that is no longer known has been reported.
        let is_ours = |board: &ProgramBoard| is_played(board) || self.known.contains_key(&board.board.0);
        let news = found.filter(is_ours).map(|board| self.note(board, now)).unwrap_or_default();
        Ok(ProgramLook::News(news, now))
    }

    /// Time in milliseconds from which an unknown board has news.
    fn threshold(&self, now: Millis) -> Option<i64> {
        self.since.map(|since| (since.0 - OVERLAP_MS).max(now.0 - LONGEST_MS))
    }

    /// Events of a board, which stays known while it is played.
    fn note(&mut self, board: ProgramBoard, now: Millis) -> Vec<ProgramNews> {
        let is_playing = is_played(&board);
        let before = self.known.remove(&board.board.0);
        let events = compare(before.as_ref(), &board, self.threshold(now));
        let name =
            BoardRef { game: board.game.clone(), number: u32::try_from(board.number).unwrap_or_default() };
        let ply = board.ply;
        if is_playing {
            self.known.insert(board.board.0, board);
        }
        events.into_iter().map(|event| ProgramNews { event, board: name.clone(), ply }).collect()
    }
}

fn is_played(board: &ProgramBoard) -> bool {
    board.state == BoardState::Active && board.seat.is_some()
}

/// Events between two looks; without `before` those since `since`, or else its turn alone.
fn compare(before: Option<&ProgramBoard>, now: &ProgramBoard, since: Option<i64>) -> Vec<ProgramEvent> {
    let is_late = |at: Option<i64>| at.zip(since).is_some_and(|(at, since)| at >= since);
    let is_playing = is_played(now);
    let changed = |is_new: bool, differs: &dyn Fn(&ProgramBoard) -> bool| before.map_or(is_new, differs);
    let started = before.is_none() && is_late(Some(now.started_at));
    let said = now.remark.is_some() && changed(is_late(now.remark_at), &|old| old.remark < now.remark);
    let proposed = now.proposed_at.is_some()
        && changed(is_late(now.proposed_at), &|old| old.proposed_at != now.proposed_at);
    let is_due = |board: &ProgramBoard| board.turn.is_some() && board.paused_at.is_none();
    let mark = |board: &ProgramBoard| (board.ply, board.last_move_at, board.due_at);
    let turned = is_playing && is_due(now) && changed(true, &|old| !is_due(old) || mark(old) != mark(now));
    let ended = !is_playing && changed(is_late(now.ended_at), &|_| true);
    [
        (started, ProgramEvent::Start),
        (said, ProgramEvent::Chat),
        (proposed, ProgramEvent::Proposal),
        (turned, ProgramEvent::Turn),
        (ended, ProgramEvent::Over),
    ]
    .into_iter()
    .filter_map(|(happened, event)| happened.then_some(event))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::ProgramEvent::{Chat, Over, Proposal, Start, Turn};
    use super::*;

    fn board() -> ProgramBoard {
        ProgramBoard {
            board: 1.into(),
            game: "osbox".to_owned(),
            number: 101,
            ply: 3,
            state: BoardState::Active,
            started_at: 1_000,
            last_move_at: Some(2_000),
            ended_at: None,
            due_at: Some(9_000),
            paused_at: None,
            seat: Some(1),
            turn: None,
            remark: None,
            remark_at: None,
            proposed_at: None,
        }
    }

    #[test]
    fn a_first_look_tells_turns_alone_and_one_since_a_moment_what_happened_then() {
        let due = ProgramBoard { turn: Some(1), remark: Some(4), remark_at: Some(2_000), ..board() };
        assert_eq!(compare(None, &due, None), [Turn]);
        assert_eq!(compare(None, &due, Some(2_000)), [Chat, Turn]);
        assert_eq!(compare(None, &due, Some(500)), [Start, Chat, Turn]);
        let over = ProgramBoard { state: BoardState::Over, ended_at: Some(2_000), ..board() };
        assert_eq!(compare(None, &over, Some(2_001)), []);
        assert_eq!(compare(None, &over, Some(2_000)), [Over]);
    }

    #[test]
    fn a_turn_is_told_once_and_again_when_a_move_was_taken_back_meanwhile() {
        let due = ProgramBoard { turn: Some(1), ..board() };
        assert_eq!(compare(Some(&board()), &due, None), [Turn]);
        assert_eq!(compare(Some(&due), &due, None), []);
        let again = ProgramBoard { due_at: Some(9_001), ..due.clone() };
        assert_eq!(compare(Some(&due), &again, None), [Turn]);
        let paused = ProgramBoard { paused_at: Some(5_000), ..due.clone() };
        assert_eq!(compare(Some(&board()), &paused, None), []);
        assert_eq!(compare(Some(&paused), &due, None), [Turn]);
        let proposed = ProgramBoard { proposed_at: Some(6_000), ..due.clone() };
        assert_eq!(compare(Some(&due), &proposed, None), [Proposal]);
        let left = ProgramBoard { seat: None, turn: None, ..due.clone() };
        assert_eq!(compare(Some(&due), &left, None), [Over], "somebody else sits there now");
    }
}
