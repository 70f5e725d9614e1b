//! What happens on all boards of an account that a program plays, as a list that goes on. Nothing is stored for it: each
//! look compares the boards with those of the look before, and the first one with a moment that the program names.

use std::collections::HashMap;

use crate::app::App;
use crate::identity::ProvenUser;
use crate::identity::authentication::find_proven;
use knotpost_model::{BoardRef, BoardState, Millis};
use knotpost_storage::{ProgramBoard, StoreError};

/// Boards that are followed at once.
const MOST_BOARDS: i64 = 1_000;
/// Boards of a game that ended while nobody listened.
const MOST_ENDED: i64 = 200;
/// Clocks of several servers differ, and a transaction is committed after the moment that it notes: what is as much older
/// than the last look is told again rather than never.
const OVERLAP_MS: i64 = 30_000;
/// What happened longer ago is not told again.
const LONGEST_MS: i64 = 7 * 86_400_000;

/// Something that happened on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramEvent {
    /// The board is new.
    Start,
    /// Somebody else said something.
    Chat,
    /// Somebody else proposed a draw or an undo.
    Proposal,
    /// The account is to move.
    Turn,
    /// The game is over, or the account does not play there any more.
    Over,
}

impl ProgramEvent {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Chat => "chat",
            Self::Proposal => "proposal",
            Self::Turn => "turn",
            Self::Over => "over",
        }
    }
}

/// An event and where it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramNews {
    /// What happened.
    pub event: ProgramEvent,
    pub board: BoardRef,
    /// How many moves the board has.
    pub ply: i64,
}

/// What one look found.
#[derive(Clone, Debug)]
pub enum ProgramLook {
    /// What has happened, in order, and the moment up to which all is told.
    News(Vec<ProgramNews>, Millis),
    /// The account is no account of a program, or the key has ended.
    Gone,
}

/// Follows the boards of an account.
#[derive(Debug)]
pub struct ProgramFeed {
    proven: ProvenUser,
    /// From when on boards that are not known yet are new; `None`: a first look tells turns alone.
    since: Option<Millis>,
    has_looked: bool,
    known: HashMap<i64, ProgramBoard>,
}

impl ProgramFeed {
    /// A feed that begins now, or tells what happened since a moment.
    pub fn new(proven: ProvenUser, since: Option<Millis>) -> Self {
        Self { proven, since, has_looked: false, known: HashMap::new() }
    }

    /// Compares all boards with those of the last look.
    pub async fn look(&mut self, app: &App) -> Result<ProgramLook, StoreError> {
        let (now, user) = (app.clock.now(), self.proven.user);
        let mut tx = app.store.read().await?;
        if !find_proven(&mut tx, &self.proven).await?.is_some_and(|row| row.is_bot()) {
            return Ok(ProgramLook::Gone);
        }
        let mut boards = tx.program_boards(user, MOST_BOARDS).await?;
        if let Some(since) = self.threshold(now).filter(|_| !self.has_looked) {
            for game in app.registry.iter() {
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
        // From here on a board that is not known is a new one.
        self.since.get_or_insert(now);
        self.has_looked = true;
        Ok(ProgramLook::News(news, now))
    }

    /// Compares one board on which something has just happened.
    pub async fn look_at(&mut self, app: &App, name: &BoardRef) -> Result<ProgramLook, StoreError> {
        let (now, user) = (app.clock.now(), self.proven.user);
        let found = app.store.query().await?.program_board(user, &name.game, name.number).await?;
        // The end of a board that is not known any more was told.
        let is_ours = |board: &ProgramBoard| is_played(board) || self.known.contains_key(&board.board.0);
        let news = found.filter(is_ours).map(|board| self.note(board, now)).unwrap_or_default();
        Ok(ProgramLook::News(news, now))
    }

    /// The moment from which on a board that is not known has news, in milliseconds.
    fn threshold(&self, now: Millis) -> Option<i64> {
        self.since.map(|since| (since.0 - OVERLAP_MS).max(now.0 - LONGEST_MS))
    }

    /// What is new about a board, which is known from now on while it is played.
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

/// Whether the account plays there.
fn is_played(board: &ProgramBoard) -> bool {
    board.state == BoardState::Active && board.seat.is_some()
}

/// What happened between two looks at a board; `None` before: since that moment, and without one its turn alone.
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
