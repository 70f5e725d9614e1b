//! The players, and the standing of the game. The rules know neither players nor agreed ends; whoever shows a
//! board to people adds them to its view.

use super::{ScoreLine, View};
use crate::{seat::Seat, turn::Outcome};

/// Facts about a board beyond its position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cast {
    /// The players by seat; empty where they are unknown.
    pub players: Vec<String>,
    /// The standing of the game; `None` where a picture must not say so.
    pub now: Option<Now>,
}

/// The standing of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Now {
    /// This seat is to move.
    Turn(Seat),
    /// It is over, and these seats are first.
    Over(Vec<Seat>),
}

impl From<&Outcome> for Now {
    fn from(outcome: &Outcome) -> Self {
        Self::Over(outcome.winners())
    }
}

impl View {
    /// The same view with the players named: in the headings of panels, in the standing, and in pictures.
    #[must_use]
    pub fn with_cast(mut self, cast: Cast) -> Self {
        self.cast = cast;
        for panel in &mut self.panels {
            let Some(seat) = panel.seat else { continue };
            let Some(player) = self.cast.player(seat) else { continue };
            if let Some(line) = self.scores.iter().find(|line| line.seat == seat) {
                panel.title = panel.title.replacen(line.name, &format!("{}, {player}", line.name), 1);
            }
        }
        self
    }

    /// The player of a side, such as `ann` for `Horz`.
    pub fn player_of(&self, side: &str) -> Option<&str> {
        let line = self.scores.iter().find(|line| line.name == side)?;
        self.cast.player(line.seat)
    }

    /// The side of a seat, with its player where that is known and not called as the side is: `Horz ann`.
    pub fn name_side(&self, line: &ScoreLine) -> String {
        match self.cast.player(line.seat) {
            Some(player) if player != line.name => format!("{} {player}", line.name),
            _ => line.name.to_owned(),
        }
    }

    /// The player on turn, or the winner: `It is ann's turn.`
    pub fn tell_now(&self) -> Option<String> {
        let name = |seat: &Seat| {
            let side = self.scores.iter().find(|line| line.seat == *seat).map(|line| line.name);
            self.cast.player(*seat).or(side).unwrap_or("nobody").to_owned()
        };
        Some(match self.cast.now.as_ref()? {
            Now::Turn(seat) => format!("It is {}'s turn.", name(seat)),
            Now::Over(seats) => match seats.as_slice() {
                [winner] => format!("{} has won.", name(winner)),
                several => {
                    let names: Vec<String> = several.iter().map(name).collect();
                    format!("A tie of {}.", super::join_words(&names))
                }
            },
        })
    }

    /// The roll that waits to be placed: `The roll of Third, carol`.
    pub fn tell_roll(&self) -> Option<String> {
        let Some(Now::Turn(seat)) = self.cast.now else { return None };
        let line = self.scores.iter().find(|line| line.seat == seat)?;
        let player = self.cast.player(seat).map(|player| format!(", {player}"));
        Some(format!("The roll of {}{}", line.name, player.unwrap_or_default()))
    }
}

impl Cast {
    fn player(&self, seat: Seat) -> Option<&str> {
        self.players.get(seat.index()).map(String::as_str).filter(|player| !player.is_empty())
    }
}
