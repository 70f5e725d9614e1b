//! The page of a board: view it after any move, compose a move by clicking, preview it, chat.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use knotpost_picture::{Link, PictureOptions, Theme, die_svg, linked_svg};
use knotpost_rules::{Ability, Choices, PartKind};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::preview::{self, drawn};
use crate::Web;
use crate::board_version::format_version;
use crate::extract::{PagePath, PageQuery};
use crate::session::{LoggedIn, no_store, url_encode};
use knotpost_core::boards::{Choosing, Code, Standing, choose};
use knotpost_core::identity::Visitor;
use knotpost_core::queries::{BoardView, TalkLine, last_move, view_board, view_board_version, view_talk};
use knotpost_model::{BoardRef, BoardState, Millis, ProposalKind};

/// The themes of a picture, and the style class of each.
const THEMES: [(Theme, &str); 2] = [(Theme::Light, "on-light"), (Theme::Dark, "on-dark")];

/// The query of the page: which state of a board it shows.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Look {
    ply: Option<i64>,
    choose: Option<String>,
}

/// The result of a form that was just sent.
#[derive(Debug, Default)]
pub(super) struct Notice {
    pub(super) message: String,
    pub(super) hints: Vec<String>,
    /// The text of the form, so that it need not be typed again.
    pub(super) comment: String,
}

pub(super) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath((game, number)): PagePath<(String, String)>,
    PageQuery(look): PageQuery<Look>,
) -> Response {
    let visitor = visitor.map(|LoggedIn(visitor)| visitor);
    let Some(name) = board_name(&game, &number) else {
        let text = format!("there is no {} board `{number}`", game.to_lowercase());
        return web.pages.problem(Code::NoSuchBoard, &text);
    };
    page(&web, visitor.as_ref(), &name, &look, StatusCode::OK, &Notice::default()).await
}

pub(super) fn board_name(game: &str, number: &str) -> Option<BoardRef> {
    Some(BoardRef { game: game.to_lowercase(), number: number.parse().ok()? })
}

pub(super) async fn page(
    web: &Web,
    visitor: Option<&Visitor>,
    name: &BoardRef,
    look: &Look,
    status: StatusCode,
    notice: &Notice,
) -> Response {
    // Read before the board itself: a change in between is then reported once too often rather than missed.
    let pulse = match view_board_version(&web.app, name).await {
        Ok(pulse) => pulse.as_ref().map(format_version),
        Err(error) => return web.pages.failure(error.into()),
    };
    let view = match view_board(&web.app, name, look.ply).await {
        Ok(view) => view,
        Err(error) => return web.pages.failure(error),
    };
    let talk = match view_talk(&web.app, &view.board).await {
        Ok(talk) => talk,
        Err(error) => return web.pages.failure(error),
    };
    let seen = Seen { view: &view, visitor, look };
    let facts = context! {
        notice => notice.message.clone(),
        hints => notice.hints.clone(),
        comment => notice.comment.clone(),
        pulse => pulse.unwrap_or_default(),
        preview => preview::of_board(&web.pages.url, &view),
        ..seen.facts(&talk)
    };
    no_store(web.pages.page_for(visitor, status, "board.html", facts))
}

/// A board and its viewer.
struct Seen<'a> {
    view: &'a BoardView,
    visitor: Option<&'a Visitor>,
    look: &'a Look,
}

impl Seen<'_> {
    fn facts(&self, talk: &[TalkLine]) -> Value {
        let (view, board) = (self.view, &self.view.board);
        let ply = board.entries.len() as i64;
        let summary = &view.summary;
        let to_move = match board.standing() {
            Standing::ToMove(seat) => board.userid_at(i64::from(seat.number())).to_owned(),
            Standing::Over(_) => String::new(),
        };
        let is_now = ply == summary.last_ply && summary.state == BoardState::Active;
        let paused = summary.paused.is_some();
        let is_turn = is_now && !paused && self.visitor.is_some_and(|visitor| visitor.userid == to_move);
        let choosing = is_turn.then(|| choose(board, self.look.choose.as_deref().unwrap_or_default()));
        let plays =
            self.visitor.is_some_and(|visitor| summary.players().any(|userid| userid == visitor.userid));
        let since = last_move(board).map_or(summary.started, |line| line.at);
        let pictures = self.pictures(choosing.as_ref());
        let example = view.sheet.example.clone().unwrap_or_default();
        let shared = context! {
            sheet => Serde(&view.sheet),
            text => view.sheet.drawing.text().as_ref(),
            legend => view.sheet.legend(),
            state => summary.state.as_str(),
            turn_line => view.sheet.verdict.to_string(),
            to_move, is_turn, is_now, paused, plays, ply, pictures, example,
            since => since.to_readable(),
            number => summary.number,
            last => summary.last_ply,
            rated => summary.rated,
            limits => limits(view),
            scores => board.position.scores().texts(),
            reading => knotpost_picture::describe(&drawn(view)),
            talk => talk.iter().map(|line| self.talk_facts(line)).collect::<Vec<_>>(),
        };
        context! { ..self.turn_facts(choosing.as_ref()), ..self.proposal_facts(), ..shared }
    }

    fn address(&self, choose: &str) -> String {
        let summary = &self.view.summary;
        let query = if choose.is_empty() { String::new() } else { format!("?choose={}", url_encode(choose)) };
        format!("/boards/{}/{}{query}#board", summary.game, summary.number)
    }

    fn pictures(&self, choosing: Option<&Choosing>) -> Vec<Value> {
        let board = &self.view.board;
        let preview = choosing.and_then(|choosing| choosing.preview.as_ref());
        let present = drawn(self.view);
        let shown = preview.map_or(&*present, |preview| preview);
        let links = choosing.filter(|_| preview.is_none()).map(|choosing| self.links(choosing));
        let title = format!("{} board {}", board.title(), self.view.summary.number);
        let picture = |(theme, class)| {
            let options = PictureOptions { theme, title: title.clone(), ..PictureOptions::default() };
            Value::from_safe_string(linked_svg(shown, &options, class, links.as_deref().unwrap_or_default()))
        };
        THEMES.map(picture).to_vec()
    }

    fn links(&self, choosing: &Choosing) -> Vec<Link> {
        let next = choosing.choices.next.iter().filter_map(|choice| match &choice.kind {
            PartKind::Spot(name) => Some(Link {
                spot: name.clone(),
                href: Some(self.address(&choice.begun)),
                label: format!("{name}: choose for {}", choice.begun),
            }),
            _ => None,
        });
        let taken = choosing.spots.iter().map(|name| Link {
            spot: name.clone(),
            href: None,
            label: format!("{name}: chosen"),
        });
        taken.chain(next).collect()
    }

    /// The choices beside the board, and the move that would be sent.
    fn turn_facts(&self, choosing: Option<&Choosing>) -> Value {
        let Some(choosing) = choosing else {
            return context! { choosing => false, has_preview => false };
        };
        let board = &self.view.board;
        let next = board.entries.len() + 1;
        let userid = self.visitor.map(|visitor| visitor.userid.as_str()).unwrap_or_default();
        let summary = &self.view.summary;
        let front = format!("{} move {} {userid}", summary.game, summary.number);
        let (faces, chips) = self.beside(&choosing.choices);
        let on_board = choosing.choices.next.iter().any(|choice| matches!(choice.kind, PartKind::Spot(_)));
        let words: Vec<Value> = board
            .position
            .legal_words()
            .into_iter()
            .filter(|_| choosing.begun.is_empty())
            .map(|word| context! { word, href => self.address(word) })
            .collect();
        context! {
            choosing => true,
            begun => choosing.begun.clone(),
            back => self.address(&choosing.before),
            restart => self.address(""),
            refusal => choosing.refusal.clone().unwrap_or_default(),
            has_preview => choosing.preview.is_some(),
            may_go_on => !choosing.choices.next.is_empty(),
            command => format!("{front} PASSWORD {}", choosing.begun),
            next, faces, chips, words, on_board,
        }
    }

    fn beside(&self, choices: &Choices) -> (Vec<Value>, Vec<Value>) {
        let (mut faces, mut chips) = (Vec::new(), Vec::new());
        for choice in &choices.next {
            let href = self.address(&choice.begun);
            match choice.kind {
                PartKind::Face(face) => {
                    let figures =
                        THEMES.map(|(theme, class)| Value::from_safe_string(die_svg(face, theme, class)));
                    faces.push(
                        context! { letter => face.letter().to_string(), href, figures => figures.to_vec() },
                    );
                }
                PartKind::Turns(turns) => chips.push(context! { label => name_turns(turns), href }),
                PartKind::Spot(ref name) => chips.push(context! { label => name, href }),
                PartKind::Word => chips.push(context! { label => choice.begun.clone(), href }),
            }
        }
        (faces, chips)
    }

    fn proposal_facts(&self) -> Value {
        let view = self.view;
        let userid = self.visitor.map_or("", |visitor| visitor.userid.as_str());
        let abilities = view.board.game.meta().abilities;
        let Some(proposal) = &view.proposal else {
            return context! {
                proposal => "",
                may_answer => false,
                may_undo => abilities.has(Ability::Undo) && view.summary.last_ply > 0,
                may_draw => abilities.has(Ability::Draw),
            };
        };
        let what = match proposal.kind {
            ProposalKind::Draw => "a draw",
            ProposalKind::Undo => "to take back the last move",
        };
        context! {
            proposal => format!("{} proposes {what}.", proposal.by),
            waiting => proposal.waiting.clone(),
            may_answer => proposal.waiting.iter().any(|name| name == userid),
            may_undo => false,
            may_draw => false,
        }
    }

    fn talk_facts(&self, line: &TalkLine) -> Value {
        context! {
            who => line.who.clone(),
            text => line.text.clone(),
            at => line.at.to_readable(),
            ply => line.ply,
            is_own => self.visitor.is_some_and(|visitor| visitor.userid == line.who),
        }
    }
}

fn name_turns(turns: u8) -> &'static str {
    match turns {
        0 => "as it lies",
        1 => "a quarter turn clockwise",
        2 => "a half turn",
        _ => "a quarter turn back",
    }
}

/// The time limits of the players.
fn limits(view: &BoardView) -> Value {
    let limits = &view.board.timing.limits;
    let days = |time: i64| Millis(time).0 / 86_400_000;
    context! {
        nag => days(limits.nag.0),
        forfeit => days(limits.forfeit.0),
        total => limits.total.map(|total| days(total.0)),
    }
}
