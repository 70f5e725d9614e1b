//! How a board ends otherwise than by its rules: resignation, forfeit, agreement, an administrator's word.

use knotpost_rules::{Ability, Outcome, Seat, Status};

use super::{Board, Entry, seat_at};
use crate::domain::{Millis, MoveKind};
use crate::store::{MoveRow, SeatRow};

/// How the move list shows an agreed draw.
pub(super) const DRAW: &str = "Draw";
/// How it shows that an administrator said who has won.
pub(super) const ADJUDICATED: &str = "Adjudicated";

/// Where a game stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// This seat moves next.
    ToMove(Seat),
    /// It is over.
    Over(Outcome),
}

impl Board {
    /// Takes a seat out of the game and enters that as the next move of the list.
    pub fn retire(&mut self, seat: Seat, kind: MoveKind, auto: bool, at: Millis) {
        let text = if kind == MoveKind::Forfeit { "Forfeit" } else { "Resign" };
        let row = MoveRow {
            number: self.next_number(),
            seat: i64::from(seat.number()),
            kind,
            text: text.to_lowercase(),
            auto,
            at,
        };
        self.position.retire(seat);
        self.retired.push(seat);
        self.entries.push(Entry { row, text: text.to_owned() });
    }

    /// Ends the game as a tie of all who still play, and enters that for the seat to move: whoever proposed it,
    /// that is who was waited for.
    pub fn agree_on_draw(&mut self, seat: Seat, at: Millis) {
        let row = MoveRow {
            number: self.next_number(),
            seat: i64::from(seat.number()),
            kind: MoveKind::Draw,
            text: "draw".to_owned(),
            auto: false,
            at,
        };
        self.entries.push(Entry { row, text: DRAW.to_owned() });
    }

    /// Ends the game as an administrator says: these seats have won. Entered for the seat that was waited for.
    pub fn adjudicate(&mut self, winners: &[Seat], seat: Seat, at: Millis) {
        let row = MoveRow {
            number: self.next_number(),
            seat: i64::from(seat.number()),
            kind: MoveKind::Adjudicated,
            text: write_adjudication(winners),
            auto: false,
            at,
        };
        self.entries.push(Entry { row, text: ADJUDICATED.to_owned() });
    }

    /// Where the game stands after `entries`. With one player left the others' resignations end it, unless the
    /// game lets him go on.
    pub fn standing(&self) -> Standing {
        let left: Vec<Seat> =
            self.seats.iter().map(|s| seat_at(s.seat)).filter(|s| !self.retired.contains(s)).collect();
        match self.entries.last().map(|entry| &entry.row) {
            Some(row) if row.kind == MoveKind::Draw => return Standing::Over(self.agreed_draw(&left)),
            Some(row) if row.kind == MoveKind::Adjudicated => {
                return Standing::Over(self.adjudicated(&row.text));
            }
            _ => {}
        }
        match (self.position.status(), left.as_slice()) {
            (Status::Over(outcome), _) => Standing::Over(outcome),
            (Status::ToAct(_), []) => Standing::Over(self.position.result_by_scores()),
            (Status::ToAct(_), [winner]) if self.seats.len() > 1 && !self.may_play_on() => {
                Standing::Over(self.last_one_left(*winner))
            }
            (Status::ToAct(seat), _) => Standing::ToMove(seat),
        }
    }

    /// Whether a single player may go on after the others have left.
    fn may_play_on(&self) -> bool {
        self.seats.len() > 2 && self.game.meta().abilities.has(Ability::PlayOn)
    }

    /// All who still play share the first place; the others follow as in [`Self::last_one_left`].
    fn agreed_draw(&self, left: &[Seat]) -> Outcome {
        let placing = |row: &SeatRow| match self.retired.iter().position(|seat| *seat == seat_at(row.seat)) {
            None => 1,
            Some(gave_up) => (left.len() + self.retired.len() - gave_up) as u8,
        };
        Outcome { placings: self.seats.iter().map(placing).collect(), reason: "agreement" }
    }

    /// Who was said to have won shares the first place, all others the next.
    fn adjudicated(&self, text: &str) -> Outcome {
        let winners = read_adjudication(text).unwrap_or_default();
        let behind = winners.len() as u8 + 1;
        let placing = |row: &SeatRow| if winners.contains(&seat_at(row.seat)) { 1 } else { behind };
        Outcome { placings: self.seats.iter().map(placing).collect(), reason: "adjudication" }
    }

    /// The last player left wins; the others follow in the order in which they gave up, latest first.
    fn last_one_left(&self, winner: Seat) -> Outcome {
        let placings = self
            .seats
            .iter()
            .map(|row| {
                let seat = seat_at(row.seat);
                let gave_up = self.retired.iter().position(|other| *other == seat).unwrap_or(0);
                if seat == winner { 1 } else { (self.retired.len() - gave_up + 1) as u8 }
            })
            .collect();
        let forfeited = self.entries.last().is_some_and(|entry| entry.row.kind == MoveKind::Forfeit);
        Outcome { placings, reason: if forfeited { "forfeit" } else { "resignation" } }
    }
}

/// The winning seats as the move list keeps them: `adjudicated:1,3`.
fn write_adjudication(winners: &[Seat]) -> String {
    let seats: Vec<String> = winners.iter().map(ToString::to_string).collect();
    format!("{}:{}", MoveKind::Adjudicated.as_str(), seats.join(","))
}

/// The winning seats of such a word; `None`: it is none.
pub(in crate::service) fn read_adjudication(text: &str) -> Option<Vec<Seat>> {
    let (word, seats) = text.split_once(':')?;
    if !word.eq_ignore_ascii_case(MoveKind::Adjudicated.as_str()) {
        return None;
    }
    seats.split(',').map(|seat| Seat::new(seat.parse().ok()?)).collect()
}
