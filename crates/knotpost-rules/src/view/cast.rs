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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Registry, Seed, Viewer};

    fn view(name: &str, players: usize) -> View {
        let registry = Registry::standard();
        let game = registry.find(name).expect("a game");
        let options = game.parse_options(&[], players).expect("defaults");
        game.setup(&options, players, &Seed::default()).view(Viewer::Spectator)
    }

    fn cast(now: Option<Now>) -> Cast {
        Cast { players: ["ann", "bob", "carol", "dave"].map(str::to_owned).to_vec(), now }
    }

    #[test]
    fn players_are_named_in_headings_and_in_the_standing() {
        let first = Seat::FIRST;
        let view = view("osbo", 4).with_cast(cast(Some(Now::Turn(first))));
        let text = view.to_string();
        assert!(text.contains("Design 3 (Third, carol)"), "{text}");
        assert!(text.contains("Fourth dave"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 72), "{text}");
        assert_eq!(view.tell_roll().as_deref(), Some("The roll of First, ann"));
        assert_eq!(view.player_of("Second"), Some("bob"));
    }

    #[test]
    fn long_names_are_left_out_rather_than_lines_made_too_long() {
        let players = vec!["x".repeat(60), "y".repeat(60)];
        let view = view("osbox", 2).with_cast(Cast { players, now: None });
        assert!(view.to_string().lines().all(|line| line.chars().count() <= 72));
    }

    #[test]
    fn whose_turn_it_is_or_who_has_won_is_told_as_far_as_it_is_known() {
        let told = |cast| view("osbox", 2).with_cast(cast).tell_now();
        let seats: Vec<Seat> = crate::Seats::first(2).iter().collect();
        assert_eq!(view("osbox", 2).tell_now().as_deref(), Some("It is Horz's turn."));
        assert_eq!(told(cast(Some(Now::Turn(Seat::FIRST)))).as_deref(), Some("It is ann's turn."));
        assert_eq!(told(cast(Some(Now::Over(vec![Seat::FIRST])))).as_deref(), Some("ann has won."));
        assert_eq!(told(cast(Some(Now::Over(seats)))).as_deref(), Some("A tie of ann and bob."));
        assert_eq!(told(cast(None)), None);
    }

    #[test]
    fn the_legend_of_pages_has_no_drawing() {
        let legend = view("osbox", 2).legend_for_pages();
        assert!(!legend.contains('#') && legend.contains("a: down; b: left"), "{legend}");
    }
}
