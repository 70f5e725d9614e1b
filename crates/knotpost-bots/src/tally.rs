//! The sum of games: points, and a difference in Elo with its bounds. Nothing here decides a move.

use crate::contest::Game;

/// The results of a match so far. A player has a point for a game won, shared with those in first place.
#[derive(Clone, Debug)]
pub struct Tally {
    wins: Vec<u32>,
    ties: u32,
    score: Vec<f64>,
    /// Points of the first named against each other player, two in a game won against them: sum, and how many pairs.
    pairs: (f64, u32),
}

/// A difference in Elo and where it lies with 95 % confidence; `None` where it has no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The most likely difference.
    pub elo: Option<f64>,
    /// The lower bound.
    pub low: Option<f64>,
    /// The upper bound.
    pub high: Option<f64>,
}

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.96;

impl Tally {
    /// No game yet between this number of players.
    pub fn new(players: usize) -> Self {
        Self { wins: vec![0; players], ties: 0, score: vec![0.0; players], pairs: (0.0, 0) }
    }

    /// Adds a game.
    pub fn add(&mut self, game: &Game) {
        let winners = game.outcome.winners();
        let sitting = |seat: usize| game.seats.get(seat).copied();
        for winner in &winners {
            let Some(player) = sitting(winner.index()) else { continue };
            if let Some(score) = self.score.get_mut(player) {
                *score += 1.0 / winners.len() as f64;
            }
            if let (1, Some(wins)) = (winners.len(), self.wins.get_mut(player)) {
                *wins += 1;
            }
        }
        self.ties += u32::from(winners.len() > 1);
        let placings = &game.outcome.placings;
        let own = game.seats.iter().position(|player| *player == 0).and_then(|seat| placings.get(seat));
        let Some(own) = own else { return };
        for (seat, placing) in placings.iter().enumerate() {
            if sitting(seat) != Some(0) {
                self.pairs.0 += if own < placing { 1.0 } else { f64::from(u8::from(own == placing)) / 2.0 };
                self.pairs.1 += 1;
            }
        }
    }

    /// Games that each player has won alone, in the order named.
    pub fn wins(&self) -> &[u32] {
        &self.wins
    }

    /// Games with several players in first place.
    pub const fn ties(&self) -> u32 {
        self.ties
    }

    /// The points of each player.
    pub fn score(&self) -> &[f64] {
        &self.score
    }

    /// Bounds of the first named above the others: by Wilson's interval for the share of points against them.
    pub fn bounds(&self) -> Bounds {
        let (sum, pairs) = self.pairs;
        if pairs == 0 {
            return Bounds::default();
        }
        let (share, count) = (sum / f64::from(pairs), f64::from(pairs));
        let middle = share + Z * Z / (2.0 * count);
        let spread = Z * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
        let scale = 1.0 + Z * Z / count;
        Bounds {
            elo: to_elo(share),
            low: to_elo(((middle - spread) / scale).max(0.0)),
            high: to_elo(((middle + spread) / scale).min(1.0)),
        }
    }
}

/// The difference at which this share of points is expected.
fn to_elo(share: f64) -> Option<f64> {
    (share > 1e-9 && share < 1.0 - 1e-9).then(|| 400.0 * (share / (1.0 - share)).log10())
}
