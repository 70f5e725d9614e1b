//! Boards as pictures: alone, or on a card for link previews.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use knotpost_picture::{PictureOptions, Theme, most_frames};
use schemars::JsonSchema;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::boards::{UNKNOWN, find};
use crate::Web;
use crate::client::Client;
use crate::content::{Content, not_modified, tag_of};
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery};
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::gallery::{Busy, Look};
use knotpost_core::queries::{BoardView, replay_views};

const WIDTHS: std::ops::RangeInclusive<u16> = 60..=1440;
/// Drawn widths of PNG pictures, few on purpose: the next one not narrower than requested.
const SIZES: [u16; 5] = [180, 360, 720, 1080, 1440];
/// Widths of animations.
const ANIMATED: [u16; 2] = [360, 720];
/// For addresses whose content never changes.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// For addresses whose content changes with the next move, or when moves are taken back.
const ASK_AGAIN: &str = "public, no-cache";

/// The query of a drawing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct DrawingQuery {
    /// After this move; `0`: before the first, negative numbers count from the last. Without it: as it is now.
    ply: Option<i64>,
    /// The colours; light ground unless it says otherwise.
    #[schemars(extend("enum" = [Theme::Light, Theme::Dark].map(|theme| theme.to_string())))]
    theme: Option<String>,
    /// In pixels; 720 unless it says otherwise.
    #[schemars(range(min = *WIDTHS.start(), max = *WIDTHS.end()))]
    width: Option<u16>,
    /// The mark of the picture, as in links on pages. While it is the current one, the answer never changes.
    v: Option<String>,
}

/// The query of a picture.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PictureQuery {
    /// After this move; `0`: before the first, negative numbers count from the last. Without it: as it is now.
    ply: Option<i64>,
    /// The colours; light ground unless it says otherwise.
    #[schemars(extend("enum" = [Theme::Light, Theme::Dark].map(|theme| theme.to_string())))]
    theme: Option<String>,
    /// In pixels, at least: it is drawn 180, 360, 720, 1080 or 1440 wide; 720 unless it says otherwise. A card has its
    /// own size.
    #[schemars(range(min = *WIDTHS.start(), max = *WIDTHS.end()))]
    width: Option<u16>,
    /// The board alone, unless it says otherwise; `card`: in the middle of a card of 1200 by 630 pixels.
    #[schemars(extend("enum" = ["board", "card"]))]
    frame: Option<String>,
    /// The mark of the picture, as in links on pages. While it is the current one, the answer never changes.
    v: Option<String>,
}

pub(super) const SVG: Operation = Operation::new("draw_board_svg", Tag::Boards, "A board as a drawing (SVG)")
    .asks::<DrawingQuery>()
    .gives_text("image/svg+xml", "The drawing.")
    .refuses(UNKNOWN)
    .tagged();

pub(super) async fn svg(
    State(web): State<Web>,
    ApiPath((game, number)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<DrawingQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (theme, width_px) = (read_theme(query.theme.as_deref())?, read_width(query.width)?);
    let view = find(&web, &game, &number, query.ply).await?;
    let title = format!("{} board {}", view.board.title(), view.summary.number);
    let drawing = knotpost_picture::svg(
        view.sheet.drawing.view(),
        &PictureOptions { theme, width_px, title, ..PictureOptions::default() },
    );
    let answer = Content::new("image/svg+xml", drawing).unless_known(&headers);
    Ok(with_cache_control(answer, &view, query.v.as_deref()))
}

pub(super) const PNG: Operation = Operation::new("draw_board_png", Tag::Boards, "A board as a picture (PNG)")
    .asks::<PictureQuery>()
    .gives_bytes("image/png", "The picture.")
    .refuses(UNKNOWN)
    .tagged();

pub(super) async fn png(
    State(web): State<Web>,
    client: Client,
    ApiPath((game, number)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<PictureQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (theme, width) = (read_theme(query.theme.as_deref())?, read_width(query.width)?);
    let width_px = SIZES.into_iter().find(|size| *size >= width).unwrap_or(*WIDTHS.end());
    let look = match query.frame.as_deref() {
        None | Some("board") => Look::Board { theme, width_px },
        Some("card") => Look::Card { theme },
        Some(other) => {
            let text = format!("`frame` is board or card, not `{other}`");
            return Err(Problem::new(Code::BadValue, text));
        }
    };
    let view = find(&web, &game, &number, query.ply).await?;
    let drawn = web.app.gallery.show(client.host(), Arc::clone(view.sheet.drawing.view()), look).await;
    let bytes = drawn
        .map_err(|Busy| busy())?
        .ok_or_else(|| Problem::new(Code::BadValue, "this board cannot be drawn in that size"))?;
    let answer = Content::new("image/png", Bytes::from_owner(bytes)).unless_known(&headers);
    Ok(with_cache_control(answer, &view, query.v.as_deref()))
}

/// The query of an animation.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AnimationQuery {
    /// Up to this move; negative numbers count from the last. Without it: to the end.
    ply: Option<i64>,
    /// The colours; light ground unless it says otherwise.
    #[schemars(extend("enum" = [Theme::Light, Theme::Dark].map(|theme| theme.to_string())))]
    theme: Option<String>,
    /// 360 pixels wide, unless it says otherwise.
    #[schemars(extend("enum" = ANIMATED))]
    width: Option<u16>,
    /// The mark of the picture, as in links on pages. While it is the current one, the answer never changes.
    v: Option<String>,
}

pub(super) const ANIMATION: Operation =
    Operation::new("animate_board", Tag::Boards, "A game as an animated picture (APNG)")
        .details(
            "The game from its beginning, without an end; of a long game some positions. Programs that \
             show still pictures show the last position.",
        )
        .asks::<AnimationQuery>()
        .gives_bytes("image/png", "The picture.")
        .refuses(UNKNOWN)
        .tagged();

pub(super) async fn animation(
    State(web): State<Web>,
    client: Client,
    ApiPath((game, number)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<AnimationQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let theme = read_theme(query.theme.as_deref())?;
    let width_px = query.width.unwrap_or(ANIMATED[0]);
    if !ANIMATED.contains(&width_px) {
        let text = format!("`width` is {} or {}", ANIMATED[0], ANIMATED[1]);
        return Err(Problem::new(Code::BadValue, text));
    }
    let view = find(&web, &game, &number, query.ply).await?;
    let facts = [picture_mark(&view), theme.to_string(), width_px.to_string()];
    let tag = tag_of(&facts);
    if let Some(known) = not_modified(&headers, &tag) {
        return Ok(with_cache_control(known, &view, query.v.as_deref()));
    }
    let (app, board) = (Arc::clone(&web.app), view.board.clone());
    let views = move || replay_views(&app.games, &board, most_frames(width_px));
    let drawn = web.app.gallery.animate(client.host(), views, (theme, width_px)).await;
    let bytes = drawn
        .map_err(|Busy| busy())?
        .ok_or_else(|| Problem::new(Code::BadValue, "this game cannot be drawn in that size"))?;
    let name = format!("inline; filename=\"{}-{}.png\"", view.summary.game, view.summary.number);
    let head = [
        (header::ETAG, tag),
        (header::CONTENT_TYPE, HeaderValue::from_static("image/png")),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("inline")),
        ),
    ];
    Ok(with_cache_control((head, bytes).into_response(), &view, query.v.as_deref()))
}

pub(crate) fn busy() -> Problem {
    let text = "too many pictures are being drawn at the moment; try again in a few seconds";
    Problem::new(Code::Unavailable, text).retry_after(5)
}

/// Distinguishes a picture from others of the board with as many moves, with other players or another standing, and
/// from those of other versions of the program.
pub(crate) fn picture_mark(view: &BoardView) -> String {
    let board = &view.board;
    let mut digest = Sha256::new();
    // Seats and turn may change without a move: a player is replaced, or gives up.
    let cast = format!("{:?}", view.sheet.drawing.view().cast);
    for part in [env!("CARGO_PKG_VERSION"), &view.summary.options, &board.position_text(), &cast] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    digest.update(board.course());
    let digest = digest.finalize();
    knotpost_platform::secret::to_hex(digest.get(..8).unwrap_or(&digest))
}

fn with_cache_control(mut answer: Response, view: &BoardView, mark: Option<&str>) -> Response {
    let is_current = mark.is_some_and(|mark| mark == picture_mark(view));
    let time = if is_current { FOR_EVER } else { ASK_AGAIN };
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(time));
    answer
}

fn read_theme(word: Option<&str>) -> Result<Theme, Problem> {
    let read = word.map_or(Ok(Theme::default()), str::parse);
    read.map_err(|error: knotpost_picture::ParseThemeError| Problem::new(Code::BadValue, error.to_string()))
}

fn read_width(width: Option<u16>) -> Result<u16, Problem> {
    let width = width.unwrap_or(720);
    if WIDTHS.contains(&width) {
        return Ok(width);
    }
    let text = format!("`width` is a number from {} to {}", WIDTHS.start(), WIDTHS.end());
    Err(Problem::new(Code::BadValue, text))
}
