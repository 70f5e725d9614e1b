//! Rows of the tables in answers.

use serde::Serialize;

/// Numbers of the boards of a game.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "GameBoards")]
pub struct GameCount {
    /// The game's name.
    pub game: String,
    /// Its name for people.
    pub title: String,
    /// Description in half a sentence.
    pub summary: String,
    /// Being played.
    pub active: i64,
    /// Finished.
    pub over: i64,
}

#[derive(Clone, Debug, Serialize)]
pub struct BoardLine {
    pub game: String,
    /// The game's name for people.
    pub title: &'static str,
    pub number: i64,
    pub ply: i64,
    pub players: Vec<String>,
    /// `ann's turn`, `won by ann`, `tie`.
    pub status: String,
}

/// A player of a tournament, in the standings of its game.
#[derive(Clone, Debug)]
pub struct PoolLine {
    /// Tournament and group: `t12 b`.
    pub pool: String,
    pub userid: String,
    pub won: u32,
    pub lost: u32,
    pub tied: u32,
}

/// A line of the standings.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct StandingLine {
    /// From 1 in each block.
    pub rank: u32,
    /// Userid of the player.
    pub userid: String,
    /// The rating, in whole points.
    pub rating: i64,
    /// Won games.
    pub won: i64,
    /// Lost games.
    pub lost: i64,
    /// Tied games.
    pub tied: i64,
    /// Boards being played.
    pub active: i64,
    /// The most they play at a time.
    pub limit: Option<i64>,
    /// True if they take challenges.
    pub accepts: bool,
    /// Number of boards they look for.
    pub seeking: i64,
    /// The Glicko-2 estimate, in whole points.
    pub glicko: i64,
    /// Its deviation, in whole points.
    pub deviation: i64,
    /// True if a program plays for them; left out of people.
    #[serde(rename = "bot", skip_serializing_if = "std::ops::Not::not")]
    pub is_bot: bool,
}

/// A block of the standings.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct StandingsTable {
    /// `Established`, `Provisional` or `Inactive`.
    pub name: String,
    /// Its players, the best first.
    pub lines: Vec<StandingLine>,
    /// True if there are more.
    pub more: bool,
}

/// Somebody who looks for opponents.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct SeekLine {
    /// Their userid.
    pub userid: String,
    /// Number of boards they look for.
    pub wanted: i64,
    /// Options, as typed.
    pub terms: String,
    /// The reason for which no board begins for them now; left out where one may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rests: Option<String>,
}
