//! Boards.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header::CONTENT_TYPE};
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board_json::{Moves, WholeBoard};
use crate::Web;
use crate::content::Content;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery, board_name};
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::{Code, Standing};
use knotpost_core::queries::{BoardPage, BoardQuery, BoardView, list_moves, view_board, view_boards};
use knotpost_core::records::{export_format, export_record};
use knotpost_model::{BoardKey, BoardRef, BoardState, TournamentName};

const MOST: i64 = 200;
const USUAL: i64 = 50;

pub(super) const UNKNOWN: &[Code] = &[Code::UnknownGame, Code::NoSuchBoard, Code::BadValue];

const UNKNOWN_OR_ILLEGAL: &[Code] =
    &[Code::UnknownGame, Code::NoSuchBoard, Code::BadValue, Code::IllegalMove, Code::NotSupported];

/// The query of a list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListQuery {
    /// Only boards of this game.
    game: Option<String>,
    /// Only boards of this user.
    user: Option<String>,
    /// Only boards in this state.
    #[schemars(with = "Option<BoardState>")]
    state: Option<String>,
    /// Only boards where it is the turn of `user`.
    next: Option<bool>,
    /// Only boards of this tournament.
    tournament: Option<String>,
    /// The `cursor` of the page before.
    cursor: Option<i64>,
    /// The most entries of the page; 50 by default.
    #[schemars(range(min = 1, max = MOST))]
    limit: Option<i64>,
}

/// The query of a board.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PlyQuery {
    /// After this move; `0`: before the first, negative numbers count from the last. Without it: as it is now.
    ply: Option<i64>,
}

pub(super) const LIST: Operation =
    Operation::new("list_boards", Tag::Boards, "Boards, in the order in which they began")
        .asks::<ListQuery>()
        .gives::<BoardPage>("A page of boards.")
        .refuses(&[Code::UnknownGame, Code::NoSuchUser]);

pub(super) async fn list(
    State(web): State<Web>,
    ApiQuery(query): ApiQuery<ListQuery>,
) -> Result<Json<BoardPage>, Problem> {
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
    let tournament = match query.tournament {
        None => None,
        Some(name) => Some(TournamentName::from_word(&name).ok_or_else(|| {
            Problem::new(Code::BadValue, format!("`{name}` is not the name of a tournament, such as `t1`"))
        })?),
    };
    let page = view_boards(
        &web.app,
        BoardQuery {
            game: query.game.map(|game| game.to_lowercase()),
            userid: query.user,
            state,
            next: query.next.unwrap_or(false),
            tournament,
            after: query.cursor.map(BoardKey),
            limit,
        },
    )
    .await?;
    Ok(Json(page))
}

pub(super) const SHOW: Operation =
    Operation::new("show_board", Tag::Boards, "A board, now or after any move")
        .asks::<PlyQuery>()
        .gives::<WholeBoard<'static>>("The board.")
        .refuses(UNKNOWN)
        .tagged();

pub(super) async fn show(
    State(web): State<Web>,
    ApiPath((game, number)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<PlyQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answer(&web, (&game, &number, query.ply), "application/json", &headers, |view| {
        let standing = view.board.standing();
        serde_json::to_string(&WholeBoard::of(view, &standing)).map_err(|error| {
            tracing::error!(%error, "a board could not be written");
            Problem::new(Code::Unavailable, "the board cannot be shown at the moment")
        })
    })
    .await
}

pub(super) const MOVES: Operation = Operation::new("list_moves", Tag::Boards, "The moves of a board")
    .gives::<Moves>("The moves.")
    .refuses(UNKNOWN);

pub(super) async fn moves(
    State(web): State<Web>,
    ApiPath((game, number)): ApiPath<(String, String)>,
) -> Result<Json<Moves>, Problem> {
    let view = find(&web, &game, &number, None).await?;
    Ok(Json(Moves { moves: list_moves(&view.board) }))
}

/// The query of the legal moves.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LegalQuery {
    /// After this move; `0`: before the first, negative numbers count from the last. Without it: as it is now.
    ply: Option<i64>,
    /// In a game whose moves have parts: a move that was begun, one of those that were listed before.
    #[serde(default)]
    begun: String,
}

/// Legal moves of a position.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names that programs read")]
pub(super) struct Legal {
    /// The legal moves, sorted by bytes. In a game whose moves have parts: each part that a complete legal move can begin
    /// with, or `begun` with one part more; empty when `begun` is a complete move.
    legal: Vec<String>,
    /// `pass` and `swap`, where they are legal.
    words: Vec<&'static str>,
    /// The properties of a complete move of this turn, such as `dice` and `designs`.
    #[serde(flatten)]
    quota: BTreeMap<&'static str, u32>,
}

pub(super) const LEGAL: Operation =
    Operation::new("list_legal_moves", Tag::Boards, "The legal moves of a board")
        .details(
            "A move of Osbo has parts, one a die: ask with each `begun` that you choose from `legal`, until nothing is \
             listed any more; what was begun is the move then. `words` are moves by themselves.",
        )
        .asks::<LegalQuery>()
        .gives::<Legal>("What can be played; nothing when it is over.")
        .refuses(UNKNOWN_OR_ILLEGAL);

pub(super) async fn legal(
    State(web): State<Web>,
    ApiPath((game, number)): ApiPath<(String, String)>,
    ApiQuery(LegalQuery { ply, begun }): ApiQuery<LegalQuery>,
) -> Result<Json<Legal>, Problem> {
    let view = find(&web, &game, &number, ply).await?;
    let over = matches!(view.board.standing(), Standing::Over(_));
    let position = &view.board.position;
    let (legal, words, quota) = match position.steps(&begun) {
        _ if over => (Vec::new(), Vec::new(), Vec::new()),
        Ok(Some(steps)) if begun.is_empty() => (steps.next, position.legal_words(), steps.quota),
        Ok(Some(steps)) => (steps.next, Vec::new(), steps.quota),
        Err(error) if !begun.is_empty() => return Err(Problem::new(Code::IllegalMove, error.to_string())),
        _ if !begun.is_empty() => {
            return Err(Problem::new(Code::NotSupported, format!("moves of {game} have no parts")));
        }
        _ => (position.legal_moves(), position.legal_words(), Vec::new()),
    };
    Ok(Json(Legal { legal, words, quota: quota.into_iter().collect() }))
}

pub(super) const TEXT: Operation = Operation::new("show_board_text", Tag::Boards, "A board as text")
    .asks::<PlyQuery>()
    .gives_text("text/plain", "The board as mails draw it.")
    .refuses(UNKNOWN)
    .tagged();

pub(super) async fn text(
    State(web): State<Web>,
    ApiPath((game, number)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<PlyQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answer(&web, (&game, &number, query.ply), "text/plain; charset=utf-8", &headers, |view| {
        Ok(format!("{}\n", view.sheet.drawing.text().trim_end()))
    })
    .await
}

async fn answer(
    web: &Web,
    (game, number, ply): (&str, &str, Option<i64>),
    kind: &'static str,
    headers: &HeaderMap,
    write: impl FnOnce(&BoardView) -> Result<String, Problem>,
) -> Result<Response, Problem> {
    let content = match ply {
        None => web.board_answers.answer(&web.app, board_name(game, number)?, kind, write).await?,
        Some(_) => Content::new(kind, write(&find(web, game, number, ply).await?)?),
    };
    Ok(content.unless_known(headers))
}

pub(super) const RECORD: Operation = Operation::new("show_record", Tag::Boards, "A board as a game record")
    .details("`knotpost import` and `knotpost play --record` read it; its form is in the documentation.")
    .asks::<PlyQuery>()
    .gives_text("text/plain", "The record.")
    .refuses(UNKNOWN);

pub(super) async fn record(
    State(web): State<Web>,
    ApiPath((game, number)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<PlyQuery>,
) -> Result<String, Problem> {
    let name = board_name(&game, &number)?;
    Ok(export_record(&web.app, &name, query.ply).await?)
}

pub(super) const RECORD_FORMAT: Operation =
    Operation::new("show_record_format", Tag::Boards, "A board as a record in a form of its game")
        .details("`file` is `record.` and the form that programs for the game read: `record.sgf` of go.")
        .asks::<PlyQuery>()
        .gives_text("application/x-go-sgf", "The record.")
        .refuses(&[Code::UnknownGame, Code::NoSuchBoard, Code::BadValue, Code::NotSupported]);

pub(super) async fn record_format(
    State(web): State<Web>,
    ApiPath((game, number, file)): ApiPath<(String, String, String)>,
    ApiQuery(query): ApiQuery<PlyQuery>,
) -> Result<impl axum::response::IntoResponse, Problem> {
    let name = board_name(&game, &number)?;
    let word = file.strip_prefix("record.").unwrap_or_default();
    let (media, text) = export_format(&web.app, &name, word, query.ply).await?;
    Ok(([(CONTENT_TYPE, media)], text))
}

pub(super) async fn find(
    web: &Web,
    game: &str,
    number: &str,
    ply: Option<i64>,
) -> Result<BoardView, Problem> {
    Ok(view_board(&web.app, &board_name(game, number)?, ply).await?)
}

/// Checks the game; the board may not exist.
pub(super) fn board_of_a_game(web: &Web, game: &str, number: &str) -> Result<BoardRef, Problem> {
    let name = board_name(game, number)?;
    if web.app.games.find(&name.game).is_none() {
        return Err(Problem::new(Code::UnknownGame, format!("there is no game `{}` here", name.game)));
    }
    Ok(name)
}
