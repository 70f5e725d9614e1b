//! Boards for administrators' programs: one with anybody's eyes, and what may be done to it.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::{Extension, Json};
use knotpost_rules::Layout;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Acting, Answered, Queried, carry_out, read};
use crate::domain::Millis;
use crate::service::{BoardDeed, Code, Deed, Inspection, administer, inspect_board};
use crate::web::Web;
use crate::web::api::boards::board_name;
use crate::web::api::read_json;
use crate::web::error::Problem;

/// With whose eyes a board is looked at, and when.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::web::api) struct BoardQuery {
    ply: Option<i64>,
    seat: Option<u8>,
}

pub(in crate::web::api) async fn board(
    State(web): State<Web>,
    Extension(caller): Acting,
    Path((game, number)): Path<(String, String)>,
    query: Queried<BoardQuery>,
) -> Answered {
    let (query, name) = (read(query)?, board_name(&game, &number)?);
    if let Some(seat) = query.seat {
        let deed = Deed::LookAs { board: name.clone(), seat };
        administer(&web.app, &caller.administrator(), deed).await?;
    }
    let seen = inspect_board(&web.app, &name, query.ply, query.seat).await?;
    Ok(Json(board_json(&seen)))
}

/// A change to a board.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardRequest {
    act: String,
    #[serde(default)]
    why: String,
    #[serde(default)]
    winners: Vec<u8>,
}

pub(in crate::web::api) async fn change_board(
    State(web): State<Web>,
    Extension(caller): Acting,
    Path((game, number)): Path<(String, String)>,
    body: Bytes,
) -> Answered {
    let wish: BoardRequest = read_json(&body, r#"{"act":"pause","why":"…","winners":[1]}"#)?;
    let deed = match wish.act.as_str() {
        "pause" => BoardDeed::Pause,
        "resume" => BoardDeed::Resume,
        "adjudicate" => BoardDeed::Adjudicate { winners: wish.winners },
        "take_back" => BoardDeed::TakeBack,
        "remove" => BoardDeed::Remove,
        _ => {
            let text = "`act` is pause, resume, adjudicate, take_back or remove";
            return Err(Problem::new(Code::BadValue, text));
        }
    };
    let board = board_name(&game, &number)?;
    carry_out(&web, &caller, Deed::Board { board, deed, why: wish.why }).await
}

fn board_json(seen: &Inspection) -> Value {
    let row = &seen.board.row;
    let seats: Vec<Value> = seen
        .board
        .seats
        .iter()
        .map(|seat| {
            json!({
                "seat": seat.seat, "userid": seat.userid, "state": seat.state.as_str(), "to_move": seat.to_move,
                "resigns_on_turn": seat.resign_pending, "has_queued": seat.queued,
            })
        })
        .collect();
    let (moves, queued) = moves_json(seen);
    let time = |at: Option<i64>| at.map(|at| Millis(at).to_rfc3339());
    json!({
        "game": row.game, "number": row.number, "options": row.options, "state": row.state.as_str(),
        "paused": time(row.paused_at), "rated": row.rated, "status": seen.sheet.verdict.to_string(),
        "ply": seen.board.entries.len(), "last_ply": seen.last_ply, "position": seen.board.position_text(),
        "text": seen.view.lay_out(Layout::Standard), "seats": seats, "queued": queued, "moves": moves,
        "started": row.started_at.to_rfc3339(), "ended": time(row.ended_at), "due": time(row.due_at),
        "reminded": time(row.nagged_at), "watchers": seen.sheet.subscribers,
    })
}

/// The moves, and those that wait for their turn.
fn moves_json(seen: &Inspection) -> (Vec<Value>, Vec<Value>) {
    let queued: Vec<Value> = seen
        .queued
        .iter()
        .map(|line| json!({ "seat": line.seat, "userid": line.userid, "moves": line.moves }))
        .collect();
    let moves: Vec<Value> = seen
        .board
        .entries
        .iter()
        .map(|entry| {
            json!({
                "number": entry.row.number, "seat": entry.row.seat, "text": entry.text, "auto": entry.row.auto,
                "at": entry.row.at.to_rfc3339(),
            })
        })
        .collect();
    (moves, queued)
}
