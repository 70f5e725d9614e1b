//! Replies accepted by a board mail.

use serde::Serialize;

use crate::boards::{Board, Standing};
use crate::replies::{BoardFacts, Heading, Note};
use knotpost_model::{BoardState, SeatState};
use knotpost_storage::{SeatRow, UserRow};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answers {
    Move(String),
    Confirm,
    Proposal,
    Talk,
    Rematch,
    /// Chat to the speakers; a move alone, such as the example, is played.
    Chat(Option<String>),
}

impl Answers {
    pub(crate) fn of(board: &Board, facts: &BoardFacts, user: &UserRow) -> Self {
        if facts.heading == Heading::Chat {
            return Self::Chat(Self::own_move(board, user));
        }
        let seat = board.seat_of(user.id);
        if seat.is_some() && rematch(board, Some(&user.userid)).is_some() {
            return Self::Rematch;
        }
        let plays = seat.is_some_and(|seat| seat.state == SeatState::Playing);
        if !plays || matches!(board.standing(), Standing::Over(_)) || facts.tell_of_pause() {
            return Self::Talk;
        }
        let asked =
            |note: &Note| matches!(note, Note::Proposed { waiting, .. } if waiting.contains(&user.userid));
        if facts.notes.iter().any(asked) {
            return Self::Proposal;
        }
        Self::own_move(board, user).map_or(Self::Talk, Self::Move)
    }

    /// A legal move, if `user` is to move.
    fn own_move(board: &Board, user: &UserRow) -> Option<String> {
        board.mover().filter(|row| row.user_id == user.id && row.state == SeatState::Playing)?;
        board.position.example_move()
    }
}

/// Rematch command for a player of a finished board; `None` for others and for solo boards.
pub(crate) fn rematch(board: &Board, reader: Option<&str>) -> Option<String> {
    let is_over = matches!(board.standing(), Standing::Over(_)) && board.row.state == BoardState::Over;
    player_among_others(board, reader).filter(|_| is_over).map(|player| command(board, "rematch", player))
}

/// Declining command for a player of a new board; `None` for others and the challenger.
pub(crate) fn decline(board: &Board, facts: &BoardFacts, reader: Option<&str>) -> Option<String> {
    // Nobody declines a board of a tournament.
    let is_new = facts.heading == Heading::New
        && matches!(board.standing(), Standing::ToMove(_))
        && board.row.pairing_id.is_none();
    let asked = |name: &str| {
        facts.notes.iter().any(|note| match note {
            Note::Challenged { by: Some(by) } | Note::Rematch { by, .. } => by.eq_ignore_ascii_case(name),
            _ => false,
        })
    };
    let player = player_among_others(board, reader).filter(|player| is_new && !asked(&player.userid));
    player.map(|player| command(board, "resign", player))
}

fn command(board: &Board, verb: &str, player: &SeatRow) -> String {
    format!("{} {verb} {} {} PASSWORD", board.row.game, board.row.number, player.userid)
}

fn player_among_others<'b>(board: &'b Board, reader: Option<&str>) -> Option<&'b SeatRow> {
    let first = board.seats.first()?.user_id;
    let has_others = board.seats.iter().any(|seat| seat.user_id != first);
    board
        .seats
        .iter()
        .find(|seat| has_others && reader.is_some_and(|name| seat.userid.eq_ignore_ascii_case(name)))
}
