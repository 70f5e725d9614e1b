//! A board to try a game on, both sides played by whoever looks at it.

pub(super) mod lessons;
mod line;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use knotpost_rules::{AnyGame, GivenOption, Seed};
use minijinja::context;

use self::lessons::has_lessons;
pub(super) use self::line::{Line, Look, MOST_MOVES, Origin, SWAP};
use crate::Web;
use crate::extract::{PagePath, PageQuery};
use crate::session::LoggedIn;
use knotpost_core::boards::Code;

/// A board that nobody plays on.
struct Setup {
    /// The address of its page, without its query.
    path: String,
    /// The size of the board; empty: the usual one.
    size: String,
    /// Which deal.
    deal: u8,
    /// Moves that were made before.
    before: String,
    /// The most moves that the visitor makes.
    most: usize,
}

impl Setup {
    /// The board at its start; `None` where the game has no such start.
    fn begin(self, game: &dyn AnyGame) -> Option<Line> {
        let meta = game.meta();
        let players = *meta.players.start();
        let size = (!self.size.is_empty())
            .then_some(GivenOption { name: "size".to_owned(), value: Some(self.size) });
        let options = game.parse_options(size.as_slice(), players).ok()?;
        let position = game.setup(&options, players, &Seed([self.deal; 32]));
        let kept = (self.deal > 0 && self.most > 1).then(|| format!("deal={}", self.deal));
        let origin = Origin {
            path: self.path,
            kept: kept.into_iter().collect(),
            most: self.most,
            players: Vec::new(),
            sides: meta.seat_names(players),
        };
        Line::begin(origin, position).after(&self.before)
    }
}

pub(super) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(name): PagePath<String>,
    PageQuery(look): PageQuery<Look>,
) -> Response {
    let visitor = visitor.as_ref().map(|LoggedIn(visitor)| visitor);
    let name = name.to_lowercase();
    let Some(game) = web.app.game(&name) else {
        return web.pages.problem(Code::UnknownGame, &format!("there is no game `{name}` here"));
    };
    let meta = game.meta();
    let path = format!("/try/{}", meta.name);
    let another = format!("{path}?deal={}", look.deal.wrapping_add(1));
    let (size, before) = (String::new(), String::new());
    let begun = Setup { path, size, deal: look.deal, before, most: MOST_MOVES }.begin(game);
    let Some(mut line) = begun else {
        return web.pages.problem(Code::UnknownGame, "there is no such board");
    };
    line.play_all(&look.moves);
    let facts = context! {
        game => meta.name, title => meta.title, summary => meta.summary,
        has_lessons => has_lessons(meta.name), another,
        ..line.facts(meta.title, &look)
    };
    unlisted(web.pages.page_for(visitor, StatusCode::OK, "practice.html", facts))
}

/// Every choice is a link, so that a crawler would play on and on.
pub(super) fn unlisted(mut page: Response) -> Response {
    let value = HeaderValue::from_static("noindex, nofollow");
    page.headers_mut().insert(HeaderName::from_static("x-robots-tag"), value);
    page
}
