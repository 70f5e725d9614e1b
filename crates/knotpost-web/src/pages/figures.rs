//! Pictures of games rather than boards: an example position, and the faces of the dice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use knotpost_picture::{PictureOptions, Theme, die_svg, pushed_svg, svg};
use knotpost_rules::knot::Face;
use knotpost_rules::{AnyGame, Choice, GameOptions, PartKind, Position, Seed, Turn, View, Viewer};
use minijinja::{Value, context};

use super::practice::lessons;
use crate::Web;
use crate::api::busy_with_pictures;
use crate::client::Client;
use knotpost_core::gallery::{Busy, Look};

const THEMES: [(Theme, &str); 2] = [(Theme::Light, "light"), (Theme::Dark, "dark")];
/// Moves of a figure without chosen moves.
const MOVES: usize = 9;
const KEEP: &str = "public, max-age=86400";

/// Drawn at their first request.
#[derive(Debug, Default)]
pub(super) struct Figures {
    drawn: Mutex<BTreeMap<(&'static str, &'static str), Arc<str>>>,
}

impl Figures {
    fn of(&self, game: &dyn AnyGame, theme: Theme, ground: &'static str) -> Arc<str> {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let figure = drawn.entry((game.meta().name, ground)).or_insert_with(|| draw(game, theme).into());
        Arc::clone(figure)
    }

    /// The figure's last move as an animation of the start page; `None` if it wins nothing.
    pub(super) fn push_of(&self, game: &dyn AnyGame) -> Option<Value> {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let figure = drawn.entry((game.meta().name, "push")).or_insert_with(|| draw_push(game).into());
        (!figure.is_empty()).then(|| Value::from_safe_string(figure.to_string()))
    }
}

/// Empty if the last move pushes nothing or wins nothing.
fn draw_push(game: &dyn AnyGame) -> String {
    let view = some_view(game);
    let Some(news) = view.news.as_ref().filter(|news| news.gain > 0) else { return String::new() };
    pushed_svg(&view, &format!("A board of {}: {news}", game.meta().title)).unwrap_or_default()
}

/// `/figures/osbox-light.svg`, `/figures/osbox-card.png`: a game after some moves.
pub(super) async fn show(State(web): State<Web>, client: Client, Path(name): Path<String>) -> Response {
    if let Some(game) = name.strip_suffix("-card.png").and_then(|game| web.app.games.find(game)) {
        let look = Look::Card { theme: Theme::Light };
        return match web.app.gallery.show(client.host(), some_view(game).into(), look).await {
            Ok(drawn) => answer("image/png", drawn.map(Bytes::from_owner)),
            Err(Busy) => busy_with_pictures().into_response(),
        };
    }
    let asked = name.strip_suffix(".svg").and_then(|name| name.rsplit_once('-'));
    let found = asked.and_then(|(game, ground)| {
        let (theme, ground) = THEMES.into_iter().find(|(_, known)| *known == ground)?;
        Some(web.pages.figures.of(web.app.games.find(game)?, theme, ground))
    });
    answer("image/svg+xml", found.map(|figure| figure.to_string()))
}

fn answer(kind: &'static str, figure: Option<impl IntoResponse>) -> Response {
    let Some(figure) = figure else {
        return (StatusCode::NOT_FOUND, "there is no such figure\n").into_response();
    };
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, KEEP)];
    (headers.map(|(name, value)| (name, HeaderValue::from_static(value))), figure).into_response()
}

fn begin(game: &dyn AnyGame) -> Box<dyn Position> {
    let meta = game.meta();
    game.setup(&GameOptions::defaults(meta.options), *meta.players.start(), &Seed::default())
}

fn draw(game: &dyn AnyGame, theme: Theme) -> String {
    let title = format!("{} after some moves", game.meta().title);
    svg(&some_view(game), &PictureOptions { theme, title, ..PictureOptions::default() })
}

/// Plays the moves chosen for the game, else any.
fn some_view(game: &dyn AnyGame) -> View {
    let mut position = begin(game);
    if let Some(moves) = lessons::figure(game.meta()) {
        for play in moves {
            if position.play(Turn::from_word(&play)).is_err() {
                break;
            }
        }
        return position.view(Viewer::Spectator);
    }
    for step in 0..MOVES {
        let moves = position.legal_moves();
        // Any legal moves are good enough, as long as they vary.
        let Some(play) = moves.get((step * 31 + 7) % moves.len().max(1)) else { break };
        if position.play(Turn::Move(play)).is_err() {
            break;
        }
    }
    position.view(Viewer::Spectator)
}

/// Dice with their letters; empty for games without dice.
pub(super) fn faces(game: &dyn AnyGame) -> Vec<Value> {
    let is_face = |choice: &Choice| matches!(choice.kind, PartKind::Face(_));
    if !begin(game).choices("").next.iter().any(is_face) {
        return Vec::new();
    }
    let figure = |face, theme, ground| Value::from_safe_string(die_svg(face, theme, &format!("on-{ground}")));
    let figures = |face| THEMES.map(|(theme, ground)| figure(face, theme, ground)).to_vec();
    let facts = |face: Face| context! { letter => face.letter().to_string(), figures => figures(face) };
    Face::ALL.into_iter().map(facts).collect()
}
