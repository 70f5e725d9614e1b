//! Endings other than by the rules: resignation, forfeit, agreement, adjudication.

use std::sync::Arc;

use knotpost_rules::{Cast, Departure, Departures, Now, Outcome, Seat, View, Viewer};

use super::Board;
use knotpost_model::{Millis, MoveKind};
use knotpost_storage::MoveRow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    ToMove(Seat),
    Over(Outcome),
}

impl Board {
    /// Takes a seat out of the game, also off turn, and enters it as the next move.
    pub fn retire(&mut self, seat: Seat, kind: MoveKind, auto: bool, at: Millis) {
        let mut text = kind.as_str().to_owned();
        if seat != self.position.next_seat() {
            text = format!("{text}:{seat}");
        }
        self.enter_word(MoveRow { auto, ..self.next_row(seat, kind, text, at) });
    }

    /// Ends the game as a tie of all still playing, entered for the seat to move, whoever proposed it.
    pub fn agree_on_draw(&mut self, seat: Seat, at: Millis) {
        self.enter_word(self.next_row(seat, MoveKind::Draw, MoveKind::Draw.as_str().to_owned(), at));
    }

    /// Ends the game with these winners, entered for the seat to move: by an arbiter, or by the deadline of a tournament.
    pub fn decide(&mut self, kind: MoveKind, winners: &[Seat], seat: Seat, at: Millis) {
        self.enter_word(self.next_row(seat, kind, write_decision(kind, winners), at));
    }

    /// State after `entries`. The resignations of all others end the game, unless its rules play on.
    pub fn standing(&self) -> Standing {
        let last = self.entries.last().map(|entry| &entry.row);
        let departures = self.departures();
        let outcome = match last.map(|row| row.kind) {
            Some(MoveKind::Draw) => Some(departures.agreed_draw()),
            Some(MoveKind::Adjudicated | MoveKind::Deadline) => {
                let decision = last.and_then(|row| read_decision(&row.text));
                decision.map(|(kind, winners)| match kind {
                    MoveKind::Deadline => departures.at_deadline(&winners),
                    _ => departures.adjudicated(&winners),
                })
            }
            _ => departures.outcome(&*self.position, self.game.meta()),
        };
        outcome.map_or_else(|| Standing::ToMove(self.position.next_seat()), Standing::Over)
    }

    /// Players and standing; no standing after moves that are only tried.
    pub(crate) fn cast(&self, standing: &Standing) -> Cast {
        let is_tried = self.entries.len() as i64 > self.row.ply;
        let now = match standing {
            Standing::ToMove(seat) => Now::Turn(*seat),
            Standing::Over(outcome) => Now::from(outcome),
        };
        let players = self.seats.iter().map(|row| row.userid.clone()).collect();
        Cast { players, now: (!is_tried).then_some(now) }
    }

    pub fn view_for(&self, viewer: Viewer) -> Arc<View> {
        Arc::new(self.position.view(viewer).with_cast(self.cast(&self.standing())))
    }

    pub(crate) fn still_plays(&self, seat: Seat) -> bool {
        seat.index() < self.seats.len() && !self.retired.contains(&seat)
    }

    fn departures(&self) -> Departures<'_> {
        let forfeited = self.entries.last().is_some_and(|entry| entry.row.kind == MoveKind::Forfeit);
        let last = if forfeited { Departure::Forfeit } else { Departure::Resignation };
        Departures { players: self.seats.len(), left: &self.retired, last }
    }
}

/// Encodes winners for the move list: `adjudicated:1,3`.
fn write_decision(kind: MoveKind, winners: &[Seat]) -> String {
    let seats: Vec<String> = winners.iter().map(ToString::to_string).collect();
    format!("{}:{}", kind.as_str(), seats.join(","))
}

/// Decodes a departure: `resign` for the seat on turn, `resign:2` for another one.
pub(crate) fn read_departure(text: &str) -> Option<(MoveKind, Option<Seat>)> {
    let (word, seat) = text.split_once(':').map_or((text, None), |(word, seat)| (word, Some(seat)));
    let kind = [MoveKind::Resign, MoveKind::Forfeit]
        .into_iter()
        .find(|kind| word.eq_ignore_ascii_case(kind.as_str()))?;
    match seat {
        None => Some((kind, None)),
        Some(seat) => Some((kind, Some(Seat::new(seat.parse().ok()?)?))),
    }
}

/// Decodes [`write_decision`].
pub(crate) fn read_decision(text: &str) -> Option<(MoveKind, Vec<Seat>)> {
    let (word, seats) = text.split_once(':')?;
    let kind = [MoveKind::Adjudicated, MoveKind::Deadline]
        .into_iter()
        .find(|kind| word.eq_ignore_ascii_case(kind.as_str()))?;
    let winners: Option<Vec<Seat>> = seats.split(',').map(|seat| Seat::new(seat.parse().ok()?)).collect();
    Some((kind, winners?))
}
