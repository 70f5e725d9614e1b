//! Meetings of two users: their common boards and the score between them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::boards::Games;
use knotpost_model::UserKey;
use knotpost_storage::{ReadTx, SharedBoardRow, StoreError};

/// Latest boards considered per user; a user with more is a program.
const BOARDS: i64 = 5000;

/// Finished boards of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Score")]
pub struct GameScore {
    /// The game's name.
    pub game: String,
    #[serde(skip)]
    pub title: String,
    /// The user is among the winners, and the other is not.
    pub won: u32,
    /// The other is among the winners, and the user is not.
    pub lost: u32,
    /// Both or neither are.
    pub tied: u32,
}

pub(crate) async fn list_meetings(
    tx: &mut ReadTx,
    user: UserKey,
    other: UserKey,
) -> Result<Vec<SharedBoardRow>, StoreError> {
    tx.shared_boards(user, other, BOARDS).await
}

/// The score by game; games without a finished board are left out.
pub(crate) fn scores(games: &Games, over: &[SharedBoardRow]) -> Vec<GameScore> {
    let score = |name: &str, title: &str| {
        let mut score =
            GameScore { game: name.to_owned(), title: title.to_owned(), won: 0, lost: 0, tied: 0 };
        for row in over.iter().filter(|row| row.game == name) {
            match (row.first_won, row.second_won) {
                (true, false) => score.won += 1,
                (false, true) => score.lost += 1,
                (true, true) | (false, false) => score.tied += 1,
            }
        }
        score
    };
    let scores = games.registry.iter().map(|game| score(game.meta().name, game.meta().title));
    scores.filter(|score| score.won + score.lost + score.tied > 0).collect()
}
