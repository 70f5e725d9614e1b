//! The page of an analysed game: a curve for each player, and the moves that lost most.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use knotpost_model::BoardState;
use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::Web;
use crate::error::Failure;
use crate::extract::{PagePath, board_name};
use crate::pages::join;
use crate::session::{LoggedIn, no_store};
use knotpost_core::boards::{Code, Refusal};
use knotpost_core::queries::{BoardView, view_analysis, view_board};
use knotpost_core::replies::Analysis;

const WIDTH: f64 = 480.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 158.0;

pub(in crate::pages) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath((game, number)): PagePath<(String, String)>,
) -> Result<Response, Failure> {
    let name = board_name(&game, &number)?;
    let view = view_board(&web.app, &name, None).await?;
    if view.summary.state != BoardState::Over {
        let text = "an analysis is for finished boards, and this one is not over";
        return Err(Refusal::new(Code::Conflict, text).into());
    }
    let analysis = view_analysis(&web.app.thinking, &view.board);
    let facts = context! {
        title => view.board.title(),
        game => name.game,
        number => name.number,
        verdict => view.sheet.verdict.to_string(),
        analysis => analysis.as_ref().map(|analysis| facts(analysis, &view)),
    };
    Ok(no_store(web.pages.page_for(visitor.as_deref(), StatusCode::OK, "analysis.html", facts)))
}

fn facts(analysis: &Analysis, view: &BoardView) -> Value {
    let seats = analysis.players.iter().zip(1..).map(|(userid, seat)| {
        context! { number => seat, userid, side => view.board.side(seat), points => curve(analysis, seat) }
    });
    let lines = [1.0, 0.5, 0.0].map(|value| {
        context! { y => format!("{:.1}", height(value)), label => percent(value) }
    });
    let own = context! {
        seats => seats.collect::<Vec<_>>(),
        lines => lines.to_vec(),
        plays => view.board.entries.iter().map(|entry| entry.text.clone()).collect::<Vec<_>>(),
        remarks => analysis.remarks(),
    };
    join([own, Value::from(Serde(analysis))])
}

pub(in crate::pages) fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

fn height(value: f64) -> f64 {
    BOTTOM - value * (BOTTOM - TOP)
}

fn curve(analysis: &Analysis, seat: i64) -> String {
    let step = (WIDTH - LEFT - 10.0) / analysis.points.len().saturating_sub(1).max(1) as f64;
    let index = usize::try_from(seat - 1).unwrap_or_default();
    let points = analysis.points.iter().filter_map(|point| {
        let value = point.value.as_ref()?.get(index)?;
        Some(format!("{:.1},{:.1}", LEFT + step * point.ply as f64, height(*value)))
    });
    points.collect::<Vec<_>>().join(" ")
}
