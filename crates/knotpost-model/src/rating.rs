//! Rating systems: the server's own, known from older play-by-mail servers, and Glicko-2.
//!
//! Pure arithmetic; storage and the choice of boards are elsewhere. Sums run in seat order, so that results
//! are bitwise reproducible.

use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};

pub const FIRST_RATING: f64 = 1600.0;
/// Rated games that make a rating established.
pub const ESTABLISHED: u32 = 20;
/// Attractor of the mean of active established ratings.
const TARGET_MEAN: f64 = 1720.0;
/// Value of a win against a provisional and against an established opponent.
const STEP: f64 = 200.0;
const LONG_STEP: f64 = 400.0;
/// Maximum change of an established rating per game.
const K: f64 = 32.0;
/// Fixed-point units per rating point, for exact sums.
const UNIT: f64 = (1_u64 << 30) as f64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    Won,
    Tied,
    Lost,
}

impl Score {
    fn outcome(self) -> f64 {
        match self {
            Self::Won => 1.0,
            Self::Tied => 0.0,
            Self::Lost => -1.0,
        }
    }

    fn share(self) -> f64 {
        f64::midpoint(self.outcome(), 1.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    pub rating: f64,
    /// Sum of game values while provisional.
    pub value_sum: f64,
    pub games: u32,
    pub won: u32,
    pub lost: u32,
    pub tied: u32,
    /// Glicko-2 estimate in points.
    pub glicko: f64,
    /// Glicko-2 deviation in points.
    pub deviation: f64,
    pub volatility: f64,
}

impl Default for Rating {
    fn default() -> Self {
        let Glicko2Rating { rating: glicko, deviation, volatility } = Glicko2Rating::new();
        Self {
            rating: FIRST_RATING,
            value_sum: 0.0,
            games: 0,
            won: 0,
            lost: 0,
            tied: 0,
            glicko,
            deviation,
            volatility,
        }
    }
}

impl Rating {
    /// True after [`ESTABLISHED`] games.
    pub fn is_established(&self) -> bool {
        self.games >= ESTABLISHED
    }

    fn estimate(&self) -> Glicko2Rating {
        Glicko2Rating { rating: self.glicko, deviation: self.deviation, volatility: self.volatility }
    }
}

/// Active established players of a game: number, and sum of ratings in units of 2^-30 points. Integers, so
/// that the order of changes does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    pub players: i64,
    pub sum: i64,
}

impl Pool {
    /// Adds an established rating; ignores others.
    pub fn enter(&mut self, rating: &Rating) {
        if rating.is_established() {
            self.players += 1;
            self.sum += units(rating.rating);
        }
    }

    /// Removes an established rating; ignores others.
    pub fn leave(&mut self, rating: &Rating) {
        if rating.is_established() {
            self.players -= 1;
            self.sum -= units(rating.rating);
        }
    }

    /// In points; 1720 for an empty pool.
    pub fn mean(self) -> f64 {
        if self.players <= 0 { TARGET_MEAN } else { self.sum as f64 / UNIT / self.players as f64 }
    }
}

fn units(rating: f64) -> i64 {
    (rating * UNIT).round() as i64
}

/// Means of the other players' previous values, treated as one opponent.
struct Opponent {
    rating: f64,
    games: f64,
    glicko: f64,
    deviation: f64,
}

impl Opponent {
    fn of(players: &[(Rating, Score)], index: usize) -> Self {
        let others =
            || players.iter().enumerate().filter(move |(place, _)| *place != index).map(|(_, (r, _))| r);
        let count = others().count().max(1) as f64;
        let mean = |value: fn(&Rating) -> f64| others().map(value).sum::<f64>() / count;
        Self {
            rating: mean(|r| r.rating),
            games: mean(|r| f64::from(r.games)),
            glicko: mean(|r| r.glicko),
            deviation: mean(|r| r.deviation),
        }
    }

    fn is_established(&self) -> bool {
        self.games >= f64::from(ESTABLISHED)
    }
}

/// Ratings after a board, in the order given. `players` are two or more distinct users with their ratings
/// before it, `pool` is the pool before it.
pub fn rate(players: &[(Rating, Score)], pool: Pool) -> Vec<Rating> {
    let each = players.iter().enumerate();
    each.map(|(index, (before, score))| after(before, *score, &Opponent::of(players, index), pool)).collect()
}

fn after(before: &Rating, score: Score, opponent: &Opponent, pool: Pool) -> Rating {
    let mut after = count(before, score);
    if before.is_established() {
        let expected = 1.0 / (1.0 + 10_f64.powf((opponent.rating - before.rating) / 400.0));
        let trust = if opponent.is_established() { 1.0 } else { opponent.games / f64::from(ESTABLISHED) };
        after.rating = before.rating + K * trust * (score.share() - expected);
    } else {
        let value = if opponent.is_established() {
            opponent.rating + LONG_STEP * score.outcome()
        } else {
            f64::midpoint(before.rating, opponent.rating) + STEP * score.outcome()
        };
        after.value_sum = before.value_sum + value;
        after.rating = after.value_sum / f64::from(after.games) + (TARGET_MEAN - pool.mean()) / 5.0;
    }
    estimate(after, before, score, opponent)
}

fn count(before: &Rating, score: Score) -> Rating {
    let mut after = Rating { games: before.games + 1, ..*before };
    match score {
        Score::Won => after.won += 1,
        Score::Tied => after.tied += 1,
        Score::Lost => after.lost += 1,
    }
    after
}

/// One game is one Glicko-2 period (Glickman, "Example of the Glicko-2 system").
fn estimate(after: Rating, before: &Rating, score: Score, opponent: &Opponent) -> Rating {
    let outcome = match score {
        Score::Won => Outcomes::WIN,
        Score::Tied => Outcomes::DRAW,
        Score::Lost => Outcomes::LOSS,
    };
    let other =
        Glicko2Rating { rating: opponent.glicko, deviation: opponent.deviation, ..Glicko2Rating::new() };
    let new = glicko2_rating_period(&before.estimate(), &[(other, outcome)], &Glicko2Config::new());
    Rating { glicko: new.rating, deviation: new.deviation, volatility: new.volatility, ..after }
}

/// Whole points, halves up.
pub fn shown(rating: f64) -> i64 {
    (rating + 0.5).floor() as i64
}
