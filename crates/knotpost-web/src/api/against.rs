//! Results of two users against each other.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Serialize;

use super::board_json::BoardSummary;
use crate::Web;
use crate::error::Problem;
use crate::extract::ApiPath;
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::queries::{GameScore, HeadToHead, ListedBoard, view_head_to_head};

/// Two users on the boards that both play or have played.
#[derive(Serialize, JsonSchema)]
pub(super) struct Against<'a> {
    /// The user who is counted for.
    userid: &'a str,
    /// The other user.
    other: &'a str,
    /// What came of the finished boards; games without one are left out.
    games: Vec<Score<'a>>,
    /// The number of boards being played.
    playing: u32,
    /// The latest of them, at most 10.
    active: Vec<BoardSummary<'a>>,
    /// The boards that ended last, at most 10.
    over: Vec<BoardSummary<'a>>,
}

/// Finished boards of a game.
#[derive(Serialize, JsonSchema)]
pub(super) struct Score<'a> {
    /// The game's name.
    game: &'a str,
    /// The user is among the winners, and the other is not.
    won: u32,
    /// The other is among the winners, and the user is not.
    lost: u32,
    /// Both or neither are.
    tied: u32,
}

impl<'a> Against<'a> {
    fn of(found: &'a HeadToHead) -> Self {
        let score = |score: &'a GameScore| Score {
            game: &score.game,
            won: score.won,
            lost: score.lost,
            tied: score.tied,
        };
        let list =
            |boards: &'a [ListedBoard]| boards.iter().map(|board| BoardSummary::of(&board.summary)).collect();
        Self {
            userid: &found.userid,
            other: &found.other,
            games: found.games.iter().map(score).collect(),
            playing: found.playing,
            active: list(&found.active),
            over: list(&found.over),
        }
    }
}

pub(super) const SHOW: Operation =
    Operation::new("show_head_to_head", Tag::Users, "Two users against each other")
        .details("Of the latest 5000 boards of each, those that both are on.")
        .gives::<Against<'static>>("How they stand, and the boards between them.")
        .refuses(&[Code::NoSuchUser, Code::BadValue]);

pub(super) async fn show(
    State(web): State<Web>,
    ApiPath((userid, other)): ApiPath<(String, String)>,
) -> Result<Response, Problem> {
    let found = view_head_to_head(&web.app, &userid, &other).await?;
    Ok(Json(Against::of(&found)).into_response())
}
