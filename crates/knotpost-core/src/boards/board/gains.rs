//! What each move earned, found by playing the board once more.

use knotpost_rules::{Scores, Seat, Turn, Viewer};

use super::Board;
use crate::boards::board::{seat_at, seed_of};
use knotpost_model::MoveKind;

impl Board {
    /// The points that each move won, in order; zero where a move won none, and in games that do not count by the move.
    pub fn gains(&self) -> Vec<u32> {
        let mut gains = Vec::with_capacity(self.entries.len());
        let Some(seed) = seed_of(&self.row.seed) else { return gains };
        let mut position = self.game.setup(&self.options, self.seats.len(), &seed);
        for entry in &self.entries {
            let seat = seat_at(entry.row.seat);
            let before = points(&position.scores(), seat);
            let turn = match entry.row.kind {
                MoveKind::Move => Turn::Move(&entry.row.text),
                MoveKind::Pass => Turn::Pass,
                MoveKind::Swap => Turn::Swap,
                MoveKind::Resign | MoveKind::Forfeit => {
                    position.retire(seat);
                    gains.push(0);
                    continue;
                }
                MoveKind::Draw | MoveKind::Adjudicated => break,
            };
            if position.play(turn).is_err() {
                break;
            }
            // Only a move after which a seat has more can have won something: the view is asked for no other.
            let more = points(&position.scores(), seat) > before;
            let news = more.then(|| position.view(Viewer::Spectator).news).flatten();
            gains.push(news.map_or(0, |news| news.gain));
        }
        gains
    }
}

fn points(scores: &Scores, seat: Seat) -> u32 {
    match scores {
        Scores::Points(points) => points.get(seat.index()).copied().unwrap_or(0),
        Scores::Paths(_) => 0,
    }
}
