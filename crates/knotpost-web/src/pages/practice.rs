//! A board to try a game on. The visitor plays both sides, or one against a computer player of a low level.

pub(super) mod lessons;
mod line;
pub(super) mod puzzles;

use axum::Form;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use knotpost_rules::{AnyGame, GivenOption, Seed};
use minijinja::context;
use serde::Deserialize;

use self::lessons::has_lessons;
use self::line::{COMPUTER, YOU};
pub(super) use self::line::{Line, Look, MOST_MOVES, Origin, SWAP};
use self::puzzles::has_puzzles;
use super::{join, seeks};
use crate::Web;
use crate::client::Client;
use crate::error::Failure;
use crate::extract::{PagePath, PageQuery};
use crate::session::LoggedIn;
use knotpost_core::boards::Code;
use knotpost_core::play::{Practice, keep_practice};
use knotpost_platform::clock::random_bytes;

/// Highest level without an account.
const MOST_LEVEL: u8 = 5;

struct Setup {
    /// Without the query.
    path: String,
    /// As typed; empty for the defaults.
    options: String,
    deal: u8,
    before: String,
    /// Most moves of the visitor.
    most: usize,
    level: Option<u8>,
}

impl Setup {
    /// `None` if the game has no such start.
    fn begin(self, game: &dyn AnyGame) -> Option<Line> {
        let meta = game.meta();
        let players = *meta.players.start();
        let given: Vec<_> = self.options.split_whitespace().filter_map(GivenOption::from_word).collect();
        let options = game.parse_options(&given, players).ok()?;
        let position = game.setup(&options, players, &Seed([self.deal; 32]));
        let kept = (self.deal > 0 && self.most > 1).then(|| ("deal", self.deal.to_string()));
        let origin = Origin {
            path: self.path,
            kept: kept.into_iter().chain(self.level.map(|level| ("level", level.to_string()))).collect(),
            most: self.most,
            players: self.level.map(|_| [YOU, COMPUTER].map(str::to_owned).to_vec()).unwrap_or_default(),
            sides: meta.seat_names(players),
        };
        Line::begin(origin, position).after(&self.before)
    }
}

pub(super) async fn show(
    State(web): State<Web>,
    client: Client,
    visitor: Option<LoggedIn>,
    PagePath(name): PagePath<String>,
    PageQuery(look): PageQuery<Look>,
) -> Response {
    let name = name.to_lowercase();
    let Some(game) = web.app.games.find_offered(&name) else {
        return web.pages.problem(Code::UnknownGame, &format!("there is no game `{name}` here"));
    };
    let meta = game.meta();
    let path = format!("/try/{}", meta.name);
    // Only fast levels: the computer player answers within the request.
    let level = look.level.filter(|level| web.app.config.bots.enabled && (1..=MOST_LEVEL).contains(level));
    let of_level = level.map(|level| format!("&level={level}")).unwrap_or_default();
    let another = format!("{path}?deal={}{of_level}", look.deal.wrapping_add(1));
    let (options, before) = (meta.trial.to_owned(), String::new());
    let begun = Setup { path, options, deal: look.deal, before, most: MOST_MOVES, level }.begin(game);
    let Some(mut line) = begun else {
        return web.pages.problem(Code::UnknownGame, "there is no such board");
    };
    line.play_all(&look.moves);
    let first = lessons::first_push(meta).filter(|first| level.is_some() && look.moves == first.moves);
    if let Some(first) = &first {
        line.guide(&first.play);
    }
    if let Some(level) = level
        && answer(&web, client, &mut line, meta.name, level).await
    {
        // The address holds all moves, those of the computer player too.
        return unlisted(Redirect::to(&line.here()).into_response());
    }
    let own = context! {
        game => meta.name, title => meta.title, summary => meta.summary,
        has_lessons => has_lessons(meta), has_puzzles => has_puzzles(meta), options => seeks::name_terms(meta.trial), another, level,
        levels => MOST_LEVEL, deal => look.deal, guide => first.map(|first| first.text),
    };
    let facts = join([own, line.facts(meta.title, &look)]);
    unlisted(web.pages.page_for(visitor.as_deref(), StatusCode::OK, "practice.html", facts))
}

#[derive(Debug, Deserialize)]
pub(super) struct Kept {
    moves: String,
    #[serde(default)]
    deal: u8,
    level: u8,
}

/// Turns the line of moves into a board of the visitor against the computer player.
pub(super) async fn keep(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    PagePath(name): PagePath<String>,
    Form(kept): Form<Kept>,
) -> Result<Response, Failure> {
    let practice = Practice {
        game: name.to_lowercase(),
        level: kept.level,
        seed: Seed([kept.deal; 32]),
        moves: line::words(&kept.moves).map(str::to_owned).collect(),
    };
    let board = keep_practice(&web.app, visitor.proven(), practice).await?;
    Ok(Redirect::to(&format!("/boards/{}/{}", board.game, board.number)).into_response())
}

/// Makes the moves of the computer player until the visitor's turn; returns true if there were any. Without an answer
/// the visitor may move for it.
async fn answer(web: &Web, client: Client, line: &mut Line, game: &'static str, level: u8) -> bool {
    let mut has_moved = false;
    while line.waits_for_other() {
        let asked = (game, line.position().clone_box());
        let Ok(seed) = random_bytes(web.app.entropy.as_ref()) else { break };
        let Ok(turn) = web.app.thinking.answer(client.host(), asked, level, Seed(seed)).await else { break };
        if !line.answer(&turn) {
            break;
        }
        has_moved = true;
    }
    has_moved
}

/// Keeps crawlers away: every choice is a link, so that one would play on and on.
pub(super) fn unlisted(mut page: Response) -> Response {
    let value = HeaderValue::from_static("noindex, nofollow");
    page.headers_mut().insert(HeaderName::from_static("x-robots-tag"), value);
    page
}
