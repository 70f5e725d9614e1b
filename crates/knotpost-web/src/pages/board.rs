//! The page of a board: view it after any move, compose a move by clicking, preview it, chat.

mod analysis;
mod around;
pub(super) mod explore;
mod queueing;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use knotpost_picture::linked_svg;
use knotpost_rules::View;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

pub(super) use self::analysis::{percent, show as show_analysis};
use super::join;
use super::preview::{self, drawn};
use super::seeks::name_terms;
use super::turn::{Ground, Turn, TurnPage};
use crate::Web;
use crate::api::picture_mark;
use crate::board_version::format_version;
use crate::error::Failure;
use crate::extract::{PagePath, PageQuery, board_name};
use crate::session::{LoggedIn, no_store, with_query};
use knotpost_core::boards::Standing;
use knotpost_core::identity::Visitor;
use knotpost_core::play::computer::{Expected, expect_move};
use knotpost_core::queries::{BoardPageView, BoardView, Surroundings, TalkLine, view_board_page};
use knotpost_core::replies::Hint;
use knotpost_model::{BoardRef, BoardState};

const SIDES: [&str; 2] = ["talk", "more"];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Look {
    ply: Option<i64>,
    choose: Option<String>,
    /// For the next die, chosen before its face.
    spot: Option<String>,
    /// Set if the move was sent after the end of the session.
    unsent: Option<String>,
    /// One of [`SIDES`]; the moves by default.
    pub(super) side: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Notice {
    pub(super) message: String,
    pub(super) hints: Vec<String>,
    pub(super) comment: String,
    /// Move sent from a page that was out of date.
    pub(super) stale: Option<String>,
    /// Text of a note that was not stored.
    pub(super) note: Option<String>,
    pub(super) hint: Option<Hint>,
}

impl Look {
    /// Shows the board with this move before it is made.
    pub(super) fn at(play: &str) -> Self {
        Self { choose: Some(play.to_owned()), ..Self::default() }
    }

    pub(super) fn beside(side: &str) -> Self {
        Self { side: Some(side.to_owned()), ..Self::default() }
    }
}

pub(super) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath((game, number)): PagePath<(String, String)>,
    PageQuery(look): PageQuery<Look>,
) -> Result<Response, Failure> {
    let name = board_name(&game, &number)?;
    page(&web, visitor.as_deref(), &name, &look, StatusCode::OK, &Notice::default()).await
}

pub(super) async fn page(
    web: &Web,
    visitor: Option<&Visitor>,
    name: &BoardRef,
    look: &Look,
    status: StatusCode,
    notice: &Notice,
) -> Result<Response, Failure> {
    let BoardPageView { version, view, moves, talk, around } =
        view_board_page(&web.app, name, look.ply, visitor).await?;
    let seen = Seen { view: &view, visitor, look, around: &around };
    let own = context! {
        notice => notice.message.clone(),
        hints => notice.hints.clone(),
        comment => notice.comment.clone(),
        moves => Serde(moves),
        pulse => version.as_ref().map(format_version).unwrap_or_default(),
        computer => expect_move(web.app.clock.as_ref(), &web.app.config, &view.board).map(|(userid, expected)| tell_expected(&userid, expected)),
        preview => preview::of_board(&web.pages.url, &view),
    };
    let facts = join([own, seen.facts(&talk, notice)]);
    Ok(no_store(web.pages.page_for(visitor, status, "board.html", facts)))
}

fn tell_expected(userid: &str, expected: Expected) -> String {
    match expected {
        Expected::Within(seconds) => format!("{userid} is thinking; a move is due within {seconds} seconds."),
        Expected::At(at) => {
            format!("{userid} takes as long as people do; a move is due about {}.", at.to_readable())
        }
        Expected::Late => format!("{userid} has much to do; its move comes as soon as there is time."),
    }
}

struct Seen<'a> {
    view: &'a BoardView,
    visitor: Option<&'a Visitor>,
    look: &'a Look,
    around: &'a Surroundings,
}

impl Seen<'_> {
    fn facts(&self, talk: &[TalkLine], notice: &Notice) -> Value {
        let (view, board) = (self.view, &self.view.board);
        let ply = board.entries.len() as i64;
        let summary = &view.summary;
        let me = self.visitor.map(|visitor| visitor.userid.as_str());
        let to_move = match board.standing() {
            Standing::ToMove(seat) => board.userid_at(i64::from(seat.number())).to_owned(),
            Standing::Over(_) => String::new(),
        };
        let is_now = ply == summary.last_ply && summary.state == BoardState::Active;
        let paused = summary.paused.is_some();
        let is_turn = is_now && !paused && me == Some(to_move.as_str());
        let text = self.look.choose.as_deref().unwrap_or_default();
        let turn = is_turn.then(|| Turn::read(self.ground(), text, self.look.spot.as_deref()));
        let plays = summary.players().any(|userid| Some(userid) == me);
        let others = summary.players().any(|userid| Some(userid) != me);
        let is_over = summary.state == BoardState::Over && ply == summary.last_ply;
        let news = view.sheet.drawing.view().news.as_ref();
        let shared = context! {
            sheet => Serde(&view.sheet),
            text => view.sheet.drawing.text().as_ref(),
            legend => view.sheet.legend(),
            state => summary.state.as_str(),
            place => summary.place.as_ref().map(Serde),
            place_words => summary.place.as_ref().map(|place| place.words.as_str()),
            options => name_terms(&view.sheet.options),
            headline => self.headline(),
            news => news.map(|news| news.action.clone()).unwrap_or_default(),
            news_gain => news.map_or(0, |news| news.gain),
            clock => self.clock(),
            unreached => view.unreached.clone(),
            seats => self.seats(),
            picture => self.picture(turn.as_ref()),
            unsent => self.look.unsent.is_some(),
            may_rematch => is_over && plays && others,
            side => SIDES.into_iter().find(|side| Some(*side) == self.look.side.as_deref()).unwrap_or("moves"),
            may_hint => is_turn && !summary.rated,
            hint => notice.hint.as_ref().map(|hint| self.hint(hint)),
            stale => notice.stale.as_deref().map(|play| self.stale(play, is_turn)),
            to_move, is_turn, is_now, is_over, paused, plays, ply,
            number => summary.number,
            last => summary.last_ply,
            rated => summary.rated,
            limits => self.limits(),
            mark => picture_mark(view),
            reading => knotpost_picture::describe(&drawn(view)),
            queue => queueing::queue_facts(&self.around.queue),
            latest => self.latest(talk),
            note => self.note(notice.note.as_deref()),
            has_keys => self.around.has_keys,
            others_waiting => self.around.waiting.count,
            next_waiting => self.around.waiting.next.as_ref().map(|board| format!("/boards/{}/{}", board.game, board.number)),
            talk => Serde(talk),
            zone => self.around.zone.name(),
        };
        join([self.turn_facts(turn.as_ref()), self.proposal_facts(), shared])
    }

    fn ground(&self) -> Ground<'_> {
        let board = &self.view.board;
        Ground {
            position: &*board.position,
            cast: &self.view.sheet.drawing.view().cast,
            sides: board.game.meta().seat_names(board.seats.len()),
            last: board.entries.last().map_or("", |last| &last.text),
        }
    }

    fn turn_facts(&self, turn: Option<&Turn<'_>>) -> Value {
        let Some(turn) = turn else {
            return context! { choosing => false, has_preview => false };
        };
        let userid = self.visitor.map(|visitor| visitor.userid.as_str()).unwrap_or_default();
        let summary = &self.view.summary;
        let choosing = &turn.choosing;
        let own = context! {
            next => self.view.board.entries.len() + 1,
            command => if choosing.preview.is_some() {
                format!("{} move {} {userid} PASSWORD {}", summary.game, summary.number, choosing.begun)
            } else {
                self.view.sheet.example.clone().unwrap_or_default()
            },
        };
        join([own, turn.facts(self)])
    }

    fn picture(&self, turn: Option<&Turn<'_>>) -> Value {
        let present = drawn(self.view);
        let shown: Option<View> = turn.map(|turn| turn.draw(&present));
        let links = turn.map(|turn| turn.links(self, &present)).unwrap_or_default();
        let title = format!("{} board {}", self.view.board.title(), self.view.summary.number);
        Value::from_safe_string(linked_svg(shown.as_ref().unwrap_or(&present), &title, &links))
    }
}

impl TurnPage for Seen<'_> {
    fn address(&self, begun: &str, spot: Option<&str>) -> String {
        let page = format!("/boards/{}/{}", self.view.summary.game, self.view.summary.number);
        with_query(&page, [("choose", begun), ("spot", spot.unwrap_or_default())]) + "#board"
    }
}
