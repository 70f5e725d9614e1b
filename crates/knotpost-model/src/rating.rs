//! How a result changes its players' ratings. Two systems side by side: the server's own, which
//! players know from older play-by-mail servers, and a Glicko-2 estimate.
//!
//! Pure arithmetic: where ratings are stored, and which boards count, is decided elsewhere. Sums run in
//! the order of the seats, so that the same games give the same bits everywhere.

use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};

/// The rating of a new player.
pub const FIRST_RATING: f64 = 1600.0;
/// The number of rated games after which a rating is established.
pub const ESTABLISHED: u32 = 20;
/// Where the mean rating of all active established players is drawn to.
const TARGET_MEAN: f64 = 1720.0;
/// What a win is worth against a provisional and against an established opponent.
const STEP: f64 = 200.0;
const LONG_STEP: f64 = 400.0;
/// The most an established rating moves in one game.
const K: f64 = 32.0;
/// Units of a point in which ratings are summed up exactly.
const UNIT: f64 = (1_u64 << 30) as f64;

/// What a player reached on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Alone in the first place.
    Won,
    /// In the first place with others.
    Tied,
    /// Any other place.
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

/// A player's strength in one game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating, in points.
    pub rating: f64,
    /// Sum of the values of the games played while provisional.
    pub value_sum: f64,
    /// Rated games.
    pub games: u32,
    /// How many were won.
    pub won: u32,
    /// How many were lost.
    pub lost: u32,
    /// How many were tied.
    pub tied: u32,
    /// The Glicko-2 estimate, in points.
    pub glicko: f64,
    /// Its deviation, in points.
    pub deviation: f64,
    pub volatility: f64,
}

impl Default for Rating {
    /// The rating of a player without rated games.
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
    /// Whether enough games have been played to trust it.
    pub fn is_established(&self) -> bool {
        self.games >= ESTABLISHED
    }

    fn estimate(&self) -> Glicko2Rating {
        Glicko2Rating { rating: self.glicko, deviation: self.deviation, volatility: self.volatility }
    }
}

/// All active established players of a game: how many, and the sum of their ratings in units of 2^-30
/// points. Whole numbers: it does not matter in which order they come and go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// How many players.
    pub players: i64,
    /// Sum of their ratings in units.
    pub sum: i64,
}

impl Pool {
    /// Counts a player in, if the rating is established.
    pub fn enter(&mut self, rating: &Rating) {
        if rating.is_established() {
            self.players += 1;
            self.sum += units(rating.rating);
        }
    }

    /// Counts a player out, if the rating is established.
    pub fn leave(&mut self, rating: &Rating) {
        if rating.is_established() {
            self.players -= 1;
            self.sum -= units(rating.rating);
        }
    }

    /// The mean of their ratings, in points; 1720 when there are none.
    pub fn mean(self) -> f64 {
        if self.players <= 0 { TARGET_MEAN } else { self.sum as f64 / UNIT / self.players as f64 }
    }
}

fn units(rating: f64) -> i64 {
    (rating * UNIT).round() as i64
}

/// The others of a board as one opponent: the means of what they were before.
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

/// The ratings after a board, in the order given. `players` are two or more different users with
/// their ratings before it, `pool` is what all active established players were before it.
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

/// One game is one period of Glicko-2 (Glickman, "Example of the Glicko-2 system").
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

/// A rating as players read it: whole points, halves up.
pub fn shown(rating: f64) -> i64 {
    (rating + 0.5).floor() as i64
}
