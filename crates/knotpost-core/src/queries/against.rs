//! Head to head: the record of two users against each other, and their common boards.

use knotpost_rules::Registry;
use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_present_user};
use crate::queries::{BoardSummary, ListedBoard};
use knotpost_model::{BoardKey, BoardState};
use knotpost_storage::{ReadTx, SharedBoardRow, StoreError};

/// Latest boards considered per user; a user with more is a program.
const BOARDS: i64 = 5000;
const MOST_LISTED: usize = 10;

/// Two users on the boards that both play or have played.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Against")]
pub struct HeadToHead {
    /// The user who is counted for.
    pub userid: String,
    /// The other user.
    pub other: String,
    /// Outcomes of the finished boards; games without one are left out.
    pub games: Vec<GameScore>,
    /// The number of boards being played.
    pub playing: u32,
    /// The latest of them, at most 10.
    #[schemars(with = "Vec<BoardSummary>")]
    pub active: Vec<ListedBoard>,
    /// The boards that ended last, at most 10.
    #[schemars(with = "Vec<BoardSummary>")]
    pub over: Vec<ListedBoard>,
}

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

pub async fn view_head_to_head(app: &App, userid: &str, other: &str) -> Result<HeadToHead, ServiceError> {
    let mut tx = app.store.read().await?;
    let (user, other) = (find_present_user(&mut tx, userid).await?, find_present_user(&mut tx, other).await?);
    if user.id == other.id {
        return Err(Refusal::new(Code::BadValue, "nobody plays against themselves: name two users").into());
    }
    let rows = tx.shared_boards(user.id, other.id, BOARDS).await?;
    let (mut over, active): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| row.state == BoardState::Over);
    over.sort_by_key(|row| Reverse((row.ended_at, row.id)));
    Ok(HeadToHead {
        userid: user.userid,
        other: other.userid,
        games: count(app.games.registry, &over),
        playing: u32::try_from(active.len()).unwrap_or(u32::MAX),
        active: list(&mut tx, app, &active).await?,
        over: list(&mut tx, app, &over).await?,
    })
}

fn count(registry: &'static Registry, over: &[SharedBoardRow]) -> Vec<GameScore> {
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
    let scores = registry.iter().map(|game| score(game.meta().name, game.meta().title));
    scores.filter(|score| score.won + score.lost + score.tied > 0).collect()
}

async fn list(tx: &mut ReadTx, app: &App, rows: &[SharedBoardRow]) -> Result<Vec<ListedBoard>, StoreError> {
    let keys: Vec<BoardKey> = rows.iter().take(MOST_LISTED).map(|row| row.id).collect();
    let mut boards = tx.seated_boards(&keys).await?;
    let found = keys.iter().filter_map(|key| boards.remove(key));
    let found = found.map(|found| (found.board, found.seats)).collect();
    super::views::list(tx, app, found).await
}
