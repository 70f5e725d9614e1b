//! Link previews: a title, a few words, a picture (the Open Graph protocol, ogp.me). They contain only public content
//! of the page.

use std::borrow::Cow;
use std::fmt::Write as _;

use knotpost_picture::{CARD, describe};
use knotpost_rules::{AnyGame, View};
use minijinja::{Value, context};

use super::sentence;
use crate::Web;
use crate::api::picture_mark;
use crate::session::url_encode;
use knotpost_core::identity::Profile;
use knotpost_core::queries::BoardView;
use knotpost_model::BoardState;

const LONGEST_ALT: usize = 400;

/// Hides the turn in an earlier position, since it is the turn at present.
pub(super) fn drawn(view: &BoardView) -> Cow<'_, View> {
    let shown = view.sheet.drawing.view();
    if view.board.entries.len() as i64 == view.summary.last_ply {
        return Cow::Borrowed(shown);
    }
    let mut earlier = View::clone(shown);
    earlier.cast.now = None;
    Cow::Owned(earlier)
}

/// Shows the turn or the outcome, with a picture of the state on the page. A removed board has no picture.
pub(super) fn of_board(url: &str, view: &BoardView) -> Value {
    let (board, summary) = (&view.board, &view.summary);
    let ply = board.entries.len() as i64;
    let players: Vec<&str> = summary.players().collect();
    let options = if summary.options.is_empty() { String::new() } else { format!(" {}", summary.options) };
    let page = format!("{url}/boards/{}/{}", url_encode(&summary.game), summary.number);
    let is_latest = ply == summary.last_ply;
    let about = match summary.state {
        BoardState::Removed => "This board was removed.".to_owned(),
        _ if is_latest => format!("{} Move {ply}.", view.sheet.verdict),
        _ => format!("After move {ply} of {}.", summary.last_ply),
    };
    let picture = (summary.state != BoardState::Removed).then(|| {
        let place = format!("{url}/api/v1/boards/{}/{}", url_encode(&summary.game), summary.number);
        let address = format!("{place}/board.png?ply={ply}&frame=card&v={}", picture_mark(view));
        picture(&address, &shorten(&describe(&drawn(view))))
    });
    context! {
        kind => "article",
        title => format!("{} {}{options}: {}", board.title(), summary.number, players.join(", ")),
        about,
        address => if is_latest { page } else { format!("{page}?ply={ply}") },
        picture,
    }
}

pub(super) fn of_user(web: &Web, profile: &Profile) -> Value {
    let since = profile.since.to_rfc3339();
    let mut about = format!("Here since {}.", since.get(..10).unwrap_or(&since));
    for game in &profile.ratings {
        let counts = format!("{} won, {} lost, {} tied", game.won, game.lost, game.tied);
        let _ = write!(about, " {}: {} points, {counts}.", game.title, game.rating);
    }
    context! {
        kind => "profile",
        title => profile.userid.clone(),
        about,
        address => format!("{}/users/{}", web.pages.url, url_encode(&profile.userid)),
        picture => any_game(web),
    }
}

pub(super) fn of_game(web: &Web, game: &dyn AnyGame) -> Value {
    let meta = game.meta();
    context! {
        kind => "article",
        title => format!("{} on {}", meta.title, web.pages.server),
        about => sentence(meta.summary),
        address => format!("{}/games/{}", web.pages.url, url_encode(meta.name)),
        picture => figure(web, game),
    }
}

pub(super) fn of_server(web: &Web) -> Value {
    let titles: Vec<&str> = web.app.games.offered().map(|game| game.meta().title).collect();
    context! {
        kind => "website",
        title => web.pages.server.clone(),
        about => format!("Board games by mail and on the web: {}.", titles.join(", ")),
        address => format!("{}/", web.pages.url),
        picture => any_game(web),
    }
}

fn any_game(web: &Web) -> Option<Value> {
    web.app.games.offered().next().map(|game| figure(web, game))
}

fn figure(web: &Web, game: &dyn AnyGame) -> Value {
    let address = format!("{}/figures/{}-card.png", web.pages.url, url_encode(game.meta().name));
    picture(&address, &format!("{} after some moves", game.meta().title))
}

fn picture(address: &str, alt: &str) -> Value {
    context! { address, alt, width => CARD.0, height => CARD.1 }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_ALT) {
        Some((end, _)) => format!("{} …", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
