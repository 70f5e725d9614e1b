//! Boards for administrators' programs.

use axum::extract::State;
use axum::{Extension, Json};
use knotpost_rules::Layout;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CurrentAdmin, Done, carry_out, no_such_act, operation};
use crate::Web;
use crate::api::boards;
use crate::api::boards::board_name;
use crate::api::read_json;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery, RawBody};
use crate::openapi::Operation;
use knotpost_core::admin::{AdminAction, BoardAction, Inspection, administer, inspect_board};
use knotpost_core::boards::Code;
use knotpost_core::queries::list_moves;
use knotpost_model::{BoardState, Moment, SeatState};

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

/// A board as administrators see it.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct InspectedBoard {
    /// The game's name.
    game: String,
    /// The number among the game's boards.
    number: i64,
    /// The options, those with their default value left out.
    options: String,
    /// Its state.
    state: BoardState,
    /// Since when its clock is stopped.
    paused: Option<Moment>,
    /// Whether its result counts for the ratings.
    rated: bool,
    /// Whose turn it is, or how it ended, as a sentence.
    status: String,
    /// The number of this move.
    ply: usize,
    /// The number of the last move there is.
    last_ply: i64,
    /// The position string.
    position: String,
    /// The board as text.
    text: String,
    /// Its seats in turn order.
    seats: Vec<InspectedSeat>,
    /// Moves that wait for their turn.
    queued: Vec<QueuedMoves>,
    /// The moves so far.
    moves: Vec<PlainMove>,
    /// When it began.
    started: Moment,
    /// When it ended.
    ended: Option<Moment>,
    /// When the clock checks it next.
    due: Option<Moment>,
    /// When the player to move was reminded last.
    reminded: Option<Moment>,
    /// The users who are mailed about it without playing.
    watchers: Vec<String>,
}

/// A seat as administrators see it.
#[derive(Serialize, JsonSchema)]
struct InspectedSeat {
    /// From 1, in turn order.
    seat: i64,
    /// The player in this seat.
    userid: String,
    /// Whether it still plays.
    state: SeatState,
    /// Whether it is its turn.
    to_move: bool,
    /// Whether it resigns on its next turn.
    resigns_on_turn: bool,
    /// Whether moves wait for its turn.
    has_queued: bool,
}

/// Moves that wait for their turn.
#[derive(Serialize, JsonSchema)]
struct QueuedMoves {
    /// The seat.
    seat: i64,
    /// The player in this seat.
    userid: String,
    /// The moves, as typed.
    moves: String,
}

/// A move.
#[derive(Serialize, JsonSchema)]
struct PlainMove {
    /// Its number, from 1.
    number: i64,
    /// The seat that made it.
    seat: i64,
    /// As the list of moves spells it.
    text: String,
    /// Whether the server made it for the player.
    auto: bool,
    /// When it was made.
    at: Moment,
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
    let seen = inspect_board(&web.app, &name, query.ply, query.seat).await?;
    Ok(Json(inspected(seen)))
}

const ACTS: [&str; 5] = ["pause", "resume", "adjudicate", "take_back", "remove"];

/// A change to a board.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BoardChange")]
pub(in crate::api) struct BoardRequest {
    /// What is done.
    #[schemars(extend("enum" = ACTS))]
    act: String,
    /// Why; the players are told in a mail.
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
    let action = match request.act.as_str() {
        "pause" => BoardAction::Pause,
        "resume" => BoardAction::Resume,
        "adjudicate" => BoardAction::Adjudicate { winners: request.winners },
        "take_back" => BoardAction::TakeBack,
        "remove" => BoardAction::Remove,
        _ => return Err(no_such_act(&ACTS)),
    };
    let board = board_name(&game, &number)?;
    carry_out(&web, &caller, AdminAction::Board { board, action, why: request.why }).await
}

fn inspected(seen: Inspection) -> InspectedBoard {
    let text = seen.view.lay_out(Layout::Standard);
    let (seats, moves) = (inspected_seats(&seen), plain_moves(&seen));
    let Inspection { board, summary, .. } = seen;
    InspectedBoard {
        game: summary.game,
        number: summary.number,
        options: summary.options,
        state: summary.state,
        paused: summary.paused.map(Moment::from),
        rated: summary.rated,
        status: seen.sheet.verdict.to_string(),
        ply: board.entries.len(),
        last_ply: summary.last_ply,
        position: board.position_text(),
        text,
        seats,
        moves,
        started: summary.started.into(),
        ended: summary.ended.map(Moment::from),
        due: summary.due.map(Moment::from),
        reminded: summary.reminded.map(Moment::from),
        watchers: seen.sheet.subscribers,
        queued: seen
            .queued
            .into_iter()
            .map(|line| QueuedMoves { seat: line.seat, userid: line.userid, moves: line.moves })
            .collect(),
    }
}

fn inspected_seats(seen: &Inspection) -> Vec<InspectedSeat> {
    let seats = seen.summary.seats.iter().map(|seat| InspectedSeat {
        seat: seat.seat,
        userid: seat.userid.clone(),
        state: seat.state,
        to_move: seat.to_move,
        resigns_on_turn: seat.resigns_on_turn,
        has_queued: seat.has_queued,
    });
    seats.collect()
}

fn plain_moves(seen: &Inspection) -> Vec<PlainMove> {
    let moves = list_moves(&seen.board).map(|line| PlainMove {
        number: line.number,
        seat: line.seat,
        text: line.text.to_owned(),
        auto: line.auto,
        at: line.at.into(),
    });
    moves.collect()
}
