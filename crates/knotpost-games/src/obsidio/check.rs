//! The rules that allow or forbid a turn of Obsidio.

use super::{
    Obsidio, ObsidioIllegal,
    grid::{Cells, Shade, Square},
    rules::{SECOND, seat_name},
};
use knotpost_rules::Seat;

/// Own tokens around a target that a claim needs.
const CLAIM_NEEDS: u32 = 4;

impl Obsidio {
    /// Refuses a move that the rules forbid here.
    pub(super) fn check(&self, squares: &[Square]) -> Result<(), ObsidioIllegal> {
        if let Some(win) = self.win {
            return Err(ObsidioIllegal::Over { winner: seat_name(win.seat) });
        }
        let (mut named, size) = (Cells::NONE, self.size);
        for &square in squares {
            if square.column() >= size || square.row() >= size {
                return Err(ObsidioIllegal::NoSquare { square, last: Square::new(size - 1, size - 1) });
            }
            if named.contains(square) {
                return Err(ObsidioIllegal::Repeated { square });
            }
            named |= Cells::only(square);
        }
        match *squares {
            [first, ..] if first.shade() == Shade::Target => self.check_claims(squares),
            [first] if first.shade() == Shade::Dark => self.check_first(first),
            [first, ..] if first.shade() == Shade::Dark => Err(ObsidioIllegal::DarkIsAll { square: first }),
            [first] => self.check_lone(first),
            [first, second] => self.check_pair(first, second),
            _ => Err(ObsidioIllegal::TooMany),
        }
    }

    /// The first token of a turn goes on an empty cell in sight of the origin, if there is one.
    fn check_first(&self, square: Square) -> Result<(), ObsidioIllegal> {
        if !self.empty.contains(square) {
            return Err(ObsidioIllegal::Occupied { square });
        }
        match self.origin {
            Some(origin) if !self.first_cells().contains(square) => {
                Err(ObsidioIllegal::OutOfSight { square, origin })
            }
            _ => Ok(()),
        }
    }

    /// A light token stays alone only where no second one can go.
    fn check_lone(&self, first: Square) -> Result<(), ObsidioIllegal> {
        self.check_first(first)?;
        match self.second_cells(first).first() {
            Some(example) => Err(ObsidioIllegal::SecondDue { first, example }),
            None => Ok(()),
        }
    }

    fn check_pair(&self, first: Square, second: Square) -> Result<(), ObsidioIllegal> {
        if second.shade() != Shade::Light {
            return Err(ObsidioIllegal::SecondNotLight { square: second });
        }
        self.check_first(first)?;
        if self.second_cells(first).contains(second) {
            return Ok(());
        }
        Err(if !self.empty.contains(second) {
            ObsidioIllegal::Occupied { square: second }
        } else if Cells::around(first).contains(second) {
            ObsidioIllegal::SecondTouches { first, second }
        } else {
            ObsidioIllegal::SecondOutOfSight { first, second }
        })
    }

    /// Claims name unclaimed targets with enough own tokens around each.
    fn check_claims(&self, squares: &[Square]) -> Result<(), ObsidioIllegal> {
        let seat = seat_name(self.next);
        if let Some(&square) = squares.iter().find(|square| square.shade() != Shade::Target) {
            return Err(ObsidioIllegal::NotTarget { square });
        }
        for &square in squares {
            let owner =
                [Seat::FIRST, SECOND].into_iter().find(|seat| self.side(*seat).claimed.contains(square));
            if let Some(owner) = owner {
                return Err(ObsidioIllegal::Claimed { square, owner: seat_name(owner) });
            }
            let count = (Cells::around(square) & self.side(self.next).influence).len();
            if count < CLAIM_NEEDS {
                return Err(ObsidioIllegal::FewTokens { square, seat, count });
            }
        }
        Ok(())
    }
}
