//! Boards for administrators' programs.

use axum::extract::State;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CurrentAdmin, Done, carry_out, named, operation};
use crate::Web;
use crate::api::boards;
use crate::api::read_json;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery, RawBody, board_name};
use crate::openapi::Operation;
use knotpost_core::admin::{AdminAction, BOARD_ACTS, InspectedBoard, act_words, administer, inspect_board};
use knotpost_core::boards::Code;

pub(in crate::api) const LIST_BOARDS: Operation =
    boards::LIST.renamed(operation("search_boards", "Boards, removed ones with `state=removed`"));

/// As which player and after which move a board is viewed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(in crate::api) struct BoardQuery {
    /// After this move. Without it: as it is now.
    ply: Option<i64>,
    /// As the player in this seat sees it. Such a view is recorded in the audit log.
    #[schemars(range(min = 1))]
    seat: Option<u8>,
}

const UNKNOWN: &[Code] = &[Code::UnknownGame, Code::NoSuchBoard, Code::BadValue, Code::Conflict];

pub(in crate::api) const BOARD: Operation = operation("inspect_board", "A board with anybody's eyes")
    .asks::<BoardQuery>()
    .gives::<InspectedBoard>("The board.")
    .refuses(UNKNOWN);

pub(in crate::api) async fn board(
    State(web): State<Web>,
    Extension(caller): CurrentAdmin,
    ApiPath((game, number)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<BoardQuery>,
) -> Result<Json<InspectedBoard>, Problem> {
    let name = board_name(&game, &number)?;
    if let Some(seat) = query.seat {
        let action = AdminAction::LookAs { board: name.clone(), seat };
        administer(&web.app, &caller.administrator(), action).await?;
    }
    Ok(Json(inspect_board(&web.app, &name, query.ply, query.seat).await?))
}

/// A change to a board.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BoardChange")]
pub(in crate::api) struct BoardRequest {
    /// Name of the action.
    #[schemars(extend("enum" = act_words(BOARD_ACTS)))]
    act: String,
    /// Reason, which the players are told in a mail.
    #[serde(default)]
    why: String,
    /// With `adjudicate`: the seats that win, several for a tie.
    #[serde(default)]
    winners: Vec<u8>,
}

pub(in crate::api) const CHANGE_BOARD: Operation = operation("change_board", "Changes a board")
    .takes::<BoardRequest>()
    .gives::<Done>("It is done.")
    .refuses(&[
        Code::UnknownGame,
        Code::NoSuchBoard,
        Code::GameOver,
        Code::Conflict,
        Code::BadValue,
        Code::NotSupported,
    ]);

pub(in crate::api) async fn change_board(
    State(web): State<Web>,
    Extension(caller): CurrentAdmin,
    ApiPath((game, number)): ApiPath<(String, String)>,
    RawBody(body): RawBody,
) -> Result<Json<Done>, Problem> {
    let request: BoardRequest = read_json(&body, r#"{"act":"pause","why":"…","winners":[1]}"#)?;
    let of = (board_name(&game, &number)?, request.why, request.winners);
    carry_out(&web, &caller, named(BOARD_ACTS, &request.act, of)?).await
}
