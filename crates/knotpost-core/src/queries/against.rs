//! Head to head: the record of two users against each other, and their common boards.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_present_user};
use crate::play::meetings::{GameScore, list_meetings, scores};
use crate::queries::{BoardSummary, ListedBoard};
use knotpost_model::{BoardKey, BoardState};
use knotpost_storage::{ReadTx, SharedBoardRow, StoreError};

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

pub async fn view_head_to_head(app: &App, userid: &str, other: &str) -> Result<HeadToHead, ServiceError> {
    let mut tx = app.store.read().await?;
    let (user, other) = (find_present_user(&mut tx, userid).await?, find_present_user(&mut tx, other).await?);
    if user.id == other.id {
        return Err(Refusal::new(Code::BadValue, "nobody plays against themselves: name two users").into());
    }
    let rows = list_meetings(&mut tx, user.id, other.id).await?;
    let (mut over, active): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| row.state == BoardState::Over);
    over.sort_by_key(|row| Reverse((row.ended_at, row.id)));
    Ok(HeadToHead {
        userid: user.userid,
        other: other.userid,
        games: scores(&app.games, &over),
        playing: u32::try_from(active.len()).unwrap_or(u32::MAX),
        active: list(&mut tx, app, &active).await?,
        over: list(&mut tx, app, &over).await?,
    })
}

async fn list(tx: &mut ReadTx, app: &App, rows: &[SharedBoardRow]) -> Result<Vec<ListedBoard>, StoreError> {
    let keys: Vec<BoardKey> = rows.iter().take(MOST_LISTED).map(|row| row.id).collect();
    super::views::list_keys(tx, app, &keys).await
}
