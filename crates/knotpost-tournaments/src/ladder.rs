//! Moves on a ladder: who stands where after a game.

/// The places of a ladder, the first on top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder<P> {
    places: Vec<P>,
}

impl<P: PartialEq> Ladder<P> {
    /// A ladder of players in this order, the first on top. Somebody who is named twice keeps the higher place.
    pub fn new(players: impl IntoIterator<Item = P>) -> Self {
        let mut ladder = Self { places: Vec::new() };
        for player in players {
            ladder.enter(player);
        }
        ladder
    }

    /// All players, the first on top.
    pub fn places(&self) -> &[P] {
        &self.places
    }

    /// The place of a player, from 1.
    pub fn place(&self, player: &P) -> Option<usize> {
        self.places.iter().position(|other| other == player).map(|at| at + 1)
    }

    /// Puts a player at the bottom; who is on the ladder stays in their place.
    pub fn enter(&mut self, player: P) {
        if !self.places.contains(&player) {
            self.places.push(player);
        }
    }

    /// Takes a player off; those below move up.
    pub fn leave(&mut self, player: &P) {
        self.places.retain(|other| other != player);
    }

    /// True if a player stands at most this many places below another.
    pub fn is_within(&self, challenger: &P, challenged: &P, window: usize) -> bool {
        match (self.place(challenger), self.place(challenged)) {
            (Some(below), Some(above)) => above < below && below - above <= window,
            _ => false,
        }
    }

    /// Lets a challenger who has won take the place of the challenged: those between go down one. Nothing changes if the
    /// challenger stands above by now, or if one of both has left.
    pub fn win(&mut self, challenger: &P, challenged: &P) {
        if let (Some(below), Some(above)) = (self.place(challenger), self.place(challenged))
            && above < below
        {
            self.places[above - 1..below].rotate_right(1);
        }
    }
}
