//! Boards.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use knotpost_picture::{PictureOptions, Theme};
use knotpost_rules::{Scores, View, Viewer};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::domain::{BoardKey, BoardRef, BoardState, Millis};
use crate::service::{
    Board, BoardQuery, BoardView, Code, Standing, chance, export_record, view_board, view_boards,
};
use crate::store::{BoardRow, SeatRow};
use crate::web::Web;
use crate::web::error::Problem;

/// Boards of a page, unless fewer are asked for.
const MOST: i64 = 200;
const USUAL: i64 = 50;

/// The query of a list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListQuery {
    game: Option<String>,
    user: Option<String>,
    state: Option<String>,
    next: Option<bool>,
    cursor: Option<i64>,
    limit: Option<i64>,
}

/// The query of a board.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PlyQuery {
    ply: Option<i64>,
}

type Queried<T> = Result<Query<T>, axum::extract::rejection::QueryRejection>;

pub(super) async fn list(State(web): State<Web>, query: Queried<ListQuery>) -> Result<Json<Value>, Problem> {
    let query = read(query)?;
    let state = match query.state.as_deref() {
        None => None,
        Some(word) => Some(BoardState::try_from(word.to_owned()).map_err(|_| {
            Problem::new(Code::BadValue, format!("`state` is active, over or removed, not `{word}`"))
        })?),
    };
    let limit = query.limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::new(Code::BadValue, format!("`limit` is a number from 1 to {MOST}")));
    }
    let page = view_boards(
        &web.app,
        BoardQuery {
            game: query.game.map(|game| game.to_lowercase()),
            userid: query.user,
            state,
            next: query.next.unwrap_or(false),
            after: query.cursor.map(BoardKey),
            limit,
        },
    )
    .await?;
    let boards: Vec<Value> = page.boards.iter().map(|(row, seats, _)| summary(row, seats)).collect();
    Ok(Json(json!({ "boards": boards, "cursor": page.next.map(|key| key.0) })))
}

fn summary(row: &BoardRow, seats: &[SeatRow]) -> Value {
    let to_move: Vec<&str> =
        seats.iter().filter(|seat| seat.to_move).map(|seat| seat.userid.as_str()).collect();
    let players: Vec<Value> =
        seats.iter().map(|seat| json!({ "userid": seat.userid, "seat": seat.seat })).collect();
    json!({
        "game": row.game,
        "number": row.number,
        "options": row.options,
        "players": players,
        "state": row.state.as_str(),
        "to_move": to_move,
        "ply": row.ply,
        "rated": row.rated,
        "started": row.started_at.to_rfc3339(),
        "ended": row.ended_at.map(|at| Millis(at).to_rfc3339()),
    })
}

pub(super) async fn show(
    State(web): State<Web>,
    Path((game, number)): Path<(String, String)>,
    query: Queried<PlyQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let view = find(&web, &game, &number, read(query)?.ply).await?;
    let body = whole(&view).to_string();
    let tag = entity_tag(&body);
    if is_known(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let json = HeaderValue::from_static("application/json");
    Ok(([(header::ETAG, tag), (header::CONTENT_TYPE, json)], body).into_response())
}

pub(super) async fn moves(
    State(web): State<Web>,
    Path((game, number)): Path<(String, String)>,
) -> Result<Json<Value>, Problem> {
    let view = find(&web, &game, &number, None).await?;
    Ok(Json(json!({ "moves": list_moves(&view.board) })))
}

pub(super) async fn legal(
    State(web): State<Web>,
    Path((game, number)): Path<(String, String)>,
    query: Queried<PlyQuery>,
) -> Result<Json<Value>, Problem> {
    let view = find(&web, &game, &number, read(query)?.ply).await?;
    let over = matches!(view.board.standing(), Standing::Over(_));
    let position = &view.board.position;
    let (legal, words, quota) = match position.steps("") {
        _ if over => (Vec::new(), Vec::new(), Vec::new()),
        Ok(Some(steps)) => (steps.next, position.legal_words(), steps.quota),
        _ => (position.legal_moves(), position.legal_words(), Vec::new()),
    };
    let mut answer = json!({ "legal": legal, "words": words });
    if let Some(fields) = answer.as_object_mut() {
        fields.extend(quota.into_iter().map(|(name, amount)| (name.to_owned(), json!(amount))));
    }
    Ok(Json(answer))
}

pub(super) async fn text(
    State(web): State<Web>,
    Path((game, number)): Path<(String, String)>,
    query: Queried<PlyQuery>,
) -> Result<String, Problem> {
    let view = find(&web, &game, &number, read(query)?.ply).await?;
    Ok(format!("{}\n", view.sheet.board.trim_end()))
}

/// The query of a picture.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PictureQuery {
    ply: Option<i64>,
    theme: Option<String>,
    width: Option<u16>,
}

pub(super) async fn svg(
    State(web): State<Web>,
    Path((game, number)): Path<(String, String)>,
    query: Queried<PictureQuery>,
) -> Result<Response, Problem> {
    let (view, options) = picture(&web, &game, &number, &read(query)?).await?;
    let kind = HeaderValue::from_static("image/svg+xml");
    Ok(([(header::CONTENT_TYPE, kind)], knotpost_picture::svg(&view, &options)).into_response())
}

pub(super) async fn png(
    State(web): State<Web>,
    Path((game, number)): Path<(String, String)>,
    query: Queried<PictureQuery>,
) -> Result<Response, Problem> {
    let (view, options) = picture(&web, &game, &number, &read(query)?).await?;
    // Drawing takes milliseconds; others are served meanwhile.
    let drawn = tokio::task::spawn_blocking(move || knotpost_picture::png(&view, &options)).await;
    match drawn {
        Ok(Ok(bytes)) => {
            let kind = HeaderValue::from_static("image/png");
            Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
        }
        Ok(Err(error)) => Err(Problem::new(Code::BadValue, error.to_string())),
        Err(error) => {
            tracing::error!(%error, "a picture could not be drawn");
            Err(Problem::new(Code::Unavailable, "the picture cannot be drawn at the moment"))
        }
    }
}

/// The narrowest and widest picture.
const WIDTHS: std::ops::RangeInclusive<u16> = 60..=1440;

async fn picture(
    web: &Web,
    game: &str,
    number: &str,
    query: &PictureQuery,
) -> Result<(View, PictureOptions), Problem> {
    let theme = match query.theme.as_deref().map(str::parse) {
        None => Theme::default(),
        Some(Ok(theme)) => theme,
        Some(Err(error)) => {
            let error: knotpost_picture::ParseThemeError = error;
            return Err(Problem::new(Code::BadValue, error.to_string()));
        }
    };
    let width_px = query.width.unwrap_or(720);
    if !WIDTHS.contains(&width_px) {
        let text = format!("`width` is a number from {} to {}", WIDTHS.start(), WIDTHS.end());
        return Err(Problem::new(Code::BadValue, text));
    }
    let view = find(web, game, number, query.ply).await?;
    let title = format!("{} board {}", view.board.title(), view.board.row.number);
    Ok((view.board.position.view(Viewer::Spectator), PictureOptions { theme, width_px, title }))
}

pub(super) async fn record(
    State(web): State<Web>,
    Path((game, number)): Path<(String, String)>,
    query: Queried<PlyQuery>,
) -> Result<String, Problem> {
    let name = board_name(&game, &number)?;
    Ok(export_record(&web.app, &name, read(query)?.ply).await?)
}

fn read<T>(query: Queried<T>) -> Result<T, Problem> {
    query.map(|Query(query)| query).map_err(|error| Problem::new(Code::BadValue, error.body_text()))
}

async fn find(web: &Web, game: &str, number: &str, ply: Option<i64>) -> Result<BoardView, Problem> {
    Ok(view_board(&web.app, &board_name(game, number)?, ply).await?)
}

pub(super) fn board_name(game: &str, number: &str) -> Result<BoardRef, Problem> {
    let game = game.to_lowercase();
    let number = number
        .parse()
        .map_err(|_| Problem::new(Code::NoSuchBoard, format!("there is no {game} board `{number}`")))?;
    Ok(BoardRef { game, number })
}

/// Changes with everything that is shown: a board may begin again with as many moves as before.
fn entity_tag(body: &str) -> HeaderValue {
    let digest = Sha256::digest(body.as_bytes());
    let tag = format!("\"{}\"", crate::secret::to_hex(digest.get(..16).unwrap_or(&digest)));
    HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether the client has it already: a list of tags, weak ones too (a proxy may have weakened them).
fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    known
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known).as_bytes() == tag.as_bytes())
}

fn list_moves(board: &Board) -> Vec<Value> {
    board
        .entries
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            json!({
                "number": entry.row.number,
                "seat": entry.row.seat,
                "userid": board.userid_at(board.present_seat(index)),
                "text": entry.text,
                "auto": entry.row.auto,
                "at": entry.row.at.to_rfc3339(),
            })
        })
        .collect()
}

fn whole(view: &BoardView) -> Value {
    let (board, row) = (&view.board, &view.board.row);
    let players: Vec<Value> = board
        .seats
        .iter()
        .map(|seat| json!({ "userid": seat.userid, "seat": seat.seat, "name": board.side(seat.seat) }))
        .collect();
    let standing = board.standing();
    let to_move: Vec<&str> = match &standing {
        Standing::ToMove(seat) => vec![board.userid_at(i64::from(seat.number()))],
        Standing::Over(_) => Vec::new(),
    };
    let result = match &standing {
        Standing::Over(outcome) => json!({
            "winners": outcome.winners().iter().map(|seat| seat.number()).collect::<Vec<_>>(),
            "tie": outcome.is_tie(),
            "reason": outcome.reason,
            "placings": outcome.placings,
        }),
        Standing::ToMove(_) => Value::Null,
    };
    let promise = chance(board);
    let mut value = json!({
        "game": row.game,
        "number": row.number,
        "options": row.options,
        "players": players,
        "state": row.state.as_str(),
        "to_move": to_move,
        "ply": board.entries.len(),
        "last_ply": view.last_ply,
        "position": board.position_text(),
        "moves": list_moves(board),
        "result": result,
        "rated": row.rated,
        "comment": view.comment.as_ref().map(|spoken| json!({ "by": spoken.who, "text": spoken.text })),
        "proposal": view.proposal.as_ref().map(|proposal| json!({
            "kind": proposal.kind.as_str(), "by": proposal.by, "waiting": proposal.waiting,
        })),
        "limits": {
            "nag_ms": board.timing.limits.nag.0,
            "forfeit_ms": board.timing.limits.forfeit.0,
            "total_ms": board.timing.limits.total.map(|total| total.0),
        },
        "seed_commitment": promise.as_ref().map(|promise| promise.commitment.as_str()),
        "seed": promise.as_ref().and_then(|promise| promise.seed.as_deref()),
        "rules_version": row.rules_version,
        "paused": row.paused_at.map(|at| Millis(at).to_rfc3339()),
        "started": row.started_at.to_rfc3339(),
        "ended": row.ended_at.map(|at| Millis(at).to_rfc3339()),
    });
    let (key, scores) = match board.position.scores() {
        Scores::Points(points) => ("scores", json!(points)),
        Scores::Paths(paths) => ("paths", json!(paths)),
    };
    if let Some(map) = value.as_object_mut() {
        map.insert(key.to_owned(), scores);
    }
    value
}
